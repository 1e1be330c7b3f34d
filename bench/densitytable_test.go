package bench_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"tobac/autograd"
	"tobac/bench/internal/densities"
)

// perDensity is the time that one form of a density is measured for.
const perDensity = 300 * time.Millisecond

// densityParticles are the numbers of particles that densities are timed with.
var densityParticles = []int{32, 1}

// BenchmarkDensity times value and gradient of all particles in every form, on one
// worker.
func BenchmarkDensity(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // gonum's blas would use all processors
	for _, d := range densities.All() {
		for _, particles := range densityParticles {
			x := points(d, particles)
			bench := func(name string, f *form, err error) {
				b.Run(fmt.Sprintf("%s/M=%d/%s", d.Name, particles, name), func(b *testing.B) {
					if err != nil {
						b.Skip(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if err := f.run(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			bench("handwritten", handwrittenForm(d, x), nil)
			for _, s := range append([]densities.Spelling{{Name: "expression"}}, d.Spellings...) {
				f, err := expressionForm(b, d, s, x, autograd.Compiled)
				bench(s.Name, f, err)
			}
			f, err := expressionForm(b, d, densities.Spelling{}, x, autograd.Tape)
			bench("tape", f, err)
		}
	}
}

// The table of docs/densities.md: for every density the time of its handwritten form
// and of its expression with the ratio of both, then how many times longer the other
// spellings and gorgonia's TapeMachine take than the expression. All forms of a
// density take turns, so that a busy machine slows them alike.
//
//	go test ./bench -run TestDensityTable -long -v -timeout 60m
func TestDensityTable(t *testing.T) {
	measured(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // gonum's blas would use all processors
	for _, particles := range densityParticles {
		var table strings.Builder
		w := tabwriter.NewWriter(&table, 0, 0, 1, ' ', 0)
		fmt.Fprintln(w, "| density\t| parameters\t| compile\t| handwritten (b)\t| expression (a)\t| a/b\t| spellings (c)\t| c/a\t| tape/a\t|")
		fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
		for _, d := range densities.All() {
			writeDensity(t, w, d, particles)
		}
		w.Flush()
		t.Logf("minimum time of value and gradient, %d particles, one worker, kernels %s\n%s", particles, autograd.Kernels(), table.String())
	}
}

// writeDensity measures one density and writes its row.
func writeDensity(t *testing.T, w *tabwriter.Writer, d *densities.Density, particles int) {
	t.Helper()
	x := points(d, particles)
	hand := handwrittenForm(d, x)
	forms := []*form{hand}
	for _, s := range append([]densities.Spelling{{Name: "expression"}}, d.Spellings...) {
		f, err := expressionForm(t, d, s, x, autograd.Compiled)
		if err != nil {
			t.Fatalf("%s, %s: %v", d.Name, s.Name, err)
		}
		forms = append(forms, f)
	}
	tape, refused := expressionForm(t, d, densities.Spelling{Name: "tape"}, x, autograd.Tape)
	if refused == nil {
		forms = append(forms, tape)
	}
	var works []func() error
	for _, f := range forms {
		works = append(works, f.run)
	}
	seconds := timings(t, works, perDensity)
	a, b := seconds[1].fastest(), seconds[0].fastest()
	var names, ratios []string
	for i, s := range d.Spellings {
		forms[2+i].agree(t, hand)
		names = append(names, s.Name)
		ratios = append(ratios, fmt.Sprintf("%.2g", seconds[2+i].fastest()/a))
	}
	onTape := "refused"
	if refused == nil {
		tape.agree(t, hand)
		onTape = fmt.Sprintf("%.3g", seconds[len(seconds)-1].fastest()/a)
	}
	fmt.Fprintf(w, "| %s\t| %d\t| %s\t| %s\t| %s\t| %.2f\t| %s\t| %s\t| %s\t|\n", d.Name, d.Params, digits(forms[1].compile.Seconds()),
		digits(b), digits(a), a/b, strings.Join(names, ", "), strings.Join(ratios, ", "), onTape)
}
