package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tobac/background"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/sem"
)

// compare settles the model, if there is a choice: the one whose log evidences have the greatest mean. Tables whose fit ends with that are
// then fitted already, unless another model is taken.
func (f *imputedFit) compare(ctx context.Context) error {
	if f.data.Count == 1 {
		f.shared.Scale = nil // that of the table, to the bit
		return nil
	}
	cfg := f.cfg
	_, fits := f.engine.(*sums.Exact) // whether what is computed for the evidences is the fit
	if particles, ok := f.engine.(*stein.SVGD); ok {
		if cfg.Order.Known != nil || cfg.Order.Method != nil {
			return nil
		}
		cfg.Model, cfg.Engine = nil, particles.OrderEngine
		if !cfg.Prior.IsModular() {
			cfg.Prior = background.Prior{} // as for the orders of a single table
		}
	} else if cfg.Model != nil || f.engine.Name() == "dibs" {
		return nil
	}
	for k := range f.data.Count {
		c := cfg
		c.Seed, c.Order = f.config(k).Seed, engine.Order{Known: cfg.Order.Known}
		if fits {
			r, err := f.run(ctx, k, c)
			if err != nil {
				return f.located(k, err)
			}
			f.results[k] = r
			f.evidence = append(f.evidence, r.Evidence)
			continue
		}
		r, err := newRun(ctx, f.data.Table(k), c, engine.Shared{})
		if err != nil {
			return f.located(k, err)
		}
		f.evidence = append(f.evidence, r.problem.Evidence)
		r.Close()
	}
	return f.average()
}

// average averages the evidences, and takes the model.
func (f *imputedFit) average() error {
	f.averaged = slices.Clone(f.evidence[0])
	for m := range f.averaged {
		e := &f.averaged[m]
		e.Log = 0
		for k, all := range f.evidence {
			e.Log += all[m].Log / float64(len(f.evidence))
			if math.IsNaN(all[m].Log) && !math.IsNaN(f.evidence[0][m].Log) {
				e.Note = fmt.Sprintf("in completed table %d: %s", k+1, all[m].Note)
			}
		}
		if !math.IsNaN(e.Log) {
			e.Note = strings.TrimPrefix(fmt.Sprintf("%s, mean over %d completed tables", e.Note, len(f.evidence)), ", ")
			if f.evidence[0][m].Note == "" {
				e.Note = "log evidence, " + e.Note
			}
		}
	}
	best := greatest(f.averaged)
	for _, m := range new(engine.Problem).ScoredModels() {
		if m.String() == best.Model {
			f.shared.Model = m
		}
	}
	if f.shared.Model == nil {
		return errors.New("tobac: no model can be computed for all completed tables")
	}
	return nil
}

// greatest is the greatest evidence of a list; without a known one, that of no model.
func greatest(all []sem.Evidence) sem.Evidence {
	best := sem.Evidence{Log: math.Inf(-1)}
	for _, e := range all {
		if e.Log > best.Log {
			best = e
		}
	}
	return best
}
