package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"
	nodescores "tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bgeTerms evaluates the score of every variable at an adjacency.
func bgeTerms(t *testing.T, lik models.Likelihood, g []float64) []float64 {
	t.Helper()
	d := lik.Vars()
	b := autograd.NewBuilder("bge")
	gn := b.Input("g", autograd.Shape{d, d})
	prior, data := lik.Terms(gn, nil)
	out := evaluate(t, []*autograd.Node{gn}, [][]float64{g}, prior, data)
	if floats.Norm(out[0], 1) != 0 {
		t.Errorf("a model without parameters has the log prior %v", out[0])
	}
	return out[1]
}

func newBGe(t *testing.T, x, mask mat.Matrix, opt models.BGeOptions) models.Likelihood {
	t.Helper()
	lik := must.Get(models.NewBGe(x, mask, opt))(t)
	return lik
}

// TestBGeTerms compares every variable's term with its score in closed form, which package score
// tests by the formula, the authors' program and its laws: on all graphs on four variables of one
// order and, cycles included, on some without an order; with and without interventions, one
// variable being left without rows.
func TestBGeTerms(t *testing.T) {
	const n, d = 11, 4
	rng := newRand(81)
	x := mat.NewDense(n, d, normals(rng, n*d))
	for _, mask := range []mat.Matrix{nil, maskGroups(n, d)} {
		for _, opt := range []models.BGeOptions{{}, {AlphaMu: 0.3, AlphaLambda: 9.5}} {
			lik := newBGe(t, x, mask, opt)
			closed, err := nodescores.NewBGe(x, mask, nodescores.BGeOptions{AlphaMu: opt.AlphaMu,
				AlphaLambda: opt.AlphaLambda, Scale: nodescores.Raw})
			if err != nil {
				t.Fatal(err)
			}
			all := allGraphs(d)
			for range 20 {
				g := make([]float64, d*d)
				for e := range g {
					if e/d != e%d {
						g[e] = math.Round(rng.Float64())
					}
				}
				all = append(all, g...)
			}
			for ; len(all) > 0; all = all[d*d:] {
				want := make([]float64, d)
				for j := range d {
					var parents []int
					for i := range d {
						if all[i*d+j] == 1 {
							parents = append(parents, i)
						}
					}
					want[j] = closed.LogScore(j, parents)
				}
				check(t, fmt.Sprintf("masked %t, %+v, %v", mask != nil, opt, all[:d*d]),
					bgeTerms(t, lik, all[:d*d]), want, 1e-12)
			}
		}
	}
}

// TestBGeGradients compares the derivatives with differences, at hard and soft
// graphs, on and off an order, with interventions and without.
func TestBGeGradients(t *testing.T) {
	const n, d = 11, 5
	rng := newRand(83)
	x := mat.NewDense(n, d, normals(rng, n*d))
	for _, mask := range []mat.Matrix{nil, maskGroups(n, d)} {
		lik := newBGe(t, x, mask, models.BGeOptions{})
		for _, tg := range graphs(rng, d) {
			for i := range d {
				tg.g[i*d+i] = 0 // no variable is its own parent
			}
			if err := gradientsOf(t, lik, tg.g, nil, normals(rng, d)); err != nil {
				t.Errorf("mask %v, %s: %v", mask != nil, tg.kind, err)
			}
		}
	}
}

func TestBGeErrors(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for _, tt := range []struct {
		name    string
		x, mask mat.Matrix
		opt     models.BGeOptions
		want    string
	}{
		{"no data", &mat.Dense{}, nil, models.BGeOptions{},
			"models: BGe: got 0 rows of 0 variables, want at least one of each"},
		{"alpha mu", x, nil, models.BGeOptions{AlphaMu: -1}, "models: BGe: alpha mu -1 and alpha " +
			"lambda 4 on 2 variables, want alpha mu > 0 and alpha lambda > 3"},
		{"alpha lambda", x, nil, models.BGeOptions{AlphaLambda: 3}, "models: BGe: alpha mu 1 and " +
			"alpha lambda 3 on 2 variables, want alpha mu > 0 and alpha lambda > 3"},
		{"alpha lambda infinite", x, nil, models.BGeOptions{AlphaLambda: math.Inf(1)},
			"models: BGe: alpha mu 1 and alpha lambda +Inf on 2 variables, want alpha mu > 0 and " +
				"alpha lambda > 3"},
		{"not a number", mat.NewDense(1, 2, []float64{1, math.Inf(-1)}), nil, models.BGeOptions{},
			"models: data row 1, column 2 is -Inf, want a finite number"},
		{"mask size", x, mat.NewDense(1, 2, nil), models.BGeOptions{},
			"models: mask of interventions is 1×2, want 2×2 as the data"},
		{"mask value", x, mat.NewDense(2, 2, []float64{0, 0, 2, 0}), models.BGeOptions{},
			"models: mask of interventions in row 2, column 1 is 2, want 0 or 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewBGe(tt.x, tt.mask, tt.opt)
			checkError(t, "NewBGe", err, tt.want)
		})
	}
}
