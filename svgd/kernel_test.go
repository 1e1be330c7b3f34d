package svgd_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/svgd"
)

// kernelCase pairs a kernel with its definition written out for two particles,
// each a list of blocks.
type kernelCase struct {
	name   string
	kernel svgd.ScalarKernel
	value  func(x, y [][]float64) float64
	// diagonal is k(x, x), NaN where it depends on x.
	diagonal float64
}

func kernelCases() []kernelCase {
	return []kernelCase{
		{"rbf", svgd.RBF{Bandwidth: svgd.Fixed(3)}, func(x, y [][]float64) float64 {
			return math.Exp(-(square(x[0], y[0]) + square(x[1], y[1])) / 3)
		}, 1},
		{"imq", svgd.IMQ{Bandwidth: svgd.Fixed(3)}, func(x, y [][]float64) float64 {
			return 1 / math.Sqrt(1+(square(x[0], y[0])+square(x[1], y[1]))/3)
		}, 1},
		{"imq of another exponent", svgd.IMQ{C: 2, Beta: 0.75, Bandwidth: svgd.Fixed(3)},
			func(x, y [][]float64) float64 {
				return math.Pow(4+(square(x[0], y[0])+square(x[1], y[1]))/3, -0.75)
			}, math.Pow(4, -0.75)},
		{"additive", svgd.Additive{Bandwidths: []float64{2, 7}}, func(x, y [][]float64) float64 {
			return math.Exp(-square(x[0], y[0])/2) + math.Exp(-square(x[1], y[1])/7)
		}, 2},
		{"linear", svgd.Linear{}, func(x, y [][]float64) float64 {
			return 1 + floats.Dot(x[0], y[0]) + floats.Dot(x[1], y[1])
		}, math.NaN()},
	}
}

func square(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += (x[i] - y[i]) * (x[i] - y[i])
	}
	return s
}

// particle copies particle i of x.
func particle(x []*mat.Dense, i int) [][]float64 {
	p := make([][]float64, len(x))
	for b, xb := range x {
		p[b] = mat.Row(nil, i, xb)
	}
	return p
}

// evaluate calls the kernel on matrices full of NaN, which it must overwrite.
func evaluate(k svgd.ScalarKernel, x []*mat.Dense) (gram *mat.Dense, repulsion []*mat.Dense) {
	nan := func(_, _ int, _ float64) float64 { return math.NaN() }
	n, _ := x[0].Dims()
	gram, repulsion = mat.NewDense(n, n, nil), zeros(x)
	gram.Apply(nan, gram)
	for _, f := range repulsion {
		f.Apply(nan, f)
	}
	k.Evaluate(gram, repulsion, x)
	return gram, repulsion
}

func TestKernelDefinition(t *testing.T) {
	for _, c := range kernelCases() {
		t.Run(c.name, func(t *testing.T) {
			// Widths 5 and 6 reach the remainders of the unrolled sums.
			x := gaussianBlocks(1, 9, 5, 6)
			before := clone(x)
			gram, _ := evaluate(c.kernel, x)
			want := mat.NewDense(9, 9, nil)
			want.Apply(func(r, m int, _ float64) float64 {
				return c.value(particle(x, r), particle(x, m))
			}, want)
			wantClose(t, "gram", gram, want, 1e-14)
			if !sameBits(x, before) {
				t.Error("the kernel changed the particles")
			}
		})
	}
}

func TestKernelLaws(t *testing.T) {
	cases := append(kernelCases(),
		kernelCase{name: "rbf median", kernel: svgd.RBF{}, diagonal: 1},
		kernelCase{name: "imq median", kernel: svgd.IMQ{}, diagonal: 1},
		kernelCase{name: "additive median", kernel: svgd.Additive{}, diagonal: 2})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			const n = 12
			x := gaussianBlocks(2, n, 3, 4)
			gram, repulsion := evaluate(c.kernel, x)
			for r := range n {
				for m := range n {
					if gram.At(r, m) != gram.At(m, r) {
						t.Errorf("gram[%d,%d] = %v, gram[%d,%d] = %v", r, m, gram.At(r, m), m, r,
							gram.At(m, r))
					}
				}
				if got := gram.At(r, r); !math.IsNaN(c.diagonal) && got != c.diagonal {
					t.Errorf("k(x, x) = %v, want exactly %v", got, c.diagonal)
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(mat.NewSymDense(n, gram.RawMatrix().Data), false) {
				t.Fatal("no eigenvalues")
			}
			// Rounding moves eigenvalues by about ε·‖gram‖, 1e-14 here.
			if least := floats.Min(eigen.Values(nil)); least < -1e-12 {
				t.Errorf("smallest eigenvalue %v of the Gram matrix is negative", least)
			}
			if math.IsNaN(c.diagonal) {
				return // the linear kernel knows the origin
			}
			shifted := clone(x)
			for b, xb := range shifted {
				xb.Apply(func(_, _ int, v float64) float64 { return v + float64(b) - 2.5 }, xb)
			}
			gram2, repulsion2 := evaluate(c.kernel, shifted)
			wantClose(t, "gram of shifted particles", gram2, gram, 1e-13)
			wantBlocksClose(t, "repulsion of shifted particles", repulsion2, repulsion, 1e-13)
		})
	}
}

