package bench_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/models"
)

// BenchmarkCompile times the way from rows to a target that is ready to be evaluated: the
// expressions of the published set-up, their gradient and the compiler.
func BenchmarkCompile(b *testing.B) {
	for _, row := range []struct {
		model modelStep
		vars  []int
	}{{stepLinear, []int{10, 20, 50, 100}}, {stepFFN, []int{10, 20}}, {stepDiBS, []int{10, 20}}} {
		for _, d := range row.vars {
			b.Run(fmt.Sprintf("model=%s/d=%d", row.model, d), func(b *testing.B) {
				s := scale{vars: d}.withDefaults()
				data, edges := scaledData(b, row.model, s)
				b.ReportAllocs()
				for b.Loop() {
					compileProblem(b, row.model, data, edges, s, autograd.Compiled).target.Close()
				}
			})
		}
	}
}

// TestCompileTimes logs how long large models and graphs take to build and compile, and
// how much memory that allocates.
func TestCompileTimes(t *testing.T) {
	if !*long {
		t.Skip("takes a minute: -long")
	}
	for _, c := range []struct {
		name  string
		build func(t *testing.T)
	}{
		{"linear d=50", func(t *testing.T) {
			newScaledProblem(t, stepLinear, scale{vars: 50}, autograd.Compiled)
		}},
		{"linear d=100", func(t *testing.T) {
			newScaledProblem(t, stepLinear, scale{vars: 100}, autograd.Compiled)
		}},
		{"linear d=200", func(t *testing.T) {
			newScaledProblem(t, stepLinear, scale{vars: 200}, autograd.Compiled)
		}},
		{"network d=20, n=200, h=5", func(t *testing.T) { compileNetwork(t, 20, 200, 5, 128) }},
		{"network d=20, n=200, h=10", func(t *testing.T) { compileNetwork(t, 20, 200, 10, 128) }},
		{"network d=20, n=1000, h=100", func(t *testing.T) { compileNetwork(t, 20, 1000, 100, 8) }},
		{"clamp of 160,000 elements", func(t *testing.T) { compileClamp(t) }},
		{"chain of 200,000 nodes", func(t *testing.T) { compileChain(t, 100_000) }},
	} {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		c.build(t)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		t.Logf("%-32s %8.2f s %8.2f GB allocated", c.name, took.Seconds(),
			float64(after.TotalAlloc-before.TotalAlloc)/1e9)
	}
}

func compileNetwork(t *testing.T, vars, rows, hidden, samples int) {
	t.Helper()
	data, edges := scaledData(t, stepFFN, scale{vars: vars, rows: rows})
	lik, err := models.NewFeedForward(data, nil, models.FeedForwardOptions{Hidden: []int{hidden}})
	if err != nil {
		t.Fatal(err)
	}
	prior, err := models.NewErdosRenyi(vars, edges)
	if err != nil {
		t.Fatal(err)
	}
	target, err := models.NewTOBAC(lik,
		models.TOBACConfig{Particles: 2, Samples: samples, Prior: prior, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	x := target.Init()
	dst := make([]*mat.Dense, len(x))
	for i := range x {
		dst[i] = mat.NewDense(x[i].RawMatrix().Rows, x[i].RawMatrix().Cols, nil)
	}
	if err := target.Score(dst, x, 0); err != nil {
		t.Fatal(err)
	}
	t.Logf("first score %v", time.Since(start))
	target.Close()
}

func compileClamp(t *testing.T) {
	t.Helper()
	b := autograd.NewBuilder("clamp")
	p := b.Axis("particle", 30)
	x := b.Input("x", autograd.Shape{160_000}, p)
	if _, err := autograd.Compile([]*autograd.Node{x},
		[]*autograd.Node{x.Clamp(-1, 1).Tanh()}); err != nil {
		t.Fatal(err)
	}
}

func compileChain(t *testing.T, steps int) {
	t.Helper()
	b := autograd.NewBuilder("chain")
	p := b.Axis("particle", 30)
	x := b.Input("x", autograd.Shape{}, p)
	y := x
	for i := range steps {
		y = y.Sin().Scale(0.01 + 1e-6*float64(i))
	}
	start := time.Now()
	pr, err := autograd.Compile([]*autograd.Node{x}, []*autograd.Node{y})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start), pr.Explain())
}
