package sem_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/must"
	"tobac/models"
	"tobac/models/modeltest"
	"tobac/sem"
)

// The likelihood of columns of all kinds that SVGD samples is one, and the equations that its
// particles get, in the units of the data and in the sequence of the columns, have its density but
// for a constant.
func TestLinesOfKinds(t *testing.T) {
	data := kinds(60, []dataset.Variable{number, category, binary, count, positive, ordered})
	order := []int{3, 1, 5, 0, 4, 2}
	m, _ := sem.As[sem.Differentiable](sem.Generalised{})
	lik := must.Get(m.Likelihood(data.Relabel(order)))(t)
	if err := modeltest.Likelihood(lik, 1); err != nil {
		t.Error(err)
	}
	rng := rand.New(rand.NewPCG(5, 1))
	var apart []float64
	for range 4 {
		g := dag.New(6)
		for i := range 6 {
			for j := i + 1; j < 6; j++ {
				g.Set(i, j, rng.IntN(2) == 1)
			}
		}
		theta := mat.NewDense(1, lik.ParamLen(), nil)
		lik.InitParams(theta.RawRowView(0), rng)
		_, of := must.Two(models.LogJoint(lik, []*dag.Graph{g}, theta))(t)
		rest := lik.(interface {
			Functions(g *dag.Graph, theta []float64, variables []int) []float64
		}).Functions(g, theta.RawRowView(0), order)
		sum := 0.0
		for j := range 6 {
			var parents []int
			for i := range 6 {
				if g.Has(slices.Index(order, i), slices.Index(order, j)) {
					parents = append(parents, i)
				}
			}
			var f *generalised.Function
			f, rest = must.Two(generalised.NewFunction(len(parents), rest))(t)
			for r := range 60 {
				var x []float64
				for _, i := range parents {
					x = append(x, data.X.At(r, i))
				}
				sum += f.LogDensity(data.X.At(r, j), x)
			}
		}
		if len(rest) > 0 {
			t.Errorf("%d numbers after those of all functions", len(rest))
		}
		apart = append(apart, sum-of[0])
	}
	for _, v := range apart {
		if !(math.Abs(v-apart[0]) < 1e-8) {
			t.Errorf(
				"log densities of functions less those of the likelihood %v, want one constant",
				apart)
			break
		}
	}
	constant := kinds(20, []dataset.Variable{number, category})
	for i := range 20 {
		constant.X.Set(i, 0, 3)
	}
	lik = must.Get(m.Likelihood(constant))(t)
	if err := modeltest.Likelihood(lik, 1); err != nil {
		t.Errorf("a constant column: %v", err)
	}
}
