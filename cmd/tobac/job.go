package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/ordering"
)

// A job is a fit whose inputs have been read and checked.
type job struct {
	config  runConfig
	fit     tobac.Config
	train   *dataset.Table
	heldout *dataset.Table // nil: none
	scaling *scaling       // nil: not standardised
	truth   *dag.Graph     // nil: unknown

	heldoutInterventions *dataset.Table // of the held-out rows; nil: none
}

// prepare reads the data, or the embedded ones for an empty path, and
// everything else that the options name.
func prepare(o fitOptions, data string, stdin io.Reader) (*job, error) {
	if o.given("holdout") && o.heldout != "" {
		return nil, usagef("--holdout and --heldout contradict each other: rows are held out of the data, or come from a file")
	}
	if err := o.checkChoices(); err != nil {
		return nil, err
	}
	j := &job{config: runConfig{Preset: o.preset.String(), Order: o.order, Heldout: o.heldout, Holdout: o.holdout, Truth: o.truth, Versions: currentVersions()}}
	table, err := j.readData(&o, data, stdin)
	if err != nil {
		return nil, err
	}
	if err := j.configure(o, table); err != nil {
		return nil, err
	}
	var interventions *dataset.Table
	if o.interventions != "" {
		if interventions, err = readInterventions(o.interventions, table); err != nil {
			return nil, err
		}
	}
	if o.truth != "" {
		if j.truth, err = readTruth(o.truth, table.Names); err != nil {
			return nil, err
		}
	}
	if o.standardize {
		mean, sd := table.Moments()
		if table, err = table.Standardize(); err != nil {
			return nil, &locatedError{j.config.Data, err}
		}
		j.scaling = &scaling{Mean: mean, SD: sd}
	}
	j.train = table
	switch {
	case o.given("holdout"):
		if j.train, j.heldout, err = table.Split(o.holdout, splitStream(o.seed)); err != nil {
			return nil, &usageError{&locatedError{"--holdout", err}}
		}
		if interventions != nil { // the same rows: the stream starts anew
			if interventions, j.heldoutInterventions, err = interventions.Split(o.holdout, splitStream(o.seed)); err != nil {
				return nil, &locatedError{o.interventions, err}
			}
		}
	case o.heldout != "":
		if j.heldout, err = readHeldout(o.heldout, table.Names, j.scaling); err != nil {
			return nil, err
		}
	}
	if interventions != nil {
		j.fit.Interventions = interventions.X
	}
	j.config.Standardize = o.standardize
	j.config.TrainingRows, _ = j.train.X.Dims()
	if j.heldout != nil {
		j.config.HeldoutRows, _ = j.heldout.X.Dims()
	}
	return j, nil
}

// readData reads the table. For the embedded one it sets what their options
// leave open.
func (j *job) readData(o *fitOptions, path string, stdin io.Reader) (t *dataset.Table, err error) {
	if path == "" {
		j.config.Data = embeddedSachs
		if t, j.truth, err = dataset.Sachs(); err != nil {
			return nil, err
		}
		if o.truth == "" {
			j.config.Truth = embeddedSachs
		}
		if !o.given("standardize") {
			o.standardize = true
		}
	} else if t, j.config.Data, err = readTable(path, stdin); err != nil {
		return nil, err
	}
	n, d := t.X.Dims()
	j.config.Variables = d
	switch {
	case d < 2:
		return nil, fmt.Errorf("%s: got a single column, want at least 2: one variable has no edges to infer", j.config.Data)
	case n < 2:
		return nil, fmt.Errorf("%s: got a single row, want at least 2", j.config.Data)
	}
	return t, nil
}

