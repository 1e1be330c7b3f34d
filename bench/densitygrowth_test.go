//go:build unix

package bench_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"

	"tobac/autograd"
	"tobac/bench/internal/densities"
	"tobac/internal/must"
)

// otherTimes is a file that bench/rivals/growth.py wrote on this machine.
var otherTimes = flag.String("jax", "",
	"times and values of JAX for the tables of growth: `FILE` of bench/rivals/growth.py")

// growingParticles are the numbers of particles: one, a strip of lanes, two, beyond two, and
// those that samplers use.
var growingParticles = []int{1, 8, 16, 17, 32, 100}

// A growthPoint is one size of a growing density, with a number of particles.
type growthPoint struct {
	density *densities.Growing
	n, m    int
}

func (p growthPoint) name() string {
	return fmt.Sprintf("density=%s/%s=%d/M=%d", p.density.Name, p.density.Size, p.n, p.m)
}

// growthPoints are all sizes with one particle, then one size with more and more.
func growthPoints() (points []growthPoint) {
	grow := densities.Grow()
	for i := range grow {
		d := &grow[i]
		for _, n := range d.Values {
			points = append(points, growthPoint{d, n, 1})
		}
		for _, m := range growingParticles {
			if m > 1 {
				points = append(points, growthPoint{d, d.Base, m})
			}
		}
	}
	return points
}

// A grown is a growing density compiled at one size.
type grown struct {
	values, grad []float64
	run          func() error
	build        float64 // seconds of the processor
	allocated    uint64
}

// compile builds and compiles log density and gradient, on one worker.
func (p growthPoint) compile(tb testing.TB) *grown { return p.compileFor(tb, 1) }

func (p growthPoint) compileFor(tb testing.TB, workers int) *grown {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorSeconds(tb)
	params, logp := p.density.At(p.n)
	b := autograd.NewBuilder(p.density.Name)
	x := b.Input("x", autograd.Shape{params}, b.Axis("particle", p.m))
	y := logp(x)
	outputs := []*autograd.Node{y, b.Grad(y, x)[0]}
	e := must.Get(autograd.NewEvaluator([]*autograd.Node{x}, outputs,
		autograd.Options{Workers: workers}))(tb)
	g := &grown{values: make([]float64, p.m), grad: make([]float64, p.m*params),
		build: processorSeconds(tb) - start}
	runtime.ReadMemStats(&after)
	g.allocated = after.TotalAlloc - before.TotalAlloc
	tb.Cleanup(e.Close)
	dst, src := [][]float64{g.values, g.grad},
		[]autograd.Feed{{Data: p.density.Points(p.m, params)}}
	g.run = func() error { return e.Eval(dst, src) }
	return g
}

// BenchmarkGrowthOfDensities times value and gradient at every point of the table, for each
// particle in processor time, since the clock shows what else runs as cliffs; compiling and what it
// allocates are metrics.
func BenchmarkGrowthOfDensities(b *testing.B) {
	for _, p := range growthPoints() {
		b.Run(p.name(), func(b *testing.B) {
			g := p.compile(b)
			must.Do(b, g.run())
			b.ReportAllocs()
			start := processorSeconds(b)
			for b.Loop() {
				must.Do(b, g.run())
			}
			each := (processorSeconds(b) - start) / float64(b.N) / float64(p.m)
			b.ReportMetric(each*1e6, "processor-µs/particle")
			b.ReportMetric(g.build*1e3, "ms/compilation")
			b.ReportMetric(float64(g.allocated)/(1<<20), "MiB/compilation")
		})
	}
}

// The same densities have the values and gradients that JAX found, at the points that are
// quick to compile; the numbers are in testdata/growth.json, by bench/rivals/growth.py.
func TestGrowingDensities(t *testing.T) {
	other := readOther(t, "testdata/growth.json")
	for _, p := range growthPoints() {
		want, known := other[p.name()]
		if !known || testing.Short() && want.Seconds > 1e-3 {
			continue
		}
		g := p.compile(t)
		must.Do(t, g.run())
		want.compare(t, p, g)
	}
}

// An other is what another program measured at one point.
type other struct {
	Seconds float64 `json:"seconds"`
	Value   float64 `json:"value"`    // sum of the log densities
	Grad    float64 `json:"gradient"` // norm of all gradients
}

func (o other) compare(t *testing.T, p growthPoint, g *grown) {
	t.Helper()
	value, square := 0.0, 0.0
	for _, v := range g.values {
		value += v
	}
	for _, v := range g.grad {
		square += v * v
	}
	if !near(value, o.Value, 1e-8) || !near(math.Sqrt(square), o.Grad, 1e-8) {
		t.Errorf("%s: log densities %.15g and norm of gradients %.15g, want %.15g and %.15g",
			p.name(), value, math.Sqrt(square), o.Value, o.Grad)
	}
}

func readOther(t *testing.T, path string) map[string]other {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	all := map[string]other{}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return all
}

// How value and gradient of twelve densities grow with rows, columns, units, steps, nodes and
// particles: the time of one particle, the exponent from the line before, and how many times
// as long JAX takes, if its times are given. Nothing is asserted about times.
//
//	python3 bench/rivals/growth.py growth.json   # needs jax
//	go test ./bench -run TestGrowthOfDensities -long -v -jax growth.json
func TestGrowthOfDensities(t *testing.T) {
	measured(t)
	others := map[string]other{}
	if *otherTimes != "" {
		others = readOther(t, *otherTimes)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	t.Logf("kernels %s", autograd.Kernels())
	points := growthPoints()
	for len(points) > 0 {
		d, n := points[0].density, 0
		for n < len(points) && points[n].density == d {
			n++
		}
		t.Run(d.Name+" "+d.Size, func(t *testing.T) { growthTable(t, points[:n], others) })
		points = points[n:]
	}
}

// growthTable measures the points of one density.
func growthTable(t *testing.T, points []growthPoint, others map[string]other) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tparticles\tcompilation\tallocated\tone particle\texponent\tJAX / ours\t\n",
		points[0].density.Size)
	var last growthPoint
	var lastTime float64
	for _, p := range points {
		g := p.compile(t)
		seconds := processorTime(t, g.run) / float64(p.m)
		slope, ratio := "", ""
		if last.m == p.m {
			slope = fmt.Sprintf("%.2f",
				exponent([]float64{float64(last.n), float64(p.n)},
					[]float64{lastTime, seconds}))
		}
		if o, known := others[p.name()]; known {
			ratio = fmt.Sprintf("%.2f", o.Seconds/float64(p.m)/seconds)
			o.compare(t, p, g)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%.1f MiB\t%s\t%s\t%s\t\n", p.n, p.m, digits(g.build),
			float64(g.allocated)/(1<<20), digits(seconds), slope, ratio)
		last, lastTime = p, seconds
	}
	w.Flush()
	t.Logf("%s\n%s", points[0].density.Name, table.String())
}

// processorTime is the least processor time of a call among windows of ten milliseconds, which
// other programs on the machine disturb less than the clock.
func processorTime(t *testing.T, run func() error) float64 {
	t.Helper()
	const window, budget = 0.01, 0.25
	must.Do(t, run())
	least, first := math.Inf(1), processorSeconds(t)
	for begun := first; begun-first < budget; {
		calls, now := 0, begun
		for calls == 0 || now-begun < window {
			for range calls + 1 { // ever more calls between two looks at the clock
				must.Do(t, run())
			}
			calls += calls + 1
			now = processorSeconds(t)
		}
		least, begun = min(least, (now-begun)/float64(calls)), now
	}
	return least
}
