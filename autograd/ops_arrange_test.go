package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// reads is the case of a rearrangement: element e of the result, of the given shape,
// is the element of the operand that from names, or 0 where that is negative.
func reads(name string, shape, result ad.Shape, build func(x *ad.Node) *ad.Node,
	from func(k []int) int) opCase {
	return opCase{
		name: name, shapes: []ad.Shape{shape}, build: one(build),
		want: func(x [][]float64) (y []float64) {
			eachIndex(result, func(k []int) {
				v := 0.0
				if e := from(k); e >= 0 {
					v = x[0][e]
				}
				y = append(y, v)
			})
			return y
		},
	}
}

func arrangements() []opCase {
	return []opCase{
		reads("transpose", ad.Shape{2, 3, 4}, ad.Shape{4, 2, 3}, func(x *ad.Node) *ad.Node {
			return x.Transpose(2, 0, 1)
		},
			func(k []int) int { return (k[1]*3+k[2])*4 + k[0] }),
		reads("transpose reversed", ad.Shape{2, 3, 4}, ad.Shape{4, 3, 2},
			func(x *ad.Node) *ad.Node { return x.Transpose() },
			func(k []int) int { return (k[2]*3+k[1])*4 + k[0] }),
		reads("transpose to itself", ad.Shape{2, 3}, ad.Shape{2, 3}, func(x *ad.Node) *ad.Node {
			return x.Transpose(0, 1).AddScalar(0)
		},
			func(k []int) int { return k[0]*3 + k[1] }),
		reads("roll", ad.Shape{2, 5}, ad.Shape{2, 5}, func(x *ad.Node) *ad.Node {
			return x.Roll(1, 2)
		},
			func(k []int) int { return k[0]*5 + (k[1]+3)%5 }),
		reads("roll back and around", ad.Shape{4, 2}, ad.Shape{4, 2}, func(x *ad.Node) *ad.Node {
			return x.Roll(0, -9)
		},
			func(k []int) int { return (k[0]+1)%4*2 + k[1] }),
		reads("flip", ad.Shape{2, 3}, ad.Shape{2, 3}, func(x *ad.Node) *ad.Node {
			return x.Flip(1)
		},
			func(k []int) int { return k[0]*3 + 2 - k[1] }),
		reads("flip all", ad.Shape{2, 3}, ad.Shape{2, 3}, func(x *ad.Node) *ad.Node {
			return x.Flip()
		},
			func(k []int) int { return 5 - k[0]*3 - k[1] }),
		reads("tile", ad.Shape{2, 3}, ad.Shape{4, 9}, func(x *ad.Node) *ad.Node {
			return x.Tile(2, 3)
		},
			func(k []int) int { return k[0]%2*3 + k[1]%3 }),
		reads("repeat", ad.Shape{2, 3}, ad.Shape{2, 6}, func(x *ad.Node) *ad.Node {
			return x.Repeat(1, 2)
		},
			func(k []int) int { return k[0]*3 + k[1]/2 }),
		reads("pad", ad.Shape{2, 3}, ad.Shape{3, 5}, func(x *ad.Node) *ad.Node {
			return x.Pad([]int{1, 0}, []int{0, 2})
		},
			func(k []int) int {
				if k[0] < 1 || k[1] > 2 {
					return -1
				}
				return (k[0]-1)*3 + k[1]
			}),
		reads("diag", ad.Shape{3}, ad.Shape{3, 3}, (*ad.Node).Diag, func(k []int) int {
			if k[0] != k[1] {
				return -1
			}
			return k[0]
		}),
		reads("tril", ad.Shape{2, 3, 4}, ad.Shape{2, 3, 4}, func(x *ad.Node) *ad.Node {
			return x.Tril(-1)
		}, func(k []int) int {
			if k[2] >= k[1] {
				return -1
			}
			return (k[0]*3+k[1])*4 + k[2]
		}),
		reads("triu", ad.Shape{3, 2}, ad.Shape{3, 2}, func(x *ad.Node) *ad.Node {
			return x.Triu(0)
		}, func(k []int) int {
			if k[1] < k[0] {
				return -1
			}
			return k[0]*2 + k[1]
		}),
		reads("split", ad.Shape{2, 4}, ad.Shape{2, 3}, func(x *ad.Node) *ad.Node {
			return x.Split(1, 1, 3)[1]
		},
			func(k []int) int { return k[0]*4 + k[1] + 1 }),
		reads("take at a constant", ad.Shape{2, 4}, ad.Shape{2, 2, 2}, func(x *ad.Node) *ad.Node {
			return x.Take(x.Builder().Constant([]float64{3, 0, 0, 2}, ad.Shape{2, 2}), 1)
		}, func(k []int) int { return k[0]*4 + []int{3, 0, 0, 2}[k[1]*2+k[2]] }),
		{
			name: "segment sum", shapes: []ad.Shape{{4, 2}},
			build: one(func(x *ad.Node) *ad.Node { return x.SegmentSum([]int{2, 0, 2, 2}, 4) }),
			want: func(x [][]float64) []float64 {
				a := x[0]
				return []float64{a[2], a[3], 0, 0, a[0] + a[4] + a[6], a[1] + a[5] + a[7], 0, 0}
			},
		},
	}
}

