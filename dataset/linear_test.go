package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

func simulate(t *testing.T, g *dag.Graph, c dataset.LinearConfig) *dataset.Simulation {
	t.Helper()
	return must.Get(dataset.SimulateLinear(g, c))(t)
}

func erGraph(t *testing.T, c dataset.ERConfig) *dag.Graph {
	t.Helper()
	return must.Get(dataset.SimulateER(c))(t)
}

// complete returns the graph with every edge i → j, i < j.
func complete(d int) *dag.Graph {
	g := dag.New(d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			g.Set(i, j, true)
		}
	}
	return g
}

func TestLinearDefaults(t *testing.T) {
	g := erGraph(t, dataset.ERConfig{Vars: 12, Seed: 3})
	s := simulate(t, g, dataset.LinearConfig{Seed: 3})
	explicit := simulate(t, g,
		dataset.LinearConfig{Rows: 100, HeldoutRows: 100, NoiseVariance: 0.1, Seed: 3})
	for _, pair := range [][2]*dataset.Table{{s.Train, explicit.Train},
		{s.Heldout, explicit.Heldout}} {
		if !equalTables(pair[0], pair[1]) || rows(pair[0]) != 100 {
			t.Errorf("%d rows, want the published 100 with variance 0.1", rows(pair[0]))
		}
	}
	if s.Train.Names[0] != "X0" || s.Train.Names[11] != "X11" {
		t.Errorf("names %q", s.Train.Names)
	}
	if !s.Graph.Equal(g) || !dag.FromMatrix(s.Weights).Equal(g) {
		t.Error("graph, or the places of the weights, are not those asked for")
	}
}

// For w ~ N(0,1) and θ = w + ½·sign(w): |θ| ≥ ½, E|θ| = ½ + √(2/π), Eθ² = 5/4 + √(2/π), half of the
// signs negative. 1225 weights; the standard deviations of |θ|, θ² and the sign are 0.60, 1.99 and
// 0.5, so five standard errors are 0.086, 0.284 and 0.071.
func TestLinearWeights(t *testing.T) {
	s := simulate(t, complete(50), dataset.LinearConfig{Rows: 1, HeldoutRows: 1, Seed: 11})
	var size, square, negative, count float64
	for _, e := range s.Graph.Edges() {
		theta := s.Weights.At(e.From, e.To)
		if math.Abs(theta) < 0.5 {
			t.Errorf("weight %v of %v is below ½", theta, e)
		}
		size += math.Abs(theta)
		square += theta * theta
		if theta < 0 {
			negative++
		}
		count++
	}
	mean := math.Sqrt(2 / math.Pi)
	laws := []struct {
		name                 string
		got, want, tolerance float64
	}{{"E|θ|", size / count, 0.5 + mean, 0.086}, {"Eθ²", square / count, 1.25 + mean, 0.284},
		{"negative share", negative / count, 0.5, 0.071}}
	for _, law := range laws {
		if math.Abs(law.got-law.want) > law.tolerance {
			t.Errorf("%s: %.3f, want %.3f ± %.3f", law.name, law.got, law.want, law.tolerance)
		}
	}
}

// Least squares of every variable on its parents finds the weights, in the training and in the
// held-out rows, within five standard errors √(σ²·[(XᵀX)⁻¹]_kk); all other variables before it in
// the order get weight zero.
func TestRegressionRecoversTheModel(t *testing.T) {
	const n, variance = 20000, 0.4
	g := erGraph(t, dataset.ERConfig{Vars: 8, Seed: 5})
	s := simulate(t, g,
		dataset.LinearConfig{Rows: n, HeldoutRows: n, NoiseVariance: variance, Seed: 5})
	order := must.Get(g.TopologicalOrder())(t)
	for name, table := range map[string]*dataset.Table{"train": s.Train, "heldout": s.Heldout} {
		t.Run(name, func(t *testing.T) {
			for c, j := range order {
				if c == 0 {
					continue
				}
				before := mat.NewDense(n, c, nil)
				for a, i := range order[:c] {
					before.SetCol(a, mat.Col(nil, i, table.X))
				}
				var gram, inverse, right, theta mat.Dense
				gram.Mul(before.T(), before)
				must.Do(t, inverse.Inverse(&gram))
				right.Mul(before.T(), table.X.ColView(j))
				theta.Mul(&inverse, &right)
				for a, i := range order[:c] {
					got, want, tolerance := theta.At(a, 0), s.Weights.At(i, j),
						5*math.Sqrt(variance*inverse.At(a, a))
					if math.Abs(got-want) > tolerance {
						t.Errorf("weight of %d -> %d: %.4f, want %.4f ± %.4f", i, j, got, want,
							tolerance)
					}
				}
			}
		})
	}
}

