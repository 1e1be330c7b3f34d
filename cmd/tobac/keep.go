package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/explain"
	"tobac/internal/file"
	"tobac/internal/report"
)

// A keeping is where the results of a fit belong, and what became of them. From the
// end of the inference on what cannot be computed is left out.
type keeping struct {
	out   string // folder; "" means none
	guard file.Guard

	results *file.Set // nil means not open

	saved   string   // folder that holds the results; "" means none
	missing []string // what was left out of them: the metrics, ...
	reasons []error  // why, and what else failed
}

// open prepares the folder.
func (k *keeping) open() (err error) {
	if k.out == "" {
		return nil
	}
	k.results, err = file.OpenSet(k.out, append(outputNames(fitOutputs), figureFiles()...), k.guard)
	return err
}

func (k *keeping) discard() { k.results.Discard() }

// checkApart finds a checkpoint in the place of a result.
func (k *keeping) checkApart(checkpoint string) error {
	if k.out == "" {
		return nil
	}
	parent, err := os.Stat(filepath.Dir(checkpoint))
	if err != nil {
		return file.WithPath(checkpoint, err)
	}
	for _, name := range append(fitFiles(), figureFiles()...) {
		place := filepath.Join(k.out, name)
		there, err := os.Stat(filepath.Dir(place))
		if err == nil && os.SameFile(parent, there) &&
			strings.EqualFold(filepath.Base(place), filepath.Base(checkpoint)) {
			return cli.Usagef("--checkpoint %s is a file of the results; choose another file",
				checkpoint)
		}
	}
	return nil
}

// without notes what is left out of the results, and why.
func (k *keeping) without(what string, err error) {
	k.missing = append(k.missing, what)
	if !errors.Is(err, cli.ErrInterrupted) {
		k.reasons = append(k.reasons, cli.Located("no "+what, err))
	}
}

// conclude computes metrics, effects and verdict of a finished run.
func (k *keeping) conclude(ctx context.Context, r *result, j *job, stderr io.Writer) {
	r.folder = k.out
	r.summary = newSummary(j, r.Result)
	r.summary.Imputation = newImputationSummary(r.Result, r.imputed)
	r.summary.Columns = r.Columns
	r.summary.Command = r.command.String()
	judged, err := cli.Within(ctx, func() (*summary, error) {
		s := r.summary
		return &s, s.evaluate(j, r.Result)
	})
	switch {
	case err != nil:
		r.summary.noMetrics(err)
		k.without("metrics", err)
	case judged.Failed != "":
		k.without("density of held-out rows", errors.New(judged.Failed))
		fallthrough
	default:
		r.summary = *judged
	}
	found, err := cli.Within(ctx, func() (*answers, error) { return r.answer(ctx, j.fit.Workers) })
	if err == nil {
		r.answers = *found
	} else {
		k.without("effects", err)
	}
	if err := r.sign(j); err != nil {
		k.without("id of the run", err)
	}
	r.verdict = explain.Of(r.Result)
	r.summary.Verdict = newVerdictSummary(r.verdict)
	cli.Warn(stderr, slices.DeleteFunc(slices.Clone(r.summary.Warnings), func(w string) bool {
		return slices.Contains(r.warned, w)
	}))
	for _, err := range k.reasons { // which end the command, and are no warnings to it
		r.summary.Warnings = append(r.summary.Warnings, cli.Message(err))
	}
}

// draw makes the page of a result.
func (k *keeping) draw(ctx context.Context, r *result, j *job, stderr io.Writer) {
	page, err := cli.Within(ctx, func() (*report.Report, error) { return r.draw(ctx, j) })
	switch {
	case err == nil:
		r.page = page
	case errors.Is(err, cli.ErrInterrupted):
		k.without("report", err)
	default:
		cli.Warn(stderr, []string{"no report: " + cli.Message(err)})
	}
}

// save writes the files of a result, or notes why it cannot.
func (k *keeping) save(r *result) {
	err := k.write(r)
	if err != nil {
		if errors.As(err, new(*cli.InternalError)) {
			r.page = nil // whose writing is most of the work
		}
		k.discard()
		// the moment or the page was bad, or the folder gone
		if k.open() == nil && k.write(r) == nil {
			err = nil
		}
	}
	if err != nil {
		k.reasons = append(k.reasons, err)
		return
	}
	k.saved = k.out
}

// write writes the files where they belong.
func (k *keeping) write(r *result) error {
	return cli.Guarded(func() error { return r.save(k.results) })
}

// unprinted notes that the report could not be printed.
func (k *keeping) unprinted(err error) {
	if k.saved != "" {
		err = fmt.Errorf("%w; the results are in %s", err, k.saved)
	} else {
		err = fmt.Errorf("%w; nothing was written: --out DIR keeps the results", err)
	}
	k.reasons = append(k.reasons, err)
}

// verdict is nil if everything was done.
func (k *keeping) verdict(ctx context.Context, j *job) error {
	if j.unkept != nil {
		k.reasons = append(k.reasons,
			fmt.Errorf("%w; the results are complete, and the state of the run was not kept",
				j.unkept))
	}
	if ctx.Err() != nil && len(k.missing) > 0 {
		where := "were printed"
		if k.saved != "" {
			where = "are in " + k.saved
		}
		text := fmt.Sprintf("interrupted; the results %s, complete except for %s", where,
			strings.Join(k.missing, ", "))
		for _, err := range k.reasons {
			text += "; " + cli.Message(err)
		}
		return cli.Interruptedf("%s", text)
	}
	return errors.Join(k.reasons...)
}