// configure applies the options to the preset.
func (j *job) configure(o fitOptions, t *dataset.Table) (err error) {
	c := o.preset.config()
	spec := o.spec()
	if c.Model, err = spec.model(); err != nil {
		return err
	}
	if o.model == modelBGe {
		c.NoiseVariance, c.Gradient = 0, models.ScoreFunction
	}
	c.Method = o.method
	if c.Prior, err = parsePrior(o.prior, t.Names); err != nil {
		return err
	}
	if c.Prior != nil {
		c.EdgesPerNode = 0
	}
	set(&c.Gradient, o.grad, o.given("grad"))
	c.Seed, c.Workers = o.seed, o.workers
	set(&c.Estimator, o.estimator, o.given("estimator"))
	set(&c.Particles, o.particles, o.given("particles"))
	set(&c.Steps, o.steps, o.given("steps"))
	set(&c.Samples, o.samples, o.given("samples"))
	set(&c.NoiseVariance, o.noiseVariance, o.given("noise-variance"))
	set(&c.EdgesPerNode, o.edgesPerNode, o.given("edges-per-node"))
	if c, err = c.WithDefaults(j.config.Variables); err != nil {
		where := "--preset " + o.preset.String()
		if o.given("edges-per-node") {
			where = "--edges-per-node"
		}
		return &usageError{&locatedError{where, err}}
	}
	if c.Method == tobac.TOBAC {
		if c.Order, err = parseOrder(o.order, t.Names); err != nil {
			return err
		}
	}
	j.fit = c
	j.config.set(c)
	j.config.choose(o)
	return nil
}

// set replaces a setting of the preset by an option that was given.
func set[T any](setting *T, option T, given bool) {
	if given {
		*setting = option
	}
}

// patience is how long an interrupted run may take to reach the end of its
// step. A step of a large model takes longer; its goroutine is then left behind
// for the end of the process, and touches neither files nor streams.
const patience = 500 * time.Millisecond

// sample runs the fit and shows its progress. dir is for the message after an
// interruption.
func (j *job) sample(ctx context.Context, dir string, stderr io.Writer) (*result, error) {
	p := newProgress(stderr, j.fit.Steps)
	defer p.close()
	type outcome struct {
		posterior *tobac.Posterior
		err       error
	}
	done := make(chan outcome, 1)
	go func() {
		posterior, err := j.run(ctx, p)
		done <- outcome{posterior, err}
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		select {
		case out = <-done:
		case <-time.After(patience):
			out.err = ctx.Err()
		}
	}
	taken := p.close()
	switch {
	case out.err == nil:
		j.config.set(out.posterior.Config) // with what was estimated
		return &result{posterior: out.posterior}, nil
	case ctx.Err() != nil && errors.Is(out.err, ctx.Err()):
		return nil, interrupted(taken, j.fit.Steps, dir)
	}
	return nil, &locatedError{j.config.Data, orderError(out.err, j.train.Names)}
}

func (j *job) run(ctx context.Context, p *progress) (*tobac.Posterior, error) {
	c := j.fit
	c.Progress = func(s tobac.Progress) { p.step(s.Step) }
	r, err := tobac.NewRun(j.train, c)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p.begin(r.Warnings())
	if err := r.Advance(ctx, c.Steps); err != nil {
		return nil, err
	}
	return r.Posterior()
}

// interrupted says where a run stopped. Its state is lost: there are no
// checkpoint files yet.
func interrupted(taken, steps int, dir string) error {
	at := fmt.Sprintf("after step %d of %d", taken, steps)
	if taken == 0 {
		at = fmt.Sprintf("before the first of %d steps", steps)
	}
	place := filepath.Join(dir, "checkpoint.json")
	if dir == "" {
		place = filepath.Join("DIR", "checkpoint.json") + " with --out DIR"
	}
	return fmt.Errorf("interrupted %s; nothing was written: checkpoints are not written yet, this one would go to %s", at, place)
}

// orderError adds names of columns, and what else could be done, to an error of
// an order.
func orderError(err error, names []string) error {
	err = ordering.WithNames(err, names)
	if errors.Is(err, ordering.ErrTooFewRows) {
		return fmt.Errorf("%w; give more rows or another order", err)
	}
	return err
}
