package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/cli"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/stream"
	"tobac/internal/table"
	"tobac/ordering"
	"tobac/posterior"
)

// prepare reads the data, or the embedded ones for an empty path, and
// everything else that the options name.
func prepare(o fitOptions, data string, stdin io.Reader) (*job, error) {
	if o.given("holdout") && o.heldout != "" {
		return nil, cli.Usagef("--holdout and --heldout contradict each other: rows are held out " +
			"of the data, or come from a file")
	}
	j := &job{input: inputConfig{Recipe: o.recipe.String(), Engine: o.engine, Heldout: o.heldout,
		Holdout: o.holdout, Truth: o.truth, Interventions: o.interventions, Order: o.order,
		Prior: o.prior, Knowledge: o.knowledge.file}}
	table, err := j.readData(&o, data, stdin)
	if err != nil {
		return nil, err
	}
	if j.fit, err = o.configure(table.Names); err != nil {
		return nil, err
	}
	j.why = o.why
	if j.beside, err = o.comparison(&j.fit, table, data == ""); err != nil {
		return nil, err
	}
	if j.beside {
		j.particles = &stein.SVGD{}
		if err := o.setGiven(topics(&j.fit, j.particles)[0]); err != nil {
			return nil, err
		}
	}
	if err := j.exclude(); err != nil {
		return nil, err
	}
	if o.interventions != "" {
		mask, err := j.interventions(o.interventions, table)
		if err != nil {
			return nil, err
		}
		table.Intervened = mask.X
	}
	if o.truth != "" {
		if j.truth, err = readTruth(o.truth, table.Names); err != nil {
			return nil, err
		}
	}
	if err := j.split(o, table); err != nil {
		return nil, err
	}
	n, d := j.train.X.Dims()
	if err := o.checkUnused(j, n, d); err != nil {
		return nil, err
	}
	if n*d > manyNumbers {
		debug.FreeOSMemory() // what reading a large table left behind, before the run takes its own
	}
	j.quiet, j.checkpoint, j.every, j.resume, j.resumeFrom, j.command = o.quiet, o.checkpoint,
		o.checkpointEvery, o.resumed, o.resume, o.command
	return j, nil
}

// manyNumbers is how many a table has before memory is of concern.
const manyNumbers = 4 << 20

// How many numbers and columns a table has while what its analysis keeps is small.
const (
	fewNumbers = 1 << 16
	fewColumns = 12
)

// readData reads the table. For the embedded one it sets what their options
// leave open.
func (j *job) readData(o *fitOptions, path string, stdin io.Reader) (t *dataset.Table, err error) {
	if path == "" {
		j.input.Data = cli.EmbeddedSachs
		if t, j.truth, err = dataset.Sachs(); err != nil {
			return nil, err
		}
		if o.truth == "" {
			j.input.Truth = cli.EmbeddedSachs
		}
		if !o.given("data.standardize") {
			o.standardize = o.recipe == recipePaper
		}
		if err := o.noTableOptions(); err != nil {
			return nil, err
		}
	} else {
		if j.table, err = o.readTable(path, stdin); err != nil {
			return nil, err
		}
		t = j.table.Numbers()
		// else memory holds a second copy of a large table
		j.table.Data, j.table.Incomplete = nil, nil
		o.imputedTogether, o.limits = j.table.Together(), j.table.Limits
		j.input.Data, j.input.Table, j.input.Notes = cli.DataLabel(path), o.table.want.Flags(),
			j.table.Notes
		j.warnings = j.table.Warnings
	}
	n, d := t.X.Dims()
	j.input.Variables = d
	if err := checkColumns(d); err != nil {
		return nil, cli.Located(j.input.Data, err)
	}
	switch {
	case d < 2:
		return nil, fmt.Errorf("%s: got a single column, want at least 2: one variable has no "+
			"edges to infer", j.input.Data)
	case n < 2:
		return nil, fmt.Errorf("%s: got a single row, want at least 2", j.input.Data)
	case n*d <= fewNumbers && d <= fewColumns && os.Getenv("GOGC") == "":
		// An analysis keeps some megabytes: collecting seldom saves a twentieth of the time.
		debug.SetGCPercent(400)
	}
	return t, nil
}