// TestRepulsionIsGradient differences the kernel's definition with respect to its
// first argument. A step of 1e-5 leaves truncation and rounding near 1e-10.
func TestRepulsionIsGradient(t *testing.T) {
	const n, step, tol = 7, 1e-5, 1e-8
	for _, c := range kernelCases() {
		t.Run(c.name, func(t *testing.T) {
			x := gaussianBlocks(3, n, 2, 5)
			_, repulsion := evaluate(c.kernel, x)
			want := zeros(x)
			for b, wb := range want {
				wb.Apply(func(m, i int, _ float64) float64 {
					sum, y := 0.0, particle(x, m)
					for r := range n {
						plus, minus := particle(x, r), particle(x, r)
						plus[b][i] += step
						minus[b][i] -= step
						sum += (c.value(plus, y) - c.value(minus, y)) / (2 * step)
					}
					return sum
				}, wb)
			}
			wantBlocksClose(t, "repulsion", repulsion, want, tol)
		})
	}
}

// TestFarFromOrigin shifts particles on a dyadic grid, where the shift is exact:
// nothing may change, to the bit.
func TestFarFromOrigin(t *testing.T) {
	x := gaussianBlocks(4, 6, 5, 3)
	far := clone(x)
	for b := range x {
		x[b].Apply(func(_, _ int, v float64) float64 { return math.Round(v*1024) / 1024 }, x[b])
		far[b].Apply(func(i, j int, _ float64) float64 { return x[b].At(i, j) + 1e6 }, far[b])
	}
	for _, k := range []svgd.ScalarKernel{svgd.RBF{},
		svgd.Additive{Bandwidths: []float64{5, 500}}} {
		gram, repulsion := evaluate(k, x)
		gramFar, repulsionFar := evaluate(k, far)
		if !mat.Equal(gram, gramFar) || !sameBits(repulsion, repulsionFar) {
			t.Errorf("%T: exact shift by 1e6 changes the result", k)
		}
	}
}

// TestDistanceAccuracy is the case of the paper's size against a sum in extended
// precision (compensated by Kahan's method).
func TestDistanceAccuracy(t *testing.T) {
	const n, h = 6, 2000
	x := gaussianBlocks(5, n, 760)
	gram, _ := evaluate(svgd.RBF{Bandwidth: svgd.Fixed(h)}, x)
	for r := range n {
		for m := range r {
			var sum, lost float64
			for i, a := range x[0].RawRowView(r) {
				d := a - x[0].At(m, i)
				y := d*d - lost
				s := sum + y
				lost = (s - sum) - y
				sum = s
			}
			want := math.Exp(-sum / h)
			if got := gram.At(r, m); !(math.Abs(got-want) <= 1e-14*want) {
				t.Errorf("k(%d,%d) = %v, want %v", r, m, got, want)
			}
		}
	}
}

