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
	"syscall"

	"tobac/internal/file"
	"tobac/internal/report"
)

// A keeping is where the results of a fit belong, and what became of them. From the
// end of the inference on nothing discards them: what cannot be computed is left out,
// and what cannot be written here is written elsewhere.
type keeping struct {
	out   string // folder; "": none
	guard file.Guard

	results *file.Set // nil: not open

	saved   string   // folder that holds the results; "": none
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
		if err == nil && os.SameFile(parent, there) && strings.EqualFold(filepath.Base(place), filepath.Base(checkpoint)) {
			return usagef("--checkpoint %s: is where a result is written; choose another file", checkpoint)
		}
	}
	return nil
}

// without notes what is left out of the results, and why.
func (k *keeping) without(what string, err error) {
	k.missing = append(k.missing, what)
	if !errors.Is(err, errInterrupted) {
		k.reasons = append(k.reasons, &locatedError{"no " + what, err})
	}
}

// conclude computes what a finished run says beside its posterior.
func (k *keeping) conclude(ctx context.Context, r *result, j *job, stderr io.Writer) {
	r.summary = newSummary(j, r.Result)
	r.summary.Imputation = newImputationSummary(r.Result, r.imputed)
	r.summary.Columns = r.Columns
	r.summary.Command = r.command.String()
	judged, err := within(ctx, func() (*summary, error) {
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
	found, err := within(ctx, func() (*answers, error) { return r.answer(ctx, j.fit.Workers) })
	if err == nil {
		r.answers = *found
	} else {
		k.without("effects", err)
	}
	if err := r.sign(j); err != nil {
		k.without("id of the run", err)
	}
	r.verdict = r.Result.Verdict()
	r.summary.Verdict = newVerdictSummary(r.verdict)
	warn(stderr, slices.DeleteFunc(slices.Clone(r.summary.Warnings), func(w string) bool { return slices.Contains(r.warned, w) }))
	for _, err := range k.reasons { // which end the command, and are no warnings to it
		r.summary.Warnings = append(r.summary.Warnings, message(err))
	}
}

// draw makes the page of a result.
func (k *keeping) draw(ctx context.Context, r *result, j *job, stderr io.Writer) {
	page, err := within(ctx, func() (*report.Report, error) { return r.draw(ctx, j) })
	switch {
	case err == nil:
		r.page = page
	case errors.Is(err, errInterrupted):
		k.without("report", err)
	default:
		warn(stderr, []string{"no report: " + message(err)})
	}
}

// save writes the files of a result where they belong, or, if that fails, elsewhere.
func (k *keeping) save(r *result) {
	err := k.write(r)
	if err == nil {
		k.saved = k.out
		return
	}
	if errors.As(err, new(*internalError)) {
		r.page = nil // whose writing is most of the work
	}
	k.discard()
	if k.open() == nil && k.write(r) == nil { // the moment or the page was bad, or the folder gone
		k.saved = k.out
		return
	}
	k.elsewhere(r, err)
}

// write writes the files where they belong.
func (k *keeping) write(r *result) error {
	r.folder = k.out
	return guarded(func() error { return r.save(k.results) })
}

// elsewhere writes the files of a result into a new folder beside the one where they
// belong, in the current one, or in that for temporary files.
func (k *keeping) elsewhere(r *result, why error) {
	name := "tobac-results"
	parents := []string{".", os.TempDir()}
	if k.out != "" {
		if path, err := filepath.Abs(k.out); err == nil {
			name = filepath.Base(path) + "-kept"
		}
		parents = slices.Insert(parents, 0, filepath.Dir(filepath.Clean(k.out)))
	}
	for _, parent := range parents {
		other := &keeping{out: unused(parent, name)}
		if other.open() != nil {
			continue
		}
		r.folder = "" // wherever they are moved to
		err := guarded(func() error { return r.save(other.results) })
		other.discard()
		if err == nil {
			k.saved = other.out
			text := "the results are in " + k.saved
			if k.out != "" {
				text += fmt.Sprintf("; to move them: mv %s %s", shellWord(k.saved), shellWord(k.out))
			}
			k.reasons = append(k.reasons, fmt.Errorf("%w; %s", why, text))
			return
		}
	}
	k.reasons = append(k.reasons, fmt.Errorf("%w; the results could not be written anywhere else", why))
}

// unused is a path in a folder at which there is nothing.
func unused(folder, name string) string {
	path := filepath.Join(folder, name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = filepath.Join(folder, fmt.Sprintf("%s-%d", name, n))
	}
}

// unprinted keeps a result whose report could not be printed. Where its reader has
// gone, nobody wants more of it.
func (k *keeping) unprinted(r *result, err error) {
	switch {
	case k.saved != "":
		k.reasons = append(k.reasons, fmt.Errorf("%w; the results are in %s", err, k.saved))
	case errors.Is(err, syscall.EPIPE):
		k.reasons = append(k.reasons, fmt.Errorf("%w; nothing was written: --out DIR keeps the results", err))
	default:
		k.elsewhere(r, err)
	}
}

// verdict is nil if everything was done.
func (k *keeping) verdict(ctx context.Context, j *job) error {
	if j.unkept != nil {
		k.reasons = append(k.reasons, fmt.Errorf("%w; the results are complete, and the state of the run was not kept", j.unkept))
	}
	if ctx.Err() != nil && len(k.missing) > 0 {
		where := "were printed"
		if k.saved != "" {
			where = "are in " + k.saved
		}
		text := fmt.Sprintf("interrupted; the results %s, complete but for %s", where, strings.Join(k.missing, ", "))
		for _, err := range k.reasons {
			text += "; " + message(err)
		}
		return interruptedf("%s", text)
	}
	return errors.Join(k.reasons...)
}