// split transforms the table, holds rows out, and scales the others.
func (j *job) split(o fitOptions, t *dataset.Table) (err error) {
	if hasGaps(t) {
		return j.splitGaps(o, t)
	}
	if o.given("imputation.tables") || o.given("imputation.rounds") {
		j.input.Notes = append(j.input.Notes, "no value is missing, so that none is imputed")
	}
	if !o.given("data.transform") {
		if err := j.logarithms(&o, t); err != nil {
			return err
		}
	}
	if t, err = o.transform.Apply(t); err != nil {
		return cli.Located(j.input.Data, err)
	}
	if o.outliers == table.DoubtfulDrop && j.table != nil {
		// A caller that is interrupted does not wait for this.
		rest, warning, err := tobac.Outliers(context.Background(), t, j.fit)
		if err != nil {
			return cli.Located(j.input.Data, err)
		}
		if rest != nil {
			t = t.Rows(rest)
			j.warnings = append(j.warnings, warning+"; --set data.outliers=keep keeps them")
		}
	}
	if o.standardize || o.center {
		mean, sd := t.Moments()
		if _, err := t.Standardize(); o.standardize && err != nil {
			return cli.Located(j.input.Data, err)
		}
		j.scaling = &posterior.Standardization{Mean: mean, SD: sd}
		if !o.standardize {
			j.scaling.SD = ones(len(sd))
		}
	}
	switch {
	case o.given("holdout"):
		if t, j.heldout,
			err = t.Split(o.holdout, stream.New(o.seed, stream.HeldoutRows)); err != nil {
			return cli.WrongUse(cli.Located("--holdout", err))
		}
	case o.heldout != "":
		if o.transform == table.NormalScores {
			return cli.Usagef("--heldout contradicts data.transform=normal-scores: ranks are " +
				"computed within one table")
		}
		if j.heldout, err = j.readHeldout(&o, t.Names); err != nil {
			return err
		}
		if j.heldout, err = o.transform.Apply(j.heldout); err != nil {
			return cli.Located(o.heldout, err)
		}
	}
	j.train = t
	if j.scaling != nil {
		j.train = &dataset.Table{Names: t.Names, X: j.scaling.Apply(t.X), Intervened: t.Intervened}
	}
	j.input.Transform, j.input.Center, j.input.Standardize = o.transform.String(), o.center,
		o.standardize
	j.input.TrainingRows, _ = j.train.X.Dims()
	j.input.Digest = tableDigest(j.train)
	if j.heldout != nil {
		j.input.HeldoutRows, _ = j.heldout.X.Dims()
	}
	return nil
}

// logarithms sets the transform to log where the data support it by their evidence.
func (j *job) logarithms(o *fitOptions, t *dataset.Table) error {
	if o.heldout != "" || o.standardize || o.center {
		return nil
	}
	// A caller that is interrupted does not wait for this.
	logs, note, err := tobac.Logarithms(context.Background(), t, j.fit)
	if err != nil {
		return cli.Located(j.input.Data, err)
	}
	if logs != nil {
		o.transform = table.Log
		j.input.Notes = append(j.input.Notes, note+" (--set data.transform=none keeps the numbers)")
	}
	return nil
}

// patience is how long an interrupted run may take to reach the end of its
// step. A step of a large model takes longer; its goroutine is then left behind
// for the end of the process, and touches neither files nor streams. While a run with
// checkpoints takes steps it is waited for, since its last step is to be kept.
const patience = 500 * time.Millisecond

