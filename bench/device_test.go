//go:build unix

package bench_test

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"tobac/autograd"
	"tobac/bench/internal/densities"
	"tobac/chain"
	"tobac/density"
	"tobac/internal/must"
	"tobac/internal/posteriordb"
	"tobac/nuts"
)

var (
	clockParticles = flag.String("particles", "1,32,1024", "numbers of particles of TestClockTimes")
	clockChains    = flag.Int("chains", 256, "chains of TestManyChains")
)

// Times by the clock of the seventeen models and of the twelve growing densities at one size, on
// one processor and on all, beside JAX on a device of the same machine:
//
//	python3 bench/rivals/growth.py gpu.json --device gpu
//	go test ./bench -run TestClockTimes -long -v -jax gpu.json
func TestClockTimes(t *testing.T) {
	measured(t)
	var others map[string]other
	if *otherTimes != "" {
		others = readOther(t, *otherTimes)
	}
	var points []growthPoint
	for _, all := range [][]densities.Growing{densities.Seventeen(), densities.Grow()} {
		for i := range all {
			for text := range strings.SplitSeq(*clockParticles, ",") {
				m := must.Get(strconv.Atoi(text))(t)
				points = append(points, growthPoint{&all[i], all[i].Base, m})
			}
		}
	}
	workers := runtime.GOMAXPROCS(0)
	t.Logf("kernels %s, all particles at once\n| density | particles | one processor | %d |"+
		" JAX | JAX / one | JAX / %[2]d |\n| --- | --- | --- | --- | --- | --- | --- |",
		autograd.Kernels(), workers)
	for _, p := range points {
		one, all := p.compileFor(t, 1), p.compileFor(t, workers)
		times := timings(t, []func() error{one.run, all.run}, 100*time.Millisecond)
		a, b := times[0].fastest(), times[1].fastest()
		beside := " | | "
		if o, known := others[p.name()]; known {
			o.compare(t, p, one)
			beside = fmt.Sprintf("%s | %.2f | %.2f", digits(o.Seconds), o.Seconds/a, o.Seconds/b)
		}
		fmt.Printf("| %s, %s %d | %d | %s | %s | %s |\n", p.density.Name, p.density.Size, p.n, p.m,
			digits(a), digits(b), beside)
	}
}

// Times by the clock of steps of the published set-up and of one with ten times as many particles,
// on one processor and on all, beside JAX:
//
//	python3 bench/rivals/step.py steps.json --device gpu --particles 30,300
//	go test ./bench -run TestClockSteps -long -v -jax steps.json
func TestClockSteps(t *testing.T) {
	measured(t)
	var others map[string]other
	if *otherTimes != "" {
		others = readOther(t, *otherTimes)
	}
	workers := runtime.GOMAXPROCS(0)
	t.Logf("kernels %s\n| step | particles | one processor | %d | JAX, float64 | float32 |\n"+
		"| --- | --- | --- | --- | --- | --- |", autograd.Kernels(), workers)
	for _, particles := range []int{30, 300} {
		for _, row := range []struct {
			name, model string
			vars        int
		}{
			{"linear", stepLinear, 10}, {"linear", stepLinear, 20}, {"linear", stepLinear, 50},
			{"network", stepFFN, 20},
		} {
			var works []func() error
			for _, workers := range []int{1, workers} {
				s := stepSetup{model: row.model, vars: row.vars, particles: particles,
					workers: workers}
				works = append(works, s.problem(t, autograd.Compiled).stepper())
			}
			times := timings(t, works, 300*time.Millisecond)
			fmt.Printf("| %s, d = %d | %d | %s | %s |", row.name, row.vars, particles,
				digits(times[0].fastest()), digits(times[1].fastest()))
			for _, dtype := range []string{"float64", "float32"} {
				key := fmt.Sprintf("model=%s/d=%d/M=%d/%s", row.name, row.vars, particles, dtype)
				if o, known := others[key]; known {
					fmt.Printf(" %s |", digits(o.Seconds))
				} else {
					fmt.Print(" |")
				}
			}
			fmt.Println()
		}
	}
}

// Many chains of the no-U-turn sampler on all processors, 100 draws each after 200 of warm-up, by
// the clock:
//
//	python3 bench/rivals/posteriordb.py --device gpu --chains 256 eight_schools-…
//	go test ./bench -run TestManyChains -long -v -chains 256
func TestManyChains(t *testing.T) {
	measured(t)
	for _, name := range []string{
		"eight_schools-eight_schools_noncentered", "sblrc-blr",
		"low_dim_gauss_mix-low_dim_gauss_mix", "gp_pois_regr-gp_regr", "arK-arK",
	} {
		p := posteriordb.Named(name)
		data := must.Get(p.Data())(t)
		m := must.Get(density.New(p.Model, density.Options{Points: *clockChains, Data: data,
			Workers: runtime.GOMAXPROCS(0)}))(t)
		defer m.Close()
		begin, gradients := time.Now(), 0
		s := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: 1, WarmUp: 200}
		x := must.Get(s.Run(t.Context(), 100,
			func(_ int, c *chain.Chain) { gradients += c.Leaps }))(t)
		took := time.Since(begin).Seconds()
		fmt.Printf("%s: %d chains, %.0f effective draws in %.3g s, %d gradients\n", name,
			*clockChains, leastEffective(t, m, x), took, gradients)
	}
}
