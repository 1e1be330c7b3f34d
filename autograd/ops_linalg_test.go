package autograd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// Factorisations and solutions in lanes are those of one matrix at a time: of all sizes,
// with a matrix that differs between lanes, is the same in all, or has a pattern of zeros,
// and where only some elements of the result are read.
func TestTriangularInLanes(t *testing.T) {
	const particles, samples = 2, 11
	for _, n := range []int{1, 2, 3, 5, 8, 13, 20, 33} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(n), 70))
			b := ad.NewBuilder("triangular")
			p, s := b.Axis("particle", particles), b.Axis("sample", samples)
			x, u := b.Input("x", ad.Shape{n, n}, p, s), b.Input("u", ad.Shape{n, n}, p)
			y, v := b.Input("y", ad.Shape{n, 3}, p, s), b.Input("v", ad.Shape{n, 9}, p)
			eye := b.Constant(diagonal(n, 1), ad.Shape{n, n})
			positive := func(m *ad.Node) *ad.Node {
				return m.MatMul(m.T()).Add(eye.Scale(float64(n)))
			}
			lower := x.Scale(0.1).Add(eye.Scale(2))
			banded := x.Mul(eye).Add(eye.Scale(5)) // zeros beside the diagonal
			factor := positive(x).Cholesky()
			outputs := []*ad.Node{
				factor, positive(x).LogDet(), factor.Slice(0, 0, 1),
				positive(u).Cholesky().MatMul(y),
				lower.SolveLower(y), lower.SolveLowerT(y), lower.SolveLower(v),
				lower.SolveLowerT(v),
				positive(u).Cholesky().SolveLower(y), positive(u).Cholesky().SolveLowerT(y),
				banded.SolveLower(y), banded.SolveLowerT(y), lower.SolveLower(y).Slice(0, 0, 1),
			}
			total := b.Scalar(0)
			for _, o := range outputs {
				total = total.Add(o.Square().Sum())
			}
			outputs = append(outputs, b.Grad(total, x, u, y, v)...)
			in := []*ad.Node{x, u, y, v}
			var feeds [][]float64
			for _, i := range in {
				feeds = append(feeds, normals(rng, sizeOf(i)))
			}
			want := eval(t, in, outputs, feeds, ad.Options{Engine: ad.Reference})
			for name, opt := range map[string]ad.Options{"lanes": {},
				"by value": {Without: ad.ElementSchedule}} {
				got := eval(t, in, outputs, feeds, opt)
				for k := range want {
					scale := largest(want[k])
					for e, w := range want[k] {
						if g := got[k][e]; !(math.Abs(g-w) <= 1e-11*scale) {
							t.Fatalf("%s: element %d of output %d: got %v, want %v", name, e, k, g,
								w)
						}
					}
				}
			}
		})
	}
}

// A factor of which only the diagonal is read, and matrices without one in some lanes: the
// error is that of one matrix at a time, and the other indices keep their results.
func TestCholeskyFailsByLane(t *testing.T) {
	const n, particles, samples = 3, 4, 9
	b := ad.NewBuilder("indefinite")
	p, s := b.Axis("particle", particles), b.Axis("sample", samples)
	x := b.Input("x", ad.Shape{n, n}, p, s)
	outputs := []*ad.Node{x.Cholesky().Diagonal().SumOver(s), x.LogDet().SumOver(s)}
	var feed []float64
	for l := range particles * samples {
		m := diagonal(n, 4)
		m[3] = 1
		switch l {
		case samples + 4:
			m[4] = 0
		case samples + 7:
			m[8] = math.NaN()
		case 3*samples + 8:
			m[0] = -1
		}
		feed = append(feed, m...)
	}
	run := func(opt ad.Options) ([][]float64, error) {
		ev := must.Get(ad.NewEvaluator([]*ad.Node{x}, outputs, opt))(t)
		defer ev.Close()
		dst := room(outputs)
		return dst, ev.Eval(dst, []ad.Feed{{Data: feed}})
	}
	want, wantErr := run(ad.Options{Engine: ad.Reference})
	for name, opt := range map[string]ad.Options{"lanes": {},
		"by value": {Without: ad.ElementSchedule}} {
		got, err := run(opt)
		if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
			t.Errorf("%s: got error %v, want %v", name, err, wantErr)
		}
		for k := range want {
			for e, w := range want[k] {
				if g := got[k][e]; !(math.IsNaN(g) && math.IsNaN(w)) &&
					!(math.Abs(g-w) <= 1e-12*math.Abs(w)) {
					t.Errorf("%s: output %d, element %d: got %v, want %v", name, k, e, g, w)
				}
			}
		}
	}
}

