package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
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

	checkpoint string          // file for the state of the run; "": none
	every      int             // steps between two checkpoints
	resume     *tobac.Snapshot // to continue from; nil: none
	resumeFrom string          // its file
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
		if j.train, j.heldout, err = table.Split(o.holdout, stream.New(o.seed, stream.HeldoutRows)); err != nil {
			return nil, &usageError{&locatedError{"--holdout", err}}
		}
		if interventions != nil { // the same rows: the stream starts anew
			if interventions, j.heldoutInterventions, err = interventions.Split(o.holdout, stream.New(o.seed, stream.HeldoutRows)); err != nil {
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
	j.checkpoint, j.every, j.resumeFrom = o.checkpoint, o.checkpointEvery, o.resume
	if o.resume != "" {
		if j.resume, err = readCheckpoint(o.resume); err != nil {
			return nil, err
		}
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
	c.Seed, c.Workers, c.Precision = o.seed, o.workers, o.precision
	set(&c.Estimator, o.estimator, o.given("estimator"))
	set(&c.Particles, o.particles, o.given("particles"))
	set(&c.Steps, o.steps, o.given("steps"))
	set(&c.Samples, o.samples, o.given("samples"))
	set(&c.NoiseVariance, o.noiseVariance, o.given("noise-variance"))
	set(&c.EdgesPerNode, o.edgesPerNode, o.given("edges-per-node"))
	set(&c.Penalty.Rate, o.penaltyRate, o.given("penalty-rate"))
	c.Orders, c.OrderWeights = o.orders, o.orderWeights
	if c, err = c.WithDefaults(j.config.Variables); err != nil {
		where := "--preset " + o.preset.String()
		switch {
		case errors.Is(err, tobac.ErrNoEvidence):
			where = "--order-weights evidence"
		case o.given("edges-per-node"):
			where = "--edges-per-node"
		}
		return &usageError{&locatedError{where, err}}
	}
	if c.Method == tobac.TOBAC {
		if c.Order, err = parseOrder(o.order, t.Names); err != nil {
			return err
		}
		if _, known := c.Order.(ordering.Fixed); known && o.orders > 0 {
			return usagef("--orders contradicts --order %s: a known order leaves none to find in resamples", o.order)
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
// for the end of the process, and touches neither files nor streams. A run with
// checkpoints is waited for, since its last step is to be kept.
const patience = 500 * time.Millisecond

// sample runs the fit and shows its progress.
func (j *job) sample(ctx context.Context, stderr io.Writer) (*result, error) {
	p := newProgress(stderr, j.fit.Steps)
	defer p.close()
	type outcome struct {
		*result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := j.run(ctx, p)
		done <- outcome{r, err}
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		late := time.After(patience)
		if j.checkpoint != "" && p.begun() {
			late = nil // never
		}
		select {
		case out = <-done:
		case <-late:
			out.err = ctx.Err()
		}
	}
	taken, steps := p.close()
	switch {
	case out.err == nil:
		j.config.set(out.posterior.Config) // with what was estimated
		return out.result, nil
	case ctx.Err() != nil && errors.Is(out.err, ctx.Err()):
		return nil, j.interrupted(taken, steps, p.begun())
	}
	if located := new(locatedError); errors.As(out.err, &located) {
		return nil, out.err
	}
	return nil, &locatedError{j.config.Data, orderError(out.err, j.train.Names)}
}

func (j *job) run(ctx context.Context, p *progress) (*result, error) {
	c := j.fit
	c.Progress = func(s tobac.Progress) { p.step(s.Step) }
	r, err := tobac.NewRun(j.train, c)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if j.resume != nil {
		if err := r.Restore(j.resume); err != nil {
			return nil, &locatedError{j.resumeFrom, err}
		}
	}
	p.begin(r.Warnings(), r.Step(), r.Steps())
	if err := j.advance(ctx, r); err != nil {
		return nil, err
	}
	posterior, err := r.Posterior()
	if err != nil {
		return nil, err
	}
	return &result{posterior: posterior, spread: r.Orders()}, nil
}

// advance takes all steps, and keeps the state where checkpoints are asked for:
// the first at once, so that a place that cannot be written to is found early.
func (j *job) advance(ctx context.Context, r *tobac.Run) error {
	if j.checkpoint == "" {
		return r.Advance(ctx, r.Steps())
	}
	for {
		if err := writeCheckpoint(j.checkpoint, r.Snapshot()); err != nil {
			return &locatedError{"--checkpoint", err}
		}
		if r.Step() == r.Steps() {
			return nil
		}
		if err := r.Advance(ctx, r.Step()+j.every); err != nil {
			if failed := writeCheckpoint(j.checkpoint, r.Snapshot()); failed != nil {
				return &locatedError{"--checkpoint", failed}
			}
			return err
		}
	}
}

// interrupted says where a run stopped, and what is left of it, if it had begun.
func (j *job) interrupted(taken, steps int, begun bool) error {
	at := fmt.Sprintf("after step %d of %d", taken, steps)
	if taken == 0 {
		at = fmt.Sprintf("before the first of %d steps", steps)
	}
	switch {
	case j.checkpoint == "":
		return fmt.Errorf("interrupted %s; nothing was written: --checkpoint FILE would keep the state of the run", at)
	case !begun:
		return fmt.Errorf("interrupted %s; nothing was written", at)
	}
	return fmt.Errorf("interrupted %s; --resume %s continues from there", at, j.checkpoint)
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
