package tobac_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/impute"
	"tobac/internal/must"
	"tobac/sem"
)

var long = flag.Bool("long", false,
	"run the experiments with missing values of bench/notes/imputation.md in full")

// gapSetting is an experiment: simulated linear tables from which values are taken out.
type gapSetting struct {
	model sem.Model
	d, n  int
	part  float64 // of the values is missing
	// whether a value is missing depends on the first column, which has none missing: MAR, else
	// MCAR
	dependent  bool
	tables     int // completed ones
	simulation int // number of simulated tables
}

// gapFigures are the mean absolute differences of edge probabilities from those of the complete
// data, over all ordered pairs, with those of completed tables (imputed, and once without drawing
// values again), of the rows without gaps (dropped), and of means in the place of gaps (filled);
// and the mean squared differences from the true graph.
type gapFigures struct {
	imputed, once, dropped, filled                                    float64
	brierComplete, brierImputed, brierOnce, brierDropped, brierFilled float64
	rows                                                              float64 // without gaps
	// edges listed with ≥ .95 that are not true
	falseComplete, falseImputed, falseOnce, falseDropped, falseFilled int
	// edges listed with ≥ .95
	listedComplete, listedImputed, listedOnce, listedDropped, listedFilled int
}

// measure runs an experiment.
func (s gapSetting) measure(t testing.TB) (f gapFigures) {
	t.Helper()
	runs := float64(s.simulation)
	for run := range s.simulation {
		rng := rand.New(rand.NewPCG(uint64(run), 77))
		sim := linearTable(t, s.d, s.n, uint64(run))
		complete, gaps := sim.Train, s.gaps(sim.Train, rng)
		cfg := tobac.Config{Model: s.model, Seed: 1, Workers: 2}
		c := must.Get(impute.Complete(context.Background(), gaps,
			impute.Settings{Count: s.tables, Seed: uint64(run), Workers: 2}))(t)
		with := func(x *mat.Dense) *dataset.Table {
			return &dataset.Table{Names: complete.Names, X: x}
		}
		want := fit(t, complete, cfg).Probabilities
		imputed := fitImputed(t, tobac.Imputed{Count: c.Count(), Places: c.Places(),
			Table: func(k int) *dataset.Table { return with(c.Table(k)) }}, cfg).Probabilities
		once, dropped, filled := want, mat.NewDense(s.d, s.d, nil), want
		if *long {
			once = fitImputed(t, tobac.Imputed{Count: c.Count(), Table: func(k int) *dataset.Table {
				return with(c.Table(k))
			}}, cfg).Probabilities
			filled = fit(t, with(meansInGaps(gaps)), cfg).Probabilities
		}
		if rows := withoutGaps(gaps); rows != nil {
			n, _ := rows.Dims()
			f.rows += float64(n) / runs
			dropped = fit(t, with(rows), cfg).Probabilities
		}
		for _, p := range []struct {
			m           *mat.Dense
			away, brier *float64
			list, wrong *int
		}{{want, new(float64), &f.brierComplete, &f.listedComplete, &f.falseComplete},
			{imputed, &f.imputed, &f.brierImputed, &f.listedImputed, &f.falseImputed},
			{once, &f.once, &f.brierOnce, &f.listedOnce, &f.falseOnce},
			{dropped, &f.dropped, &f.brierDropped, &f.listedDropped, &f.falseDropped},
			{filled, &f.filled, &f.brierFilled, &f.listedFilled, &f.falseFilled}} {
			pairs := float64(s.d * (s.d - 1))
			for i := range s.d {
				for j := range s.d {
					truth := 0.0
					if sim.Graph.Has(i, j) {
						truth = 1
					}
					v := p.m.At(i, j)
					*p.away += math.Abs(v-want.At(i, j)) / pairs / runs
					*p.brier += (v - truth) * (v - truth) / pairs / runs
					if v >= 0.95 {
						*p.list++
						*p.wrong += int(1 - truth)
					}
				}
			}
		}
	}
	return f
}

// linearTable simulates rows of a linear model with one edge per variable.
func linearTable(t testing.TB, d, n int, seed uint64) *dataset.Simulation {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	order := rng.Perm(d)
	g := dag.New(d)
	for e := 0; e < d; {
		a, b := rng.IntN(d), rng.IntN(d)
		if a < b && !g.Has(order[a], order[b]) {
			g.Set(order[a], order[b], true)
			e++
		}
	}
	s := must.Get(dataset.SimulateLinear(g,
		dataset.LinearConfig{Rows: n, HeldoutRows: 1, Seed: seed}))(t)
	return s
}