// TestNearPairs has clusters of three sizes, far from the origin, from particle 0
// and from each other, with bandwidths that see one of them each. Kernel and
// repulsion equal the sums over direct differences: relative to the sum of the
// single forces, whatever cancels between them. The grid is dyadic, where
// differences are exact.
func TestNearPairs(t *testing.T) {
	const n, p, tol = 14, 11, 4e-15
	for _, h := range []float64{1e-3, 1e3, 1e9} {
		x := gaussianBlocks(9, n, p)
		for r := range n {
			size, place := math.Pow(1000, float64(r%3)-1), float64(r%3*r%2)*1e4
			for i, v := range x[0].RawRowView(r) {
				x[0].Set(r, i, math.Round((1e6+place+size*v)*0x1p20)/0x1p20)
			}
		}
		gram, repulsion := evaluate(svgd.RBF{Bandwidth: svgd.Fixed(h)}, x)
		for m := range n {
			xm := x[0].RawRowView(m)
			var want, scale [p]float64
			for r := range n {
				xr := x[0].RawRowView(r)
				e := math.Exp(-square(xr, xm) / h)
				if got := gram.At(r, m); !(math.Abs(got-e) <= tol*max(1, square(xr, xm)/h)*e) {
					t.Errorf("h = %v: k(%d,%d) = %v, want %v", h, r, m, got, e)
				}
				for i := range p {
					want[i] += 2 / h * e * (xm[i] - xr[i])
					scale[i] += 2 / h * e * math.Sqrt(square(xr, xm))
				}
			}
			for i, got := range repulsion[0].RawRowView(m) {
				if !(math.Abs(got-want[i]) <= tol*scale[i]) {
					t.Errorf("h = %v: repulsion[%d,%d] = %v, want %v (sum of forces %v)", h, m, i,
						got, want[i], scale[i])
				}
			}
		}
	}
}

func TestCoincidingParticles(t *testing.T) {
	row := []float64{1, -2, 1e8, 3, 0.1}
	x := []*mat.Dense{mat.NewDense(4, 5, nil)}
	for i := range 4 {
		x[0].SetRow(i, row)
	}
	for _, k := range []svgd.ScalarKernel{svgd.RBF{}, svgd.Additive{},
		svgd.RBF{Bandwidth: svgd.Fixed(1e-3)}} {
		gram, repulsion := evaluate(k, x)
		if least, most := mat.Min(gram), mat.Max(gram); least != 1 || most != 1 {
			t.Errorf("%#v: kernel between %v and %v, want 1", k, least, most)
		}
		if got := mat.Norm(repulsion[0], 1); got != 0 {
			t.Errorf("%#v: repulsion %v, want 0", k, got)
		}
	}
}

// TestKernelOfViews uses blocks that are columns of one wider matrix.
func TestKernelOfViews(t *testing.T) {
	wide := gaussianBlocks(7, 5, 9)[0]
	views := []*mat.Dense{wide.Slice(0, 5, 0, 4).(*mat.Dense), wide.Slice(0, 5, 4, 9).(*mat.Dense)}
	for _, c := range kernelCases() {
		gram, repulsion := evaluate(c.kernel, views)
		wantGram, wantRepulsion := evaluate(c.kernel, clone(views))
		if !mat.Equal(gram, wantGram) || !sameBits(repulsion, wantRepulsion) {
			t.Errorf("%s: views and copies differ", c.name)
		}
	}
}

func TestKernelPanics(t *testing.T) {
	x := gaussianBlocks(8, 3, 2, 2)
	ok := mat.NewDense(3, 3, nil)
	for _, c := range []struct {
		name      string
		kernel    svgd.ScalarKernel
		gram      *mat.Dense
		repulsion []*mat.Dense
		x         []*mat.Dense
		want      string
	}{
		{"no blocks", svgd.RBF{}, ok, nil, nil, "svgd: no blocks"},
		{"no particles", svgd.RBF{}, ok, zeros(x), []*mat.Dense{{}}, "svgd: no particles"},
		{"gram", svgd.RBF{}, mat.NewDense(2, 3, nil), zeros(x), x,
			"svgd: gram matrix is 2×3, want 3×3"},
		{"repulsion count", svgd.Linear{}, ok, zeros(x)[:1], x,
			"svgd: 1 blocks of repulsion, want 2"},
		{"repulsion shape", svgd.Linear{}, ok, zeros(gaussianBlocks(8, 3, 2, 1)), x,
			"svgd: repulsion of block 1 is 3×1, want 3×2"},
		{"rows", svgd.RBF{}, ok, zeros(x), []*mat.Dense{x[0], mat.NewDense(4, 2, nil)},
			"svgd: block 1 has 4 particles, block 0 has 3"},
		{"bandwidth count", svgd.Additive{Bandwidths: []float64{1}}, ok, zeros(x), x,
			"svgd: 1 bandwidths for 2 blocks"},
		{"bandwidth sign", svgd.Additive{Bandwidths: []float64{1, -1}}, ok, zeros(x), x,
			"svgd: bandwidth -1 is not positive"},
		{"bandwidth zero", svgd.RBF{Bandwidth: svgd.Fixed(0)}, ok, zeros(x), x,
			"svgd: bandwidth 0 is not positive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantPanic(t, c.want, func() { c.kernel.Evaluate(c.gram, c.repulsion, c.x) })
		})
	}
}
