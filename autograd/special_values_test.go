package autograd_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/internal/vector"
)

// specials are the numbers that operations most easily get wrong. Every operation sees
// every pair of them, a number with itself included.
var specials = [specialCount]float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5,
	5e-324, -5e-324, 2e-310, math.MaxFloat64, -math.MaxFloat64, 1e300, -1e300, 1e-300,
	-1e-300, -0.5, 2, -3, 10, 40, -40, -745.2,
}

const specialCount = 24

// specialChild names the kernel set that a process started by TestSpecialValues is for,
// which runs childTests.
const (
	specialChild = "TOBAC_TEST_SPECIAL_VALUES"
	programTests = "RandomPrograms|Expectations|RewritingKeepsValues|FailuresByName"
	childTests   = "^Test(SpecialValues|ElementsAloneAndTogether|" + programTests + ")$"
)

// TestSpecialValues compares the operations with their definition in plain Go: value and gradient
// at special numbers (FuzzElements has others), for operands that differ between lanes, are the
// same in all, or constant, on every engine and kernel set. A process has one kernel set, so that
// the other sets run in processes of their own.
func TestSpecialValues(t *testing.T) {
	child := os.Getenv(specialChild)
	if got := ad.Kernels(); child != "" && got != child {
		t.Fatalf("kernels %q, want %q", got, child)
	}
	if child == "" && !testing.Short() && !raceEnabled {
		for _, set := range vector.Available() {
			if set.String() == ad.Kernels() {
				continue
			}
			t.Run("kernels="+set.String(), func(t *testing.T) {
				t.Parallel()
				tests := childTests
				if set == vector.AVX2 { // kernels have the bits of AVX-512, as their tests show
					tests = "^Test(" + programTests + ")$"
				}
				cmd := exec.Command(os.Args[0], "-test.run", tests)
				cmd.Env = append(os.Environ(), "TOBAC_KERNELS="+set.String(),
					specialChild+"="+set.String())
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v:\n%s", err, out)
				}
			})
		}
	}
	if !raceEnabled { // one goroutine has no races, and these are many programs
		t.Run("elements", testMeanings)
		t.Run("reductions over lanes", testLaneReductions)
		t.Run("weights over lanes", testLaneWeights)
		t.Run("products of matrices", testMatrixProducts)
	}
	t.Run("every operation has a row", func(t *testing.T) {
		known := map[string]bool{ // of testLaneReductions and testLaneWeights
			"sum_over": true, "logsumexp_over": true, "max_over": true, "softmax_over": true,
		}
		for _, m := range meanings() {
			known[m.op] = true
		}
		for _, op := range ad.Ops() {
			if !known[op] {
				t.Errorf("no row for op %s", op)
			}
		}
	})
}

// An answer is what an operation may return for its operands: one of a few numbers, or
// without any anything that all engines agree on.
type answer struct {
	numbers   []float64
	scale     float64 // of the terms it is a sum of: rounding is relative to that
	condition float64 // how much of the operand's relative error the answer has, above 1
	exact     bool    // correctly rounded, and the sign of zero counts
	count     int     // of equal numbers that it is the sum of, if not 0
}

// is is the answer that rounding may change.
func is(v ...float64) answer { return answer{numbers: v} }

// exactly is an answer that every engine gives bit by bit.
func exactly(v float64) answer { return answer{numbers: []float64{v}, exact: true} }

// agreed is any number that the engines agree on.
func agreed() answer { return answer{} }

// relative to the answer or its scale, beside a few subnormal numbers.
const (
	specialTolerance = 1e-14
	specialUnderflow = 1e-321
)

// admits reports whether v is one of the numbers of the answer.
func (a answer) admits(v float64) bool {
	for _, w := range a.numbers {
		switch {
		case math.IsNaN(w) && math.IsNaN(v):
			return true
		case a.exact:
			if v == w && (w != 0 || math.Signbit(v) == math.Signbit(w)) {
				return true
			}
		case v == w, !math.IsInf(w, 0) &&
			math.Abs(v-w) <= max(specialTolerance*max(math.Abs(w), a.scale),
				specialTolerance*a.condition*math.Abs(w))+specialUnderflow:
			return true
		}
	}
	return false
}

// times is the answer for a sum of n equal numbers.
func (a answer) times(n int) answer {
	b := answer{scale: a.scale * float64(n), condition: a.condition, count: n}
	for _, w := range a.numbers {
		b.numbers = append(b.numbers, w*float64(n))
	}
	return b
}

func (a answer) String() string {
	if len(a.numbers) == 0 {
		return "what the first engine returned"
	}
	words := make([]string, len(a.numbers))
	for i, v := range a.numbers {
		words[i] = fmt.Sprint(v)
		if v == 0 && math.Signbit(v) {
			words[i] = "-0"
		}
	}
	return strings.Join(words, " or ")
}

// testMeanings runs every row.
func testMeanings(t *testing.T) {
	for _, m := range meanings() {
		t.Run(m.op+"/"+m.name, func(t *testing.T) {
			agreed := map[string]float64{}
			for _, roles := range m.roles() {
				known := map[wantedKey]*wanted{}
				for i, g := range grids() {
					if m.needs(i, roles) {
						p := &meaningRun{meaning: m, grid: g, roles: roles, numbers: specials[:],
							agreed: agreed, known: known}
						p.build(t)
						p.engines(t, i)
					}
				}
			}
		})
	}
}

// engines runs a program on the engines: those that do not depend on the number of
// lanes on the first grids only.
func (p *meaningRun) engines(t *testing.T, grid int) {
	apart, level := []bool{false}, []bool{true}
	if !strings.Contains(p.roles, "u") {
		level = nil
	}
	run := func(engine string, opt ad.Options, levels []bool) {
		if len(levels) == 0 {
			return
		}
		t.Run(fmt.Sprintf("%s/%v/%s", p.roles, p.grid, engine), func(t *testing.T) {
			ev := p.prepare(t, opt)
			defer ev.Close()
			for _, l := range levels {
				p.run(t, ev, opt.Engine, l)
			}
		})
	}
	few, child := [...][]bool{apart, level, append(apart, level...), nil, nil}[grid],
		os.Getenv(specialChild) != ""
	if child && grid == 1 { // which is the first of them there
		few = append(apart, level...)
	}
	if grid < 2 && !child { // it knows no kernels
		run("reference", ad.Options{Engine: ad.Reference}, few)
	}
	run("by value", ad.Options{Without: ad.ElementSchedule}, few)
	if grid == 1 || grid == 2 {
		apart = append(apart, level...)
	}
	run("lanes", ad.Options{}, apart)
}
