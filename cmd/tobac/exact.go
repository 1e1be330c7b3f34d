package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tobac"
	"tobac/dag"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/file"
	"tobac/internal/reference"
	"tobac/metrics"
)

// An exactSummary compares a posterior with its reference: [reference.Posterior].
type exactSummary struct {
	Engine            string         `json:"engine"` // exact, mcmc or tempering
	MeanAbsError      metrics.Number `json:"mean_abs_error"`
	LogProbDifference metrics.Number `json:"log_prob_difference"`
	LogProbError      metrics.Number `json:"log_prob_error"` // standard error of the former
	// of the edge probabilities of the reference, the largest; 0 means they are sums
	StandardError metrics.Number `json:"standard_error"`
	// of the reference; null without a truth
	ESHD     metrics.Number `json:"eshd"`
	AUROC    metrics.Number `json:"auroc"` // likewise
	Notes    []string       `json:"notes"`
	Warnings []string       `json:"warnings"`
}

// A storedFit is a fit in a folder, with its data and its settings.
type storedFit struct {
	*job
	result tobac.Result
}

// readFit reads what tobac fit wrote into a folder, and the data from where they are or dataPath
// names them; truthPath, if not empty, names the truth.
func readFit(dir, dataPath, truthPath string, edited bool) (*storedFit, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, cli.Usagef("--exact contradicts %s: a file has neither data nor settings; %w",
			dir, errNoSummary)
	}
	files, err := file.OpenFolder(dir, edited)
	if err != nil {
		return nil, err
	}
	p, s, err := readResult(files, dir)
	if err != nil {
		return nil, err
	}
	o, err := storedOptions(files, dir)
	if err != nil {
		return nil, err
	}
	o.heldout = ""
	if truthPath != "" {
		o.truth = truthPath
	}
	if dataPath != "" {
		o.command.Data = dataPath
	}
	switch {
	case s.config.Imputations > 0:
		return nil, fmt.Errorf("%s: values were missing, and the posteriors of completed tables "+
			"have no common reference; allowed: a fit with --missing drop", dir)
	case s.config.Digest == "":
		return nil, fmt.Errorf("%s: written by an earlier version, without the checksum of its "+
			"data; fit it again", dir)
	case o.command.Data == "-":
		return nil, cli.Usagef("%s: the data came from %s; --data FILE names them", dir,
			cli.StandardInput)
	}
	j, err := prepare(*o, o.command.Data, nil)
	if err != nil {
		return nil, o.command.Mistaken(err)
	}
	if j.input.Digest != s.config.Digest {
		return nil, fmt.Errorf("%s: the rows are not those of the fit in %s; --data FILE names "+
			"the table of the fit", j.input.Data, dir)
	}
	f := &storedFit{j,
		tobac.Result{Outcome: engine.Outcome{Posterior: p, EdgesPerNode: float64(s.EdgesPerNode)},
			Config: j.fit}}
	if j.fit.Engine.Engine().Name() != s.Engine {
		if f.result.Config.Engine, err = engines.ByName(s.Engine); err != nil {
			return nil, cli.Located(filepath.Join(dir, summaryFile), err)
		}
	}
	return f, nil
}

// compare compares the posterior of a fit with its reference.
func (f *storedFit) compare(ctx context.Context, p *cli.Progress) (*exactSummary, error) {
	f.result.Config.Progress = func(s engine.Progress) {
		if s.Doing != "" {
			p.During("reference: " + s.Doing)
		}
	}
	ref, err := reference.New(ctx, f.train, &f.result)
	if err != nil {
		return nil, err
	}
	c, err := ref.Compare(ctx, f.result.Posterior)
	if err != nil {
		return nil, err
	}
	return newExactSummary(ref, c, f.truth)
}

func newExactSummary(ref *reference.Posterior, c reference.Comparison,
	truth *dag.Graph) (*exactSummary, error) {
	e, err := metrics.EvaluateEdges(ref.Probabilities, truth)
	if err != nil {
		return nil, err
	}
	return &exactSummary{Engine: ref.Engine, MeanAbsError: metrics.Number(c.MeanAbsError),
		LogProbDifference: metrics.Number(c.LogProbDifference),
		LogProbError:      metrics.Number(c.LogProbError),
		StandardError:     metrics.Number(ref.StandardError), ESHD: e.ESHD, AUROC: e.AUROC,
		Notes: ref.Notes, Warnings: append([]string{}, ref.Warnings...)}, nil
}