// The noise has mean 0, the variance asked for (not its root) in every column, is normal (fourth
// moment 3σ⁴) and independent between variables, rows and the two tables. Standard errors for n
// rows: σ/√n, σ²·√(2/n), 3σ⁴·√(32/3/n), 1/√n for a correlation; five of them.
func TestLinearNoise(t *testing.T) {
	const n, d = 20000, 6
	for _, variance := range []float64{0, 2.5} {
		t.Run(fmt.Sprint(variance), func(t *testing.T) {
			s := simulate(t, complete(d),
				dataset.LinearConfig{Rows: n, HeldoutRows: n, NoiseVariance: variance, Seed: 9})
			if variance == 0 {
				variance = 0.1
			}
			train, heldout := residuals(s.Train, s.Weights), residuals(s.Heldout, s.Weights)
			for j := range d {
				e := mat.Col(nil, j, train)
				check := func(name string, got, want, standardError float64) {
					t.Helper()
					if math.Abs(got-want) > 5*standardError {
						t.Errorf("X%d, %s: %.4f, want %.4f ± %.4f", j, name, got, want,
							5*standardError)
					}
				}
				check("mean", stat.Mean(e, nil), 0, math.Sqrt(variance/n))
				check("variance", stat.MomentAbout(2, e, 0, nil), variance,
					variance*math.Sqrt(2.0/n))
				check("fourth moment", stat.MomentAbout(4, e, 0, nil), 3*variance*variance,
					3*variance*variance*math.Sqrt(32.0/3/n))
				check("next row", stat.Correlation(e[1:], e[:n-1], nil), 0, 1/math.Sqrt(n))
				check("next variable", stat.Correlation(e, mat.Col(nil, (j+1)%d, train), nil), 0,
					1/math.Sqrt(n))
				check("held-out row", stat.Correlation(e, mat.Col(nil, j, heldout), nil), 0,
					1/math.Sqrt(n))
			}
		})
	}
}

func TestLinearStreamsAreSeparate(t *testing.T) {
	g := erGraph(t, dataset.ERConfig{Vars: 10, Seed: 1})
	base := dataset.LinearConfig{Rows: 30, HeldoutRows: 20, Seed: 1}
	s := simulate(t, g, base)
	t.Run("same seed", func(t *testing.T) {
		again := simulate(t, g, base)
		if !equalTables(s.Train, again.Train) || !equalTables(s.Heldout, again.Heldout) ||
			!mat.Equal(s.Weights, again.Weights) {
			t.Error("another run gives other numbers")
		}
	})
	t.Run("other seed", func(t *testing.T) {
		other := base
		other.Seed = 2
		again := simulate(t, g, other)
		if equalTables(s.Train, again.Train) || equalTables(s.Heldout, again.Heldout) ||
			mat.Equal(s.Weights, again.Weights) {
			t.Error("another seed gives the same numbers")
		}
		if erGraph(t, dataset.ERConfig{Vars: 10, Seed: 2}).Equal(g) {
			t.Error("another seed gives the same graph")
		}
	})
	t.Run("more rows", func(t *testing.T) {
		longer := base
		longer.Rows, longer.HeldoutRows = 50, 60
		again := simulate(t, g, longer)
		if !mat.Equal(again.Train.X.Slice(0, 30, 0, 10), s.Train.X) ||
			!mat.Equal(again.Heldout.X.Slice(0, 20, 0, 10), s.Heldout.X) ||
			!mat.Equal(s.Weights, again.Weights) {
			t.Error("more rows change the first ones or the weights")
		}
	})
	t.Run("other graph", func(t *testing.T) {
		edges := g.Edges()
		h := g.Clone()
		removed := edges[len(edges)/2]
		h.Set(removed.From, removed.To, false)
		again := simulate(t, h, base)
		for _, e := range h.Edges() {
			if again.Weights.At(e.From, e.To) != s.Weights.At(e.From, e.To) {
				t.Errorf("without %v the weight of %v changes", removed, e)
			}
		}
		// Noise is what remains; up to rounding it does not depend on the graph.
		if !mat.EqualApprox(residuals(again.Train, again.Weights), residuals(s.Train, s.Weights),
			1e-9) {
			t.Errorf("without %v the noise changes", removed)
		}
	})
	t.Run("graph stays", func(t *testing.T) {
		before := g.Clone()
		s.Graph.Set(0, 1, !s.Graph.Has(0, 1))
		if !g.Equal(before) {
			t.Error("the result shares its graph with the argument")
		}
	})
}

