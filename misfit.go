package tobac

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Directions that a model reads off the form of its equations (the shape of the noise,
// curvature) rest on noise that is independent of the causes. Where the noise of the most
// probable graph is not, the form is refuted, and its evidence counts as that of two rows: ζ =
// 1/(1 + n/trustedRows), the rest being that of a linear model of the ranks, which tells no
// more directions than conditional independences do (Miller and Dunson, Robust Bayesian
// inference via coarsening, 2019).
const (
	trustedRows = 2
	refuted     = 1e-5 // probability of so much dependence by chance, in any equation, below which the form is refuted
)

// A formed model reads directions off the form of its equations.
type formed interface{ formed() }

func (GaussianProcess) formed() {}
func (NonGaussian) formed()     {}
func (Additive) formed()        {}

// A Residual score has the standardised residuals of a variable given its parents.
type Residual interface {
	Residuals(j int, parents []int) []float64
}

// A misfit is the strongest dependence of the noise of a variable on one of its parents.
type misfit struct {
	child, parent int
	chance        float64 // of one as strong in any equation
}

// examineNoise tests, in the equations of a graph, whether the noise depends on the parents:
// correlations of the residuals and of their squares with three functions of each parent, all
// of them of ranks.
func examineNoise(data *dataset.Table, g *dag.Graph, s score.Scorer, seed uint64) misfit {
	worst := misfit{chance: 1}
	tests := 0
	for j := range data.Names {
		parents := g.Parents(j)
		if len(parents) == 0 {
			continue
		}
		rows := data.ObservedRows(j)
		if len(rows) < 10 {
			continue
		}
		noise := dataset.ColumnNormalScores(residuals(data, rows, j, parents, s, seed))
		square := make([]float64, len(noise))
		for i, v := range noise {
			square[i] = v * v
		}
		for _, i := range parents {
			q := dataset.ColumnNormalScores(columnOf(data, i, rows))
			bend, twist := make([]float64, len(q)), make([]float64, len(q))
			for k, v := range q {
				bend[k], twist[k] = v*v-1, v*v*v-3*v
			}
			for _, f := range [][]float64{q, bend, twist} {
				for _, e := range [][]float64{noise, square} {
					r := stat.Correlation(e, f, nil)
					if math.IsNaN(r) {
						continue
					}
					tests++
					if p := math.Erfc(math.Abs(r) * math.Sqrt(float64(len(rows))/2)); p < worst.chance {
						worst = misfit{child: j, parent: i, chance: p}
					}
				}
			}
		}
	}
	worst.chance = math.Min(1, worst.chance*float64(max(tests, 1)))
	return worst
}

// residuals are those of a score that has them, or what the mean of a few drawn functions leaves.
func residuals(data *dataset.Table, rows []int, j int, parents []int, s score.Scorer, seed uint64) []float64 {
	if r, ok := s.(Residual); ok {
		return r.Residuals(j, parents)
	}
	const draws = 16
	columns := make([][]float64, len(parents))
	for k, i := range parents {
		columns[k] = columnOf(data, i, rows)
	}
	rest, mean := columnOf(data, j, rows), make([]float64, len(rows))
	for k := range draws {
		f, _, err := decodeGP(len(parents), s.(Functional).FunctionParameters(j, parents, stream.New(seed, stream.FunctionDraw, k)))
		if err != nil {
			panic("tobac: " + err.Error()) // numbers that were just made
		}
		f.Mean(mean, columns)
		floats.AddScaled(rest, -1./draws, mean)
	}
	return rest
}

// blended are hypotheses whose evidence counts in part.
func blended(data *dataset.Table, all []Hypothesis, weight float64) ([]Hypothesis, error) {
	ranks, err := data.NormalScores()
	if err != nil {
		return nil, err
	}
	base, err := plainScores(ranks)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(all)
	for k, h := range all {
		b := &score.Blend{Form: h.Scores, Base: base, Weight: weight}
		switch s := h.Scores.(type) {
		case score.Weighted:
			out[k].Scores = weightedBlend{b, s}
		case Functional:
			out[k].Scores = functionalBlend{b, s}
		default:
			out[k].Scores = b
		}
	}
	return out, nil
}

// A weightedBlend and a functionalBlend have the equations of the form.
type weightedBlend struct {
	*score.Blend
	form score.Weighted
}

func (b weightedBlend) Equation(j int, parents []int) score.Equation {
	return b.form.Equation(j, parents)
}

type functionalBlend struct {
	*score.Blend
	form Functional
}

func (b functionalBlend) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return b.form.FunctionParameters(j, parents, rng)
}

// sentence says what was found and what follows.
func (m misfit) sentence(names []string, weight float64, rows int) string {
	chance := "less than 1e-12"
	if m.chance > 1e-12 {
		chance = fmt.Sprintf("%.0e", m.chance)
	}
	return fmt.Sprintf("the noise of %s depends on %s (by chance with a probability of %s), so that the form of the equations is refuted: its evidence counts as that of %.0f of the %d rows, and directions rest on conditional independences",
		strconv.Quote(names[m.child]), strconv.Quote(names[m.parent]), chance, weight*float64(rows), rows)
}

// trustIn is the part of the evidence of a model, chosen for its evidence, that counts, and why
// it is not all: 1 unless the noise of the most probable graph refutes the form of the
// equations.
func trustIn(data *dataset.Table, m Model, g *dag.Graph, s score.Scorer, cfg *Config) (trust float64, why string) {
	if _, ok := m.(formed); !ok {
		return 1, ""
	}
	found := examineNoise(data, g, s, cfg.Seed)
	if found.chance > refuted {
		return 1, ""
	}
	n, _ := data.X.Dims()
	trust = 1 / (1 + float64(n)/trustedRows)
	return trust, found.sentence(data.Names, trust, n)
}

// trustIn is the part of the evidence of an inference that counts.
func (inf *inference) trustIn(ctx context.Context, data *dataset.Table, cfg *Config) (trust float64, why string, err error) {
	if _, ok := inf.model.(formed); !ok {
		return 1, "", nil
	}
	best := slices.MaxFunc(inf.parts, func(a, b part) int { return cmp.Compare(a.evidence, b.evidence) })
	g, err := best.mostProbable(ctx, cfg)
	if err != nil {
		return 0, "", err
	}
	trust, why = trustIn(data, inf.model, g, best.hypothesis.Scores, cfg)
	return trust, why, nil
}

// coarse is the inference again, of whose evidence a part counts.
func (inf *inference) coarse(ctx context.Context, data *dataset.Table, cfg *Config, trust float64, why string) (*inference, error) {
	blends, err := blended(data, inf.hypotheses, trust)
	if err != nil {
		return nil, err
	}
	coarse, err := exactOver(ctx, data, inf.model, blends, cfg, trust)
	if err != nil {
		return nil, err
	}
	coarse.refuted = why
	return coarse, nil
}
