//go:build unix

package bench_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/bench/internal/densities"
	"tobac/internal/must"
)

// seventeenPoints are the seventeen models with one particle and with 32.
func seventeenPoints() (points []growthPoint) {
	all := densities.Seventeen()
	for i := range all {
		for _, m := range []int{1, 32} {
			points = append(points, growthPoint{&all[i], all[i].Base, m})
		}
	}
	return points
}

// The seventeen models have the values and gradients that JAX found; the numbers are in
// testdata/seventeen.json, by bench/rivals/growth.py.
func TestSeventeenModels(t *testing.T) {
	other := readOther(t, "testdata/seventeen.json")
	for _, p := range seventeenPoints() {
		want, known := other[p.name()]
		if !known {
			t.Errorf("%s: no numbers of JAX", p.name())
			continue
		}
		if testing.Short() && p.m > 1 {
			continue
		}
		g := p.compile(t)
		must.Do(t, g.run())
		want.compare(t, p, g)
	}
}

// Processor time of value and gradient of all particles beside JAX. Nothing is asserted about
// times.
//
//	python3 bench/rivals/growth.py seventeen.json --seventeen   # needs jax
//	go test ./bench -run TestSeventeenTimes -long -v -jax seventeen.json
func TestSeventeenTimes(t *testing.T) {
	measured(t)
	path := "testdata/seventeen.json"
	if *otherTimes != "" {
		path = *otherTimes
	}
	other := readOther(t, path)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var table strings.Builder
	for _, p := range seventeenPoints() {
		g := p.compile(t)
		seconds := processorTime(t, g.run)
		o := other[p.name()]
		o.compare(t, p, g)
		fmt.Fprintf(&table, "| %s | %d | %s | %s | %.1f |\n", p.density.Name, p.m, digits(seconds),
			digits(o.Seconds), o.Seconds/seconds)
	}
	head := "| model | particles | tobac | JAX | ratio |\n| --- | --- | --- | --- | --- |\n"
	t.Logf("kernels %s\n%s%s", autograd.Kernels(), head, table.String())
}