// Factorisations of the groups of a particle, which become one value, fail for that
// particle only.
func TestCholeskyOfGroupsFails(t *testing.T) {
	const particles, groups = 32, 5
	b := ad.NewBuilder("groups")
	p, g := b.Axis("particle", particles), b.Axis("group", groups)
	x := b.Input("x", ad.Shape{2, 2}, p, g)
	y := x.Cholesky().Diagonal().Log().Sum().SumOver(g)
	in := make([]float64, particles*groups*4)
	for i := range in {
		in[i] = []float64{2 + float64(i%7), 1, 1, 3}[i%4]
	}
	in[(7*groups+3)*4] = -1
	for _, engine := range []ad.Engine{ad.Compiled, ad.Reference} {
		e := must.Get(ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{y}, ad.Options{Engine: engine}))(t)
		defer e.Close()
		got := make([]float64, particles)
		var failed *ad.FailedError
		if err := e.Eval([][]float64{got}, []ad.Feed{{Data: in}}); !errors.As(err, &failed) ||
			!slices.Equal(failed.Indices, []int{7}) {
			t.Errorf("%s: got error %v", engine, err)
		}
		for k, v := range got {
			i := k * groups
			want := 0.0
			for j := range groups {
				d := in[4*(i+j)]
				want += (math.Log(d) + math.Log(3-1/d)) / 2
			}
			if k == 7 && !math.IsNaN(v) || k != 7 && !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s: particle %d: got %v, want %v", engine, k, v, want)
			}
		}
	}
}

// Triangular systems of all sizes, with columns of all numbers, are solved: L times the solution is
// what it was for, and likewise for Lᵀ; and a factor of Cholesky's times its transpose is what was
// factorised.
func TestTriangularSolves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for _, n := range []int{1, 3, 8, 9, 13, 14, 21} {
		b := ad.NewBuilder("triangles")
		inputs := nodes(b.Input("l", ad.Shape{n, n}))
		data := [][]float64{normals(rng, n*n)}
		for i := range n {
			data[0][i*n+i] = 2 + math.Abs(data[0][i*n+i])
			for j := range n {
				if i != j {
					data[0][i*n+j] /= float64(n)
				}
			}
		}
		l := inputs[0].Mul(b.Constant(lowerTriangle(n), ad.Shape{n, n}))
		square := l.MatMul(l.T())
		var outputs, want []*ad.Node
		add := func(got, right *ad.Node) {
			outputs, want = append(outputs, got), append(want, right)
		}
		factor := square.Cholesky()
		add(factor, l)
		for _, m := range []int{1, 2, 8, 9} {
			y := b.Input(fmt.Sprint("y", m), ad.Shape{n, m})
			inputs, data = append(inputs, y), append(data, normals(rng, n*m))
			add(l.MatMul(inputs[0].SolveLower(y)), y)
			add(l.T().MatMul(inputs[0].SolveLowerT(y)), y)
		}
		for _, engine := range []ad.Engine{ad.Compiled, ad.Reference} {
			got := eval(t, inputs, append(outputs, want...), data, ad.Options{Engine: engine})
			for k := range outputs {
				compare(t, fmt.Sprintf("%v engine, size %d, law %d", engine, n, k), got[k],
					got[len(outputs)+k], 1e-12)
			}
		}
	}
}

// lowerTriangle is a mask.
func lowerTriangle(n int) []float64 {
	mask := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			mask[i*n+j] = 1
		}
	}
	return mask
}
