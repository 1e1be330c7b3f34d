package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// acyclicitySlope is ∂h/∂G = ((I + G/d)^(d−1))ᵀ.
func acyclicitySlope(g []float64, d int) []float64 {
	base, power := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		power.Set(i, i, 1)
		for j := range d {
			base.Set(i, j, g[i*d+j]/float64(d))
		}
		base.Set(i, i, base.At(i, i)+1)
	}
	for range d - 1 {
		var next mat.Dense
		next.Mul(power, base)
		power.Copy(&next)
	}
	return mat.DenseCopyOf(power.T()).RawMatrix().Data
}

// acyclicityAt evaluates h and its gradient.
func acyclicityAt(t *testing.T, g []float64, d int) (h float64, slope []float64) {
	t.Helper()
	b := autograd.NewBuilder("h")
	gn := b.Input("g", autograd.Shape{d, d})
	y := models.Acyclicity(gn)
	out := evaluate(t, []*autograd.Node{gn}, [][]float64{g}, y, b.Grad(y, gn)[0])
	return out[0][0], out[1]
}

// TestAcyclicitySmallVectors checks the numbers of tobac.md, section 12.6.
func TestAcyclicitySmallVectors(t *testing.T) {
	for _, row := range []struct {
		name string
		g    []float64
		want float64
	}{
		{"3-cycle", []float64{0, 1, 0, 0, 0, 1, 1, 0, 0}, 1. / 9},
		{"2-cycle", []float64{0, 1, 0, 1, 0, 0, 0, 0, 0}, 2. / 3},
		{"soft", []float64{0, .3, .6, .2, 0, .9, .5, .1, 0}, 0.316333333},
	} {
		h, slope := acyclicityAt(t, row.g, 3)
		check(t, row.name, []float64{h}, []float64{row.want}, 5e-10)
		if row.name == "soft" {
			check(t, "∂h/∂G[0][2]", slope[2:3], []float64{0.335555556}, 5e-10)
		}
	}
}

// TestAcyclicityTellsCycles compares h with a topological sort on every directed
// graph on three variables and on random ones, and its gradient with the formula
// and with differences.
func TestAcyclicityTellsCycles(t *testing.T) {
	rng := newRand(101)
	for code := range 1 << 6 {
		g := make([]float64, 9)
		bit := 0
		for e := range g {
			if e/3 != e%3 {
				g[e] = float64(code >> bit & 1)
				bit++
			}
		}
		h, _ := acyclicityAt(t, g, 3)
		if acyclic :=
			dag.FromMatrix(mat.NewDense(3, 3, g)).Acyclic(); acyclic != (math.Abs(h) < 1e-14) {
			t.Errorf("%v: h = %v, acyclic %t", g, h, acyclic)
		}
	}
	for _, d := range []int{2, 5, 6, 8} {
		for _, tg := range graphs(rng, d) {
			_, slope := acyclicityAt(t, tg.g, d)
			check(t, fmt.Sprintf("d=%d, %s: gradient", d, tg.kind), slope, acyclicitySlope(tg.g, d),
				1e-13)
			err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
				return models.Acyclicity(x[0])
			},
				[][]float64{tg.g}, []autograd.Shape{{d, d}}, gradtest.Options{})
			if err != nil {
				t.Errorf("d=%d, %s: %v", d, tg.kind, err)
			}
		}
	}
}

// TestPenaltySchedule asserts that the penalty is proportional to the step: β_t =
// Rate·t. A target of another rate differs by the penalty alone.
func TestPenaltySchedule(t *testing.T) {
	lik := testedLikelihoods(t, 102, 6, 4)["linear"]
	at := func(rate float64, step int) []float64 {
		target := newTOBAC(t, lik, models.TOBACConfig{
			Particles: 2, Samples: 3, AlphaRate: 0.3, Embedding: models.AllPairs,
			Prior: models.UniformPrior(), Seed: 4, Penalty: models.Penalty{Rate: rate, Samples: 5},
		})
		return score(t, target, target.Init(), step)[0].RawMatrix().Data
	}
	one, two, four := at(1, 6), at(2, 6), at(4, 6)
	want, got, moved := make([]float64, len(one)), make([]float64, len(one)), 0.0
	for i := range one {
		want[i], got[i] = 3*(two[i]-one[i]), four[i]-one[i]
		moved += math.Abs(got[i])
	}
	check(t, "penalty at three times the rate", got, want, 1e-11)
	if moved == 0 {
		t.Error("the rate does not matter at step 6")
	}
	check(t, "score at step 0, where β = 0", at(1, 0), at(5, 0), 0)
}

// TestAllPairsForm asserts that without an order every ordered pair can have an
// edge, both ways, and that the diagonal is 0: sampled, in probability, and in
// the limit, whose edges are the positive scores u_i·v_j.
func TestAllPairsForm(t *testing.T) {
	const d = 4
	lik := testedLikelihoods(t, 103, 5, d)["BGe"]
	target := newTOBAC(t, lik, models.TOBACConfig{Particles: 60, Samples: 8, AlphaRate: 3,
		Embedding: models.AllPairs, Prior: models.UniformPrior()})
	x := target.Init()
	if _, width := x[0].Dims(); len(x) != 1 || width != d*d*2 {
		t.Fatalf("got %d blocks, the first of %d values, want Z alone with %d", len(x), width,
			d*d*2)
	}
	s := must.Get(target.Samples([][]float64{x[0].RawMatrix().Data}, 1))(t)
	cyclic, both := 0, false
	for m := range 60 {
		z := x[0].RawRowView(m)
		g := target.HardGraph(z)
		if !g.Acyclic() {
			cyclic++
		}
		for i := range d {
			for j := range d {
				score := 0.0
				for l := range d {
					score += z[(i*d+l)*2] * z[(j*d+l)*2+1]
				}
				if g.Has(i, j) != (i != j && score > 0) {
					t.Errorf("particle %d: edge %d → %d is %t, its score %v", m, i, j, g.Has(i, j),
						score)
				}
				both = both || g.Has(i, j) && g.Has(j, i)
				p, want := s.EdgeProbs[(m*d+i)*d+j], sigmoid(3*score)
				if i == j {
					want = 0
				}
				check(t, "edge probability", []float64{p}, []float64{want}, 1e-14)
			}
		}
	}
	if cyclic == 0 || !both {
		t.Errorf("%d of 60 random limit graphs have a cycle, an edge both ways: %t; this run "+
			"shows nothing", cyclic, both)
	}
}