// gaps takes values out, but never a whole row.
func (s gapSetting) gaps(data *dataset.Table, rng *rand.Rand) *mat.Dense {
	out := mat.DenseCopyOf(data.X)
	mean, sd := data.Moments()
	for i := range s.n {
		part := s.part
		if s.dependent { // from none to twice the part, by the first column
			part = 2 * s.part / (1 + math.Exp(-3*(data.X.At(i, 0)-mean[0])/sd[0]))
		}
		for j := 1; j < s.d; j++ {
			if rng.Float64() < part {
				out.Set(i, j, math.NaN())
			}
		}
		if j := rng.IntN(s.d); !s.dependent && rng.Float64() < part && j != 0 {
			out.Set(i, 0, math.NaN())
			out.Set(i, j, data.X.At(i, j))
		}
	}
	return out
}

// withoutGaps are the rows without a gap; nil means fewer than two.
func withoutGaps(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	var values []float64
	for i := range n {
		if row := x.RawRowView(i); !math.IsNaN(mat.Sum(mat.NewVecDense(d, row))) {
			values = append(values, row...)
		}
	}
	if len(values) < 2*d {
		return nil
	}
	return mat.NewDense(len(values)/d, d, values)
}

// meansInGaps has the mean of the observed values of a column in the place of its gaps.
func meansInGaps(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	out := mat.DenseCopyOf(x)
	for j := range d {
		sum, count := 0.0, 0.0
		for i := range n {
			if v := x.At(i, j); !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		for i := range n {
			if math.IsNaN(x.At(i, j)) {
				out.Set(i, j, sum/count)
			}
		}
	}
	return out
}

// Edge probabilities from imputation are nearer to those of the complete data than those from the
// rows without gaps, with 5 % and with 20 % of the values missing. The experiment is run in full,
// and printed as a table, with -long.
func TestImputationAgainstDropping(t *testing.T) {
	if !*long {
		for _, part := range []float64{0.05, 0.2} {
			f := gapSetting{model: sem.BGe{}, d: 4, n: 150, part: part, tables: 4,
				simulation: 2}.measure(t)
			t.Logf("%.0f %% missing: distance %.4f imputed, %.4f dropped; squared distance from "+
				"the truth %.4f imputed, %.4f dropped, %.4f complete",
				100*part, f.imputed, f.dropped, f.brierImputed, f.brierDropped, f.brierComplete)
			if !(f.imputed < 0.8*f.dropped) {
				t.Errorf("%.0f %% missing: edge probabilities differ from those of the complete "+
					"data by %.4f with imputation, by %.4f with the rows without gaps", 100*part,
					f.imputed, f.dropped)
			}
		}
		return
	}
	t.Log("\n| model, columns | missing | rows without gaps | distance: imputed | once | dropped " +
		"| means | Brier: complete | imputed | once | dropped | means | false of listed: " +
		"complete | imputed | once | dropped | means |\n|" + strings.Repeat(" --- |", 17))
	for _, model := range []sem.Model{sem.Linear{}, sem.BGe{}} {
		for _, d := range []int{5, 8, 10} {
			for _, kind := range []struct {
				part      float64
				dependent bool
			}{{0.05, false}, {0.2, false}, {0.2, true}} {
				s := gapSetting{model: model, d: d, n: 200, part: kind.part,
					dependent: kind.dependent, tables: 10, simulation: 6}
				name := "MCAR"
				if s.dependent {
					name = "MAR"
				}
				t.Run(fmt.Sprintf("%v, %d, %.0f %s", model, d, 100*s.part, name),
					func(t *testing.T) {
						f := s.measure(t)
						t.Logf("| %v, %d | %.0f %% %s | %.0f of %d | **%.3f** | %.3f | %.3f | "+
							"%.3f | "+
							"%.4f | **%.4f** | %.4f | %.4f | %.4f | %d of %d | **%d of %d** | %d "+
							"of %d | %d of %d | %d of %d |", model, d, 100*s.part, name, f.rows,
							s.n,
							f.imputed, f.once, f.dropped, f.filled, f.brierComplete, f.brierImputed,
							f.brierOnce, f.brierDropped, f.brierFilled,
							f.falseComplete, f.listedComplete, f.falseImputed, f.listedImputed,
							f.falseOnce, f.listedOnce, f.falseDropped, f.listedDropped,
							f.falseFilled, f.listedFilled)
						if !(f.imputed < f.dropped) {
							t.Errorf("distance %.4f with imputation, %.4f with the rows without "+
								"gaps",
								f.imputed, f.dropped)
						}
					})
			}
		}
	}
}
