package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/words"
)

// answer computes the total effects, where the draws have parameters.
func (r *result) answer(ctx context.Context, workers int) (*answers, error) {
	functions, err := r.Result.Functions(ctx)
	if err != nil {
		return nil, err
	}
	a := &answers{functions: functions}
	e, err := r.Result.Effects(ctx)
	switch {
	case errors.Is(err, effects.ErrNoParameters) || len(r.Draws) > 0 &&
		r.summary.Cyclic == len(r.Draws):
	case err != nil:
		return nil, err
	default:
		if a.known, a.worth = e.FromPosterior(), worthText(e); r.tooManyEffects() {
			return a, nil
		}
		if a.effects, err = e.All(ctx, workers); err != nil {
			return nil, err
		}
		if r.folder != "" {
			if a.contrasts, err = newContrasts(ctx, e, workers); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// tooManyEffects reports whether there are more columns than results.effects says.
func (r *result) tooManyEffects() bool {
	return len(r.Names) > cmp.Or(r.effectColumns, effectColumns)
}

// printEffects lists the strongest total effects.
func (r *result) printEffects(w io.Writer, dir string) error {
	const most = 10
	if r.worth != "" && r.effects == nil && r.tooManyEffects() {
		fmt.Fprintf(w, "\nTotal effects between all pairs of %d columns were not computed: tobac "+
			"effect has those of one column, --set results.effects=%d all\n", len(r.Names),
			len(r.Names))
	}
	if len(r.effects) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nTotal effects, strongest first: change of E[B] when A is set one unit "+
		"higher, %s%s\n", effectUnits(r.summary.Config.Transform), r.refuted())
	t := cli.NewTable(w)
	fmt.Fprint(t, "  A\tB\teffect")
	if r.known {
		fmt.Fprint(t, "\t90 % interval")
	}
	fmt.Fprintln(t, "\tpath from A to B\tin SDs")
	for _, f := range r.effects[:min(most, len(r.effects))] {
		fmt.Fprintf(t, "  %s\t%s\t%s", r.label(f.From), r.label(f.To), cli.WeightText(f.Mean, f.SD))
		if r.known {
			fmt.Fprintf(t, "\t%s", intervalText(f.Distribution))
		}
		fmt.Fprintf(t, "\t%.2f\t%s\n", f.Path, signed(f.InSD))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(r.effects) - most; more > 0 {
		where := effectsFile + " with --out DIR"
		if dir != "" {
			where = filepath.Join(dir, effectsFile)
		}
		fmt.Fprintf(w, "  and %s (%s)\n", words.Counted(more, "weaker effect"), where)
	}
	text := r.worth
	if d := r.Diagnostics; d != nil && r.known && !math.IsNaN(d.MinESS()) {
		text += fmt.Sprintf(", of Markov chains in which the least certain edge has %.0f",
			d.MinESS())
	}
	fmt.Fprintf(w, "  %s\n", text)
	return nil
}

// effectUnits says what effects are in, also where columns were standardised.
func effectUnits(transform string) string {
	if transform == "none" {
		return "in units of the data"
	}
	return "in units of the transformed columns"
}

// worthText says how many draws effects rest on.
func worthText(e *effects.Effects) string {
	if !e.FromPosterior() {
		return fmt.Sprintf("from %d particles, their spread is not a posterior standard deviation",
			len(e.Weights))
	}
	return fmt.Sprintf("from %d draws, effective sample size %.0f", len(e.Weights),
		e.EffectiveDraws())
}
