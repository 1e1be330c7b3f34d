package autograd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// weighted builds log mean exp over samples of a quadratic in w with random
// scales, and its gradient: a graph whose cotangents are sparse.
func weighted(t *testing.T, spread float64) (inputs, outputs []*Node, feeds []Feed) {
	t.Helper()
	const d, particles, samples = 5, 3, 43
	b := NewBuilder("weighted")
	p := b.Axis("particle", particles)
	s := b.Axis("sample", samples)
	w := b.Input("w", Shape{d}, p)
	u := b.Input("u", Shape{d, d}, p, s)
	x := u.MatMul(w.Reshape(Shape{d, 1})).Reshape(Shape{d}).Tanh()
	terms := x.Square().Scale(-spread).Add(x)
	joint := terms.Sum().LogMeanExpOver(s)
	each := terms.LogMeanExpOver(s).Sum()
	outputs = append([]*Node{joint, each}, append(b.Grad(joint, w), b.Grad(each, w)...)...)
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{particles * d, particles * samples * d * d} {
		data := make([]float64, n)
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		feeds = append(feeds, Feed{Data: data})
	}
	return []*Node{w, u}, outputs, feeds
}

func evaluate(t *testing.T, e Evaluator, outputs []*Node, feeds []Feed) [][]float64 {
	t.Helper()
	dst := make([][]float64, len(outputs))
	for i, n := range outputs {
		dst[i] = make([]float64, n.axes.lanes(n.b)*n.shape.Len())
	}
	if err := e.Eval(dst, feeds); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestSparseCotangents: leaving out the lanes of negligible weight changes
// nothing beyond rounding, whether few or all lanes count; and few do when the
// weights are spread out.
func TestSparseCotangents(t *testing.T) {
	for _, spread := range []float64{0, 1, 100, 1e5} {
		inputs, outputs, feeds := weighted(t, spread)
		var got [2][][]float64
		var packed int
		for i, lanes := range []bool{true, false} {
			var without Pass
			if !lanes {
				without = ElementSchedule
			}
			p, err := Compile(inputs, outputs, without)
			if err != nil {
				t.Fatal(err)
			}
			if (p.lane != nil) != lanes {
				t.Fatalf("lane program: got %v, want %v", p.lane != nil, lanes)
			}
			e, err := p.NewEvaluator(Options{})
			if err != nil {
				t.Fatal(err)
			}
			got[i] = evaluate(t, e, outputs, feeds)
			if lanes {
				packed = selected(p, e)
			}
			e.Close()
		}
		for i := range outputs {
			for k, want := range got[1][i] {
				// Exponents of size spread carry their rounding into the weights.
				if g := got[0][i][k]; !(math.Abs(g-want) <= (1e-13+1e-16*spread)*max(math.Abs(want), 1)) {
					t.Errorf("spread %v, output %d, element %d: got %v, want %v", spread, i, k, g, want)
				}
			}
		}
		if spread == 0 && packed != 43 {
			t.Errorf("equal weights: %d lanes count, want all 43", packed)
		}
		if spread == 1e5 && packed > 10 {
			t.Errorf("spread weights: %d lanes count, want a few", packed)
		}
	}
}

// selected is how many lanes the last packed group ran on.
func selected(p *Program, e Evaluator) int {
	n := 0
	for _, lv := range p.lane.levels {
		for _, g := range lv.groups {
			if g.mask != nil {
				n = len(e.(*compiled).frames[0].machine.Select(g.mask.x, p.lanes))
			}
		}
	}
	return n
}

// TestPlanner: ranges in use never overlap, and freed ones are reused.
func TestPlanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := newPlanner(3)
	type used struct{ off, n int }
	var live []used
	total := 0
	for range 2000 {
		if len(live) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(live))
			p.free(live[i].off, live[i].n)
			live = append(live[:i], live[i+1:]...)
			continue
		}
		n := 1 + rng.IntN(100)
		total += n
		off := p.alloc(n)
		if off < 3 || off+n > p.size {
			t.Fatalf("range [%d,%d) outside the arena of %d", off, off+n, p.size)
		}
		for _, u := range live {
			if off < u.off+u.n && u.off < off+n {
				t.Fatalf("range [%d,%d) overlaps [%d,%d)", off, off+n, u.off, u.off+u.n)
			}
		}
		live = append(live, used{off, n})
	}
	if p.size > total/4 {
		t.Errorf("arena of %d for %d allocated in all: freed ranges are not reused", p.size, total)
	}
}

// TestConcurrentCompile: different graphs compile at the same time; nothing that
// they share is written to (run under the race detector).
func TestConcurrentCompile(t *testing.T) {
	done := make(chan error)
	for range 4 {
		go func() {
			b := NewBuilder("concurrent")
			x := b.Input("x", Shape{2}, b.Axis("particle", 5))
			y := x.Cos().Add(x.Tanh()).Add(x.Square().AddScalar(1).Log()).Add(x.Clamp(-1, 1)).Sum()
			_, err := Compile([]*Node{x}, append(b.Grad(y, x), y))
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