// infer runs the fit and shows its progress.
func (j *job) infer(ctx context.Context, stderr io.Writer) (*result, error) {
	p := cli.NewProgress(stderr, j.quiet)
	defer p.Close()
	type outcome struct {
		*result
		err error
	}
	done, stepped := make(chan outcome, 1), make(chan struct{})
	go func() {
		var out outcome
		out.err = cli.Guarded(func() (err error) {
			out.result, err = j.run(ctx, p, func() { close(stepped) })
			return err
		})
		done <- out
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		stepping := stepped // nil if none is left: the rest is computed again
		for waits := true; waits; {
			select {
			case out = <-done:
				waits = false
			case <-stepping:
				stepping = nil
			case <-time.After(patience):
				if waits = j.checkpoint != "" && p.Begun() && stepping != nil; !waits {
					out.err = ctx.Err()
				}
			}
		}
	}
	taken, steps := p.Close()
	switch {
	case out.err == nil:
		return out.result, nil
	case ctx.Err() != nil && errors.Is(out.err, ctx.Err()):
		return nil, j.interrupted(taken, steps, p.Begun())
	}
	if errors.Is(out.err, orders.ErrNoEvidence) {
		return nil, cli.WrongUse(cli.Located("order.weights=evidence", out.err))
	}
	if located := new(cli.LocatedError); errors.As(out.err, &located) {
		return nil, out.err
	}
	return nil, cli.Located(j.input.Data, orderError(out.err, j.train.Names))
}

// run computes the posterior, and calls stepped once all steps are taken and kept.
func (j *job) run(ctx context.Context, p *cli.Progress, stepped func()) (_ *result, err error) {
	if j.gapped != nil {
		return j.runImputed(ctx, p)
	}
	c := j.fit
	c.Progress = func(s engine.Progress) { p.Step(s) }
	r, err := tobac.NewRun(ctx, j.train, c)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if j.resume != nil {
		if err := r.Restore(ctx, j.resume.Snapshot); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, j.resume.restoreError(j.command, j.resumeFrom, err)
		}
	}
	otherVersion := j.resume.warnings(j.resumeFrom)
	early := slices.Concat(j.warnings, r.Warnings(), otherVersion)
	p.Begin(early, r.Step(), r.Steps())
	if err := j.advance(ctx, r, p); err != nil {
		return nil, err
	}
	stepped()
	done, err := r.Result(ctx)
	if err != nil {
		return nil, err
	}
	done.Warnings = slices.Concat(done.Warnings, otherVersion)
	done.Standardization = compose(j.scaling, done.Standardization)
	if j.scaling != nil {
		done.Columns = effects.InDataUnits(done.Columns, j.scaling.Mean, j.scaling.SD)
	}
	out := &result{Result: done, warned: early}
	if j.scaling == nil {
		out.train = j.train
	}
	return out, nil
}

// advance takes all steps, and keeps the state where checkpoints are asked for:
// the first at once, so that a place that cannot be written to is found early. One that
// fails later does not end the run: the next may succeed.
func (j *job) advance(ctx context.Context, r *tobac.Run, p *cli.Progress) error {
	if j.checkpoint == "" {
		return r.Advance(ctx, r.Steps())
	}
	begun := time.Now()
	if j.keep(r, j.checkpoint); j.unkept != nil {
		return j.unkept
	}
	for kept := time.Now(); r.Step() < r.Steps(); {
		stopped := r.Advance(ctx, r.Step()+min(j.every, r.Steps()-r.Step()))
		took := kept.Sub(begun) // by the last checkpoint
		if stopped == nil && r.Step() < r.Steps() && time.Since(kept) < checkpointPause*took {
			continue
		}
		begun = time.Now()
		former := j.unkept
		if j.keep(r, j.checkpoint); j.unkept != nil && former == nil && stopped == nil {
			p.Warn(cli.Message(j.unkept) +
				"; the run continues, and tries again at the next checkpoint")
		}
		kept = time.Now()
		if stopped == nil {
			continue
		}
		return stopped
	}
	return nil
}