// TestArrangements puts the rearrangements through the checks of the op table.
func TestArrangements(t *testing.T) {
	for _, c := range arrangements() {
		for _, v := range variants(1, 0) {
			t.Run(c.name+"/"+v.name, func(t *testing.T) { checkCase(t, row{once: true}, c, v) })
		}
	}
}

// compositions are expressions made of several ops, bilinear or worse.
func compositions() []opCase {
	triangular := func(rng *rand.Rand, i, size int) []float64 {
		x := normals(rng, size)
		for k := 0; i == 0 && k < 3; k++ {
			x[k*4] = 1 + rng.Float64()
		}
		return x
	}
	upper := func(x []float64) []float64 {
		u := append([]float64{}, x...)
		u[3], u[6], u[7] = 0, 0, 0
		return u
	}
	return []opCase{
		{
			name: "upper solve", shapes: []ad.Shape{{3, 3}, {3, 2}}, sample: triangular,
			build: two((*ad.Node).SolveUpper),
			want:  func(x [][]float64) []float64 { return cramer(upper(x[0]), x[1], 3, 2) },
		},
		{
			name: "transposed upper solve", shapes: []ad.Shape{{3, 3}, {3, 2}}, sample: triangular,
			build: two((*ad.Node).SolveUpperT),
			want: func(x [][]float64) []float64 {
				return cramer(plainTranspose(upper(x[0]), 3, 3), x[1], 3, 2)
			},
		},
		{
			name: "inverse", shapes: []ad.Shape{{3, 3}}, sample: regular(3),
			build: one((*ad.Node).MatInverse),
			want: func(x [][]float64) []float64 {
				return cramer(x[0], []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3)
			},
		},
		{
			name: "Kronecker", shapes: []ad.Shape{{2, 3}, {3, 2}}, build: two((*ad.Node).Kronecker),
			want: func(x [][]float64) (y []float64) {
				eachIndex(ad.Shape{6, 6}, func(k []int) {
					y = append(y, x[0][k[0]/3*3+k[1]/2]*x[1][k[0]%3*2+k[1]%2])
				})
				return y
			},
		},
	}
}

// TestCompositions puts compositions through the checks of the op table.
func TestCompositions(t *testing.T) {
	for _, c := range append(compositions(), einsums()...) {
		for _, v := range variants(len(c.shapes), 0) {
			t.Run(c.name+"/"+v.name, func(t *testing.T) {
				checkCase(t, row{once: len(c.shapes) == 1 && c.name != "inverse"}, c, v)
			})
		}
	}
}

// TestZeroedElements: what a triangle leaves out is zero whatever it was, and the
// triangular solves do not read it.
func TestZeroedElements(t *testing.T) {
	b := ad.NewBuilder("zeroed")
	a, c := b.Input("a", ad.Shape{2, 2}), b.Input("c", ad.Shape{2, 2})
	out := nodes(a.Triu(0), c.Tril(0), a.SolveUpper(b.Constant([]float64{2, 8}, ad.Shape{2, 1})))
	got := runEngines(t, nodes(a, c), out, [][]float64{{2, 0, nan, 4}, {1, inf, 3, 4}}, 0)
	compare(t, "upper triangle", got[0], []float64{2, 0, 0, 4}, 0)
	compare(t, "lower triangle", got[1], []float64{1, 0, 3, 4}, 0)
	compare(t, "solution", got[2], []float64{1, 2}, 0)
	if math.Signbit(got[0][2]) {
		t.Error("a zeroed element is −0")
	}
}

// Pieces of concatenations are computed where these have them: nested ones, pieces that other
// operations read, those that are seen through a view. Inputs, constants and what stands across
// are copied.
func TestConcatenationInPlace(t *testing.T) {
	b := ad.NewBuilder("pieces")
	x, y := b.Input("x", ad.Shape{2, 3}), b.Input("y", ad.Shape{3})
	sines, squares := x.Sin(), y.Square()
	rows := ad.Concat(0, sines, squares.Reshape(ad.Shape{1, 3}), x.Sin().Tanh())
	flat := ad.Concat(0, rows.Reshape(ad.Shape{15}), squares.Exp(), y, b.Ones(ad.Shape{2}))
	across := ad.Concat(1, sines, sines.Cos())
	outputs := []*ad.Node{flat.Sum(), flat.Mul(flat), rows.MatVec(y), across.Sum(1), sines}
	p := must.Get(ad.Compile([]*ad.Node{x, y}, outputs))(t)
	if text := p.String(); strings.Count(text, "  concat#") != 2 { // flat's copies, and across
		t.Errorf("want two concatenations that copy, got\n%s", text)
	}
	rng := rand.New(rand.NewPCG(3, 9))
	at := [][]float64{normals(rng, 6), normals(rng, 3)}
	want := eval(t, []*ad.Node{x, y}, outputs, at, ad.Options{Engine: ad.Reference})
	for i, got := range eval(t, []*ad.Node{x, y}, outputs, at, ad.Options{}) {
		compare(t, fmt.Sprint("output ", i), got, want[i], 1e-15)
	}
}
