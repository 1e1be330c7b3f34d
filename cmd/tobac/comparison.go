package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/metrics"
	"tobac/sem"
)

// comparison reports whether the answer is to be compared with particles of SVGD: if that is
// asked for, and for the embedded data.
func (o *fitOptions) comparison(c *tobac.Config, t *dataset.Table, embedded bool) (bool, error) {
	takes := drawsOrders(c.Engine) && c.Prior.MaxParents == 0
	switch {
	case o.beside != besideSVGD:
		return embedded && takes && o.beside == besideAuto, nil
	case c.Model != nil && !differentiable(c.Model):
		return false, cli.Usagef("--beside svgd contradicts --model %s, which has no likelihood "+
			"that SVGD could differentiate", c.Model)
	case takes && !hasGaps(t):
		return true, nil
	case hasGaps(t):
		return false, cli.Usagef("--beside svgd contradicts --missing impute: particles are " +
			"compared with a fit to one table; allowed: --missing drop")
	case c.Prior.MaxParents > 0:
		return false,
			cli.Usagef("--beside svgd contradicts prior.max-parents, a bound that svgd does not " +
				"take")
	}
	return false, cli.Usagef("--beside svgd contradicts the engine %s: particles are compared "+
		"with results of the engines exact and mcmc", c.Engine.Engine().Name())
}

// differentiable reports whether SVGD samples a model, or a differentiable form of it.
func differentiable(m sem.Model) bool {
	_, itself := sem.As[sem.Differentiable](m)
	_, form := sem.As[sem.SampledModel](m)
	return itself || form
}

// drawsOrders reports whether particles can follow the orders of what an engine draws.
func drawsOrders(e engine.Settings) bool {
	_, source := e.Engine().(engine.OrderSource)
	return source
}

// sample samples the particles that a result is compared with.
func (j *job) sample(ctx context.Context, p *cli.Progress, of tobac.Result) (*tobac.Result, error) {
	return cli.Within(ctx, func() (*tobac.Result, error) {
		of.Config.Progress = p.Step
		run, err := tobac.NewComparison(ctx, j.train, &of, j.particles)
		if err != nil {
			return nil, err
		}
		defer run.Close()
		p.Begin(nil, 0, run.Steps())
		if err := run.Advance(ctx, run.Steps()); err != nil {
			return nil, err
		}
		out, err := run.Result(ctx)
		if err != nil {
			return nil, err
		}
		out.Standardization = compose(j.scaling, out.Standardization)
		return out, nil
	})
}

// compare completes results, which are written and printed, by a comparison with particles. A model
// that the fit chose and SVGD does not sample has none.
func (k *keeping) compare(ctx context.Context, r *result, j *job, o *fitOptions,
	stdout, stderr io.Writer) error {
	if m := r.Config.Model; !differentiable(m) {
		note(stderr,
			[]string{fmt.Sprintf("no comparison with svgd: the model of the fit, %s, has no "+
				"likelihood that SVGD could differentiate", sem.Describe(m.String()))})
		return nil
	}
	p := cli.NewProgress(stderr, o.quiet)
	defer p.Close()
	p.During("the results are complete; comparing them with TOBAC's particles")
	particles, err := j.sample(ctx, p, *r.Result)
	if err == nil {
		r.particles, err = particles, r.summary.compare(j, r.Result, particles)
	}
	if err == nil {
		err = r.sign(j)
	}
	if err != nil {
		r.particles, r.summary.Compared = nil, nil
		k.without("comparison with svgd", err)
		return nil
	}
	if k.saved != "" {
		k.discard()
		if err := k.open(); err != nil {
			k.without("comparison with svgd", err)
			return nil
		}
		if o.report {
			p.During("drawing the report")
			k.draw(ctx, r, j, cli.Beneath(p, stderr))
		}
		k.save(r)
	}
	p.Close()
	if o.json {
		return nil
	}
	return k.show(stdout, func(w io.Writer) error { return r.printComparison(w, k.saved) })
}

// compare judges the particles that a result is compared with.
func (s *summary) compare(j *job, of, particles *tobac.Result) error {
	model, err := storedModel(particles.Posterior)
	if err != nil {
		return err
	}
	c := &comparedSummary{Model: particles.Model,
		Distance: metrics.Number(of.Marginals.Distance(particles.Marginals, nil)),
		Seconds:  particles.Seconds}
	if c.evaluation, err = s.judge(particles.Posterior, model, j); err != nil {
		return err
	}
	s.Compared = c
	return nil
}

// printComparison prints how far particles are from the results above.
func (r *result) printComparison(w io.Writer, dir string) error {
	c := r.summary.Compared
	fmt.Fprintln(w, "\nComparison with TOBAC's particles")
	cli.PrintField(w, "svgd", fmt.Sprintf("%s%s, %s: %.1f s", sem.Describe(c.Model),
		onScale(c.Model), strings.TrimPrefix(r.particles.Method, "svgd, "), c.Seconds.Total))
	cli.PrintField(w, "",
		fmt.Sprintf("edge probabilities differ from those above by %.3f on average", c.Distance))
	if r.summary.Config.Truth != "" || r.summary.Config.HeldoutRows > 0 {
		t := r.metricsTable(w)
		t.listed("svgd listed", c.Metrics.Listed)
		t.scores("svgd particles", c.Metrics.Empirical)
		t.scores("svgd particles, weighted", c.Metrics.Mixture)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if dir != "" {
		cli.PrintField(w, "files", fmt.Sprintf("in %s: %s too", filepath.Clean(dir), comparedFile))
	}
	return nil
}

// show prints a part of the report.
func (k *keeping) show(stdout io.Writer, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if _, err := stdout.Write(text.Bytes()); err != nil {
		k.unprinted(file.WithPath("standard output", err))
	}
	return nil
}
