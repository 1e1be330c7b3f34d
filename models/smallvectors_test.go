package models_test

import (
	"math"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// fixedNoise supplies the same uniform numbers for every step and particle.
type fixedNoise struct{ soft, hard []float64 }

func (n fixedNoise) Fill(dst []float64, purpose models.Purpose, _, _ int) {
	if purpose == models.SoftGraphs {
		copy(dst, n.soft)
	} else {
		copy(dst, n.hard)
	}
}

// smallVectors are those of tobac.md, section 12.6, in the original labels.
type smallVectors struct {
	order []int
	x     *mat.Dense
	theta *mat.Dense
	z     []float64 // (d−1, k, 2)
	noise fixedNoise
}

func newSmallVectors() smallVectors {
	v := smallVectors{
		order: []int{2, 0, 1},
		x:     mat.NewDense(2, 3, []float64{0.5, -1, 2, 1.5, 0.25, -0.75}),
		theta: mat.NewDense(3, 3, []float64{0, 1, -0.5, 0.7, 0, 0.3, 1.2, -0.8, 0}),
	}
	u := []float64{0.4, -0.2, 0.1, 0.9}
	w := []float64{0.3, 0.8, -0.6, 0.5}
	for i := range u {
		v.z = append(v.z, u[i], w[i])
	}
	for _, epsilon := range []float64{0.2, -0.1, 0.4} { // ε_00, ε_01, ε_11
		v.noise.soft = append(v.noise.soft, sigmoid(epsilon))
	}
	v.noise.hard = []float64{0.5, 0.5, 0.5}
	return v
}

// columns are the data in order coordinates, x'[:,a] = x[:,order[a]].
func (v *smallVectors) columns(order []int) *mat.Dense {
	n, d := v.x.Dims()
	out := mat.NewDense(n, d, nil)
	for a, c := range order {
		out.SetCol(a, mat.Col(nil, c, v.x))
	}
	return out
}

// params are the weights in order coordinates, Θ'[a][b] = Θ[order[a]][order[b]].
func (v *smallVectors) params(order []int) []float64 {
	var out []float64
	for _, i := range order {
		for _, j := range order {
			out = append(out, v.theta.At(i, j))
		}
	}
	return out
}

func (v *smallVectors) target(t *testing.T, order []int) (*models.TOBAC, []*mat.Dense) {
	lik := must.Get(models.NewLinear(v.columns(order), nil, models.LinearOptions{}))(t)
	target := newTOBAC(t, lik, models.TOBACConfig{
		Particles: 1, Samples: 1, AlphaRate: 0.5, Prior: models.UniformPrior(), Noise: v.noise,
	})
	return target, []*mat.Dense{mat.NewDense(1, len(v.z), v.z), mat.NewDense(1, 9, v.params(order))}
}

// TestSmallVectors checks every number of section 12.6 that concerns the linear
// model, each to its printed digits.
func TestSmallVectors(t *testing.T) {
	v := newSmallVectors()
	target, x := v.target(t, v.order)
	stages := must.Get(target.Stages(x, 1))(t)
	original := func(g []float64) *mat.Dense { // G[order[a]][order[b]] = S[a][b]
		out := mat.NewDense(3, 3, nil)
		for a, i := range v.order {
			for b, j := range v.order {
				out.Set(i, j, g[a*3+b])
			}
		}
		return out
	}
	g := original(stages.SoftGraphs)
	live := func(m *mat.Dense) []float64 { return []float64{m.At(0, 1), m.At(2, 0), m.At(2, 1)} }
	check(t, "soft graph at [0][1], [2][0], [2][1]", live(g),
		[]float64{0.644511554, 0.544878892, 0.432907095}, 5e-10)
	if n := len(slices.DeleteFunc(slices.Clone(g.RawMatrix().Data), func(x float64) bool {
		return x == 0
	})); n != 3 {
		t.Errorf("%d entries are not 0, want the three along the order", n)
	}

	lik := must.Get(models.NewLinear(v.columns(v.order), nil, models.LinearOptions{}))(t)
	b := autograd.NewBuilder("small")
	gn, tn := b.Input("g", autograd.Shape{3, 3}), b.Input("theta", autograd.Shape{9})
	prior, data := lik.Terms(gn, tn)
	total := prior.Add(data).Sum()
	outputs := append([]*autograd.Node{prior.Sum(), data.Sum()}, b.Grad(total, gn, tn)...)
	out := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{stages.SoftGraphs, x[1].RawRowView(0)},
		outputs...)
	check(t, "log p(Θ|G)", out[0], []float64{-2.343890573}, 5e-10)
	check(t, "log p(D|G,Θ)", out[1], []float64{-51.238512612}, 5e-10)
	check(t, "∂L/∂G", live(original(out[2])), []float64{-19.214634, -38.937482, 2.975663}, 5e-7)
	check(t, "∂L/∂Θ", live(original(out[3])), []float64{-12.114043, -17.589845, -1.934338}, 5e-7)

	got := score(t, target, x, 1)[0].RawRowView(0)
	var du, dv []float64
	for i := 0; i < len(got); i += 2 { // less the Gaussian prior's −k·Z
		du, dv = append(du, got[i]+2*v.z[i]), append(dv, got[i+1]+2*v.z[i+1])
	}
	check(t, "dU", du, []float64{-1.66754814, -3.67974813, 1.32071643, -1.10059702}, 5e-9)
	check(t, "dV", dv, []float64{-1.93118918, 0.96559459, -0.07401523, -2.05412672}, 5e-9)

	// The transposed permutation is consistent with another order and gives
	// another density.
	inverse := dag.Inverse(v.order)
	wrong, x2 := v.target(t, inverse)
	other := must.Get(wrong.Stages(x2, 1))(t)
	if got, want := other.SoftEstimate[0], stages.SoftEstimate[0]; math.Abs(got-want) < 1 {
		t.Errorf("order %v and its inverse %v have the same log density %v, %v", v.order, inverse,
			want, got)
	}
}

// TestOrderIsNotItsInverse pins the meaning of an order on one that is not an
// involution: entries (0,1) and (1,2) under the order 2, 0, 1 are the edges
// 2 → 0 and 0 → 1.
func TestOrderIsNotItsInverse(t *testing.T) {
	v := newSmallVectors()
	target, _ := v.target(t, v.order)
	// u_0·v_0 > 0, u_0·v_1 < 0, u_1·v_1 > 0.
	z := []float64{1, 1, 0, 0 /* i=0 */, 1, -1, 2, 2 /* i=1 */}
	canonical := target.HardGraph(z)
	if want := []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}; !slices.Equal(canonical.Edges(),
		want) {
		t.Fatalf("order coordinates: got %v, want %v", canonical.Edges(), want)
	}
	got := canonical.Relabel(dag.Inverse(v.order)).Edges()
	if want := []dag.Edge{{From: 0, To: 1}, {From: 2, To: 0}}; !slices.Equal(got, want) {
		t.Errorf("original labels: got %v, want %v", got, want)
	}
}