func TestSimulateLinearErrors(t *testing.T) {
	cycle := dag.New(2)
	cycle.Set(0, 1, true)
	cycle.Set(1, 0, true)
	tests := []struct {
		name string
		g    *dag.Graph
		c    dataset.LinearConfig
		want string
	}{
		{"cycle", cycle, dataset.LinearConfig{},
			"dataset: linear model: graph has a cycle: 0 -> 1 -> 0"},
		{"no variables", dag.New(0), dataset.LinearConfig{},
			"dataset: linear model on a graph without variables; allowed: at least 1"},
		{"negative rows", dag.New(1), dataset.LinearConfig{Rows: -1}, "dataset: -1 training and " +
			"100 held-out rows; allowed: at least 1, or 0 for the default 100"},
		{"negative held-out rows", dag.New(1), dataset.LinearConfig{HeldoutRows: -5},
			"dataset: 100 training and -5 held-out rows; allowed: at least 1, or 0 for the " +
				"default 100"},
		{"negative variance", dag.New(1), dataset.LinearConfig{NoiseVariance: -0.1},
			"dataset: noise variance -0.1; allowed: finite numbers above 0, or 0 for the default " +
				"0.1"},
		{"variance NaN", dag.New(1), dataset.LinearConfig{NoiseVariance: math.NaN()},
			"dataset: noise variance NaN; allowed: finite numbers above 0, or 0 for the " +
				"default 0.1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := dataset.SimulateLinear(test.g, test.c); err == nil ||
				err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("overflow", func(t *testing.T) {
		// In a complete graph values grow from variable to variable: noise of size 1e154 leaves the
		// range of float64 before the thousandth.
		_, err := dataset.SimulateLinear(complete(1000),
			dataset.LinearConfig{Rows: 1, HeldoutRows: 1, NoiseVariance: 1e308})
		if err == nil ||
			!strings.HasPrefix(err.Error(), "dataset: linear model overflows: row 1, column ") {
			t.Errorf("error %v, want one that says where the model overflows", err)
		}
	})
}

// The specification's linear data sets (section 12.7) come from another program with the model of
// SimulateLinear: given the true graph and weights, what remains of every variable is noise of
// variance 0.1.
func TestSharedLinearDataFollowTheModel(t *testing.T) {
	folders := must.Get(filepath.Glob(
		filepath.Join("..", "..", "shared", "data", "synthetic", "linear-*")))(t)
	if len(folders) == 0 {
		t.Skip("the specification's data sets are not here")
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			for _, name := range []string{"train.csv", "heldout.csv"} {
				table := must.Get(dataset.ReadFile(filepath.Join(folder, name)))(t)
				n, d := table.X.Dims()
				if n != 100 {
					t.Errorf("%s: %d rows, want 100", name, n)
				}
				edges := must.Get(os.Open(filepath.Join(folder, "graph.csv")))(t)
				defer edges.Close()
				_, weights := must.Two(dag.ReadEdges(edges, "graph.csv", table.Names))(t)
				noise := residuals(table, weights)
				variance := stat.Variance(noise.RawMatrix().Data, nil)
				// The variance of N normal values has standard error 0.1·√(2/N); five of them.
				if tolerance :=
					5 * 0.1 * math.Sqrt(2/float64(n*d)); math.Abs(variance-0.1) > tolerance {
					t.Errorf("%s: noise variance %.4f, want 0.1 ± %.4f", name, variance, tolerance)
				}
			}
		})
	}
}

// residuals returns X − XΘ, n×d.
func residuals(t *dataset.Table, weights mat.Matrix) *mat.Dense {
	var noise mat.Dense
	noise.Mul(t.X, weights)
	noise.Sub(t.X, &noise)
	return &noise
}
