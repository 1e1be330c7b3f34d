package autograd_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestMatrixLaws: identities between operations, on matrices too large for the plain
// code of the op table.
func TestMatrixLaws(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(5, 1))
	b := ad.NewBuilder("laws")
	a, c := b.Input("a", ad.Shape{n, n}), b.Input("c", ad.Shape{n, n})
	eye := make([]float64, n*n)
	for i := range n {
		eye[i*(n+1)] = 1
	}
	identity := b.Constant(eye, ad.Shape{n, n})
	sign, logAbs := a.SLogDet()
	otherSign, otherLog := c.SLogDet()
	productSign, productLog := a.MatMul(c).SLogDet()
	positive := a.MatMul(a.T()).Add(identity)
	_, positiveLog := positive.SLogDet()
	_, expLog := a.Expm().SLogDet()
	laws := []struct {
		name        string
		left, right *ad.Node
	}{
		{"A A⁻¹ = I", a.MatMul(a.MatInverse()), identity},
		{"A X = B", a.MatMul(a.Solve(c)), c},
		{"Aᵀ X = B", a.T().MatMul(a.SolveT(c)), c},
		{"solving with the transpose", a.SolveT(c), a.T().Solve(c)},
		{"sign of the determinant of a product", productSign, sign.Mul(otherSign)},
		{"determinant of a product", productLog, logAbs.Add(otherLog)},
		{"determinant by Cholesky", positiveLog, positive.LogDet()},
		{"exp(A) exp(−A) = I", a.Expm().MatMul(a.Neg().Expm()), identity},
		{"ln det exp A = tr A", expLog, a.Trace()},
		{"L(A, A) = A exp A", a.ExpmFrechet(a), a.MatMul(a.Expm())},
		{"d tr exp A = exp Aᵀ", b.Grad(a.Expm().Trace(), a)[0], a.Expm().T()},
		{"d ln |det A| = A⁻ᵀ", b.Grad(logAbs, a)[0], a.MatInverse().T()},
		{"mixed products",
			a.Kronecker(identity.Slice(0, 0, 2).Slice(1, 0, 2)).MatMul(
				c.Kronecker(identity.Slice(0, 0, 2).Slice(1, 0, 2))),
			a.MatMul(c).Kronecker(identity.Slice(0, 0, 2).Slice(1, 0, 2))},
		{"the trace as a contraction", ad.Einsum("ij,ji", a, c), a.MatMul(c).Trace()},
	}
	var outputs []*ad.Node
	for _, l := range laws {
		outputs = append(outputs, l.left, l.right)
	}
	feed := [][]float64{normals(rng, n*n), normals(rng, n*n)}
	for i := range feed { // conditions of about ten, eigenvalues with both signs
		for k := range feed[i] {
			feed[i][k] *= 0.5 / math.Sqrt(n)
		}
		for k := range n {
			feed[i][k*(n+1)] += float64(1 - 2*(k%2))
		}
	}
	got := eval(t, nodes(a, c), outputs, feed, ad.Options{})
	for i, l := range laws {
		t.Run(l.name, func(t *testing.T) { compare(t, l.name, got[2*i], got[2*i+1], 1e-11) })
	}
}

// TestMatrixBits: the products below go to blocks that goroutines share when the
// matrices are large. Results have the same bits for any number of them, of workers
// and of lanes in between.
func TestMatrixBits(t *testing.T) {
	const n, particles = 150, 2
	rng := rand.New(rand.NewPCG(6, 1))
	b := ad.NewBuilder("bits")
	p := b.Axis("particle", particles)
	a, c := b.Input("a", ad.Shape{n, n}, p), b.Input("c", ad.Shape{n, n}, p)
	_, logAbs := a.SLogDet()
	outputs := nodes(a.Solve(c), logAbs, a.Expm(), a.ExpmFrechet(c),
		a.Reshape(ad.Shape{2, n / 2, n}).MatMul(c.Reshape(ad.Shape{2, n, n / 2})))
	outputs = append(outputs, b.Grad(a.Solve(c).Sum().Add(logAbs), a, c)...)
	feed := [][]float64{normals(rng, particles*n*n), normals(rng, particles*n*n)}
	for k := range feed[0] {
		feed[0][k] /= math.Sqrt(n)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want [][]float64
	for _, procs := range []int{1, 2, 5} {
		for _, workers := range []int{1, 2} {
			runtime.GOMAXPROCS(procs)
			got := eval(t, nodes(a, c), outputs, feed, ad.Options{Workers: workers})
			if want == nil {
				want = got
			}
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Errorf("%v, %d processors, %d workers: other bits than with one", outputs[i],
						procs, workers)
				}
			}
		}
	}
}

// TestMatrixAllocations: factorisations, solutions, exponentials, products of batches and indices
// allocate nothing once their workspaces are there.
func TestMatrixAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	b := ad.NewBuilder("allocations")
	p := b.Axis("particle", 3)
	a, c, index := b.Input("a", ad.Shape{4, 4}, p), b.Input("c", ad.Shape{4, 4}, p),
		b.Input("index", ad.Shape{4}, p)
	_, logAbs := a.SLogDet()
	batch := a.Reshape(ad.Shape{2, 2, 4}).MatMul(c.Reshape(ad.Shape{2, 4, 2}))
	taken := a.Take(index, 1).SegmentSumBy(index,
		5).Add(index.OneHot(5).Sum(0).Reshape(ad.Shape{5, 1}))
	y := a.Solve(c).Sum().Add(logAbs).Add(a.Expm().Sum()).Add(batch.Sum()).Add(taken.Square().Sum())
	outputs := append(b.Grad(y, a, c), y)
	feed := [][]float64{normals(rand.New(rand.NewPCG(7, 1)), 48),
		normals(rand.New(rand.NewPCG(8, 1)), 48), make([]float64, 12)}
	ev := must.Get(ad.NewEvaluator(nodes(a, c, index), outputs, ad.Options{}))(t)
	defer ev.Close()
	dst, src := room(outputs), feeds(feed)
	if n := testing.AllocsPerRun(20, func() {
		must.Do(t, ev.Eval(dst, src))
	}); n != 0 {
		t.Errorf("got %v allocations per run, want 0", n)
	}
}
