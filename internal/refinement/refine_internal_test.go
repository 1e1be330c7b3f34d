package refinement

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"tobac/internal/additive"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Refined where it matters, a table of scores has the posterior of one in which every equation is
// fitted: evidence within .2 nats, edge probabilities within .01. Without refinement it has not.
func TestRefine(t *testing.T) {
	const n, d = 150, 6
	rng := rand.New(rand.NewPCG(3, 7))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := math.Exp(rng.NormFloat64())
			for k := max(0, j-3); k < j; k++ {
				v += (0.4 + 0.2*float64(k)) * x.At(i, k)
			}
			x.Set(i, j, v)
		}
	}
	prior := must.Get(score.Sparse(d, 1))(t)
	posterior := func(most int, refined bool) (float64, *mat.Dense) {
		base := must.Get(score.NewBGe(x, nil, score.BGeOptions{AlphaLambda: d + 1.3}))(t)
		opt := additive.Options{Linear: true, Base: base}
		if most < d-1 {
			opt.MaxParents, opt.Sparse = most, refined
		}
		s := must.Get(additive.NewLinear(x, nil, opt))(t)
		if refined {
			must.Get(Refine(t.Context(), s, prior, 2))(t)
		}
		all := must.Get(exact.New(t.Context(), s, prior, exact.Options{}))(t)
		orders := must.Get(all.Orders(t.Context()))(t)
		return orders.LogEvidence(), orders.Edges()
	}
	want, edges := posterior(d-1, false)
	got, refined := posterior(2, true)
	guess, rough := posterior(2, false)
	off := func(p *mat.Dense) float64 {
		var diff mat.Dense
		diff.Sub(p, edges)
		return math.Max(mat.Max(&diff), -mat.Min(&diff))
	}
	if math.Abs(got-want) > 0.2 || off(refined) > 0.01 {
		t.Errorf("log evidence %v, want %v; probabilities differ by up to %v", got, want,
			off(refined))
	}
	if math.Abs(guess-want) < 0.2 && off(rough) < 0.01 {
		t.Errorf("estimates alone have the log evidence %v and probabilities within %v: the case "+
			"tests nothing", guess, off(rough))
	}
}

// A mirage has scores that fall with every parent, and estimates that may rise: refining one set
// then leads to the next.
type mirage struct {
	rise    float64 // of the estimates
	refined sync.Map
	listed  bool
}

func (m *mirage) Vars() int { return 8 }

func (m *mirage) LogScore(j int, parents []int) float64 {
	sum := 0.0 // later parents count more, so that few sets are likely at a time
	for _, i := range parents {
		sum += float64(i + 1)
	}
	if !m.Known(j, parents) {
		return m.rise * sum
	}
	return -5 * sum
}

func (m *mirage) Known(j int, parents []int) bool {
	_, ok := m.refined.Load(fmt.Sprint(j, parents))
	return ok
}

func (m *mirage) Refine(j int, parents []int) { m.refined.Store(fmt.Sprint(j, parents), true) }

func (m *mirage) List() { m.listed = true }

// Where refining has no end, a score is left with what was refined; where it has one, it keeps its
// estimates of the rest.
func TestRefineWithoutEnd(t *testing.T) {
	for rise, want := range map[float64]bool{-5: false, 5: true} {
		m := &mirage{rise: rise}
		likely := must.Get(Refine(t.Context(), m, nil, 2))(t)
		if (likely == nil) != want {
			t.Errorf("estimates that change by %v with each parent: likely sets %v", rise, likely)
		}
		if m.listed != want {
			t.Errorf("estimates that change by %v with each parent: listed %v, want %v", rise,
				m.listed, want)
		}
	}
}