// checkpointPause times as long as a checkpoint took no other one is written, so that they take a
// tenth of the time at most, but for the first and the last.
var checkpointPause time.Duration = 9

// keep writes the state of a run, or says in unkept why that failed.
func (j *job) keep(r *tobac.Run, path string) {
	j.unkept = cli.Guarded(func() error {
		s, err := r.Snapshot()
		if err == nil {
			err = writeCheckpoint(path, j.command, s)
		}
		if err != nil {
			return cli.Located("--checkpoint", err)
		}
		return nil
	})
}

// interrupted says where a run stopped, and what is left of it, if it had begun.
func (j *job) interrupted(taken, steps int, begun bool) error {
	at := fmt.Sprintf("after step %d of %d", taken, steps)
	if taken == 0 {
		at = "before the first step"
	}
	switch {
	case j.checkpoint == "" && taken > 0:
		return cli.Interruptedf("interrupted %s; nothing was written: --checkpoint FILE would "+
			"keep the state of the run", at)
	case j.checkpoint == "" || !begun:
		return cli.Interruptedf("interrupted %s; nothing was written", at)
	case j.unkept != nil:
		return cli.Interruptedf("interrupted %s; %s; to continue from an earlier step: %s", at,
			cli.Message(j.unkept), resumeWith(j.command, j.checkpoint))
	}
	return cli.Interruptedf("interrupted %s; to continue: %s", at,
		resumeWith(j.command, j.checkpoint))
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

// noTableOptions refuses options for a data file where there is none.
func (o *fitOptions) noTableOptions() error {
	for _, name := range []string{"columns", "drop", "missing", "kind", "categories"} {
		if o.given(name) {
			return cli.Usagef("--%s is for a data file: the embedded data are complete numbers",
				name)
		}
	}
	for _, name := range []string{"rows", "keep", "ordinal", "missing-code", "dependent", "copies",
		"outliers", "dates", "censored", "sheet", "header", "names", "skip", "delimiter",
		"comment"} {
		if o.given("data." + name) {
			return cli.Usagef("data.%s is for a data file: the embedded data are complete numbers",
				name)
		}
	}
	return nil
}

// interventions reads the marks for the data of a job.
func (j *job) interventions(path string, t *dataset.Table) (*dataset.Table, error) {
	if j.table == nil {
		return readInterventions(path, t)
	}
	return interventionsOf(path, j.table)
}

// readHeldout reads the held-out rows for the data of a job.
func (j *job) readHeldout(o *fitOptions, names []string) (*dataset.Table, error) {
	if j.table == nil {
		return readHeldout(o.heldout, names)
	}
	t, notes, warnings, err := o.table.heldoutOf(o.heldout, j.table)
	j.input.Notes, j.warnings = append(j.input.Notes, notes...), append(j.warnings, warnings...)
	return t, err
}

// exclude rules out edges between indicators of one variable and, where the engine draws graphs
// under node scores, into what no other column causes.
func (j *job) exclude() error {
	if j.table == nil {
		return nil
	}
	columns := j.table.Columns
	if j.fit.Order.Known == nil && (j.fit.Engine == nil || drawsOrders(j.fit.Engine)) {
		priors.AddColumns(&j.fit.Prior, j.table.Given(), j.table.Years())
	}
	j.fit.Prior.Exclusive = j.table.ExclusivePairs()
	for _, e := range j.fit.Prior.Exclusive {
		for _, e := range []dag.Edge{e, {From: e.To, To: e.From}} {
			if slices.Contains(j.fit.Prior.Required, e) {
				return cli.Usagef("--require %s,%s contradicts --categories indicators: both are "+
					"levels of %s", columns[e.From].Name, columns[e.To].Name,
					columns[e.From].Source)
			}
		}
	}
	return nil
}
