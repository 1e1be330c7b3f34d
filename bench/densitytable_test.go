package bench_test

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/bench/internal/densities"
)

// perDensity is the time that one form of a density is measured for.
const perDensity = 600 * time.Millisecond

// densityParticles are the numbers of particles that densities are timed with.
var densityParticles = []int{32, 1}

// What bench/notes/densities.md wants: a spelling takes at most otherwise times as long as the
// expression.
const otherwise = 2

// The tables of bench/notes/densities.md: for every density the time of its expression, then how
// many times longer than it the other spellings and gorgonia's TapeMachine take. All forms of a
// density take turns, so that a busy machine slows them alike. With -update the
// tables are written into the file.
//
//	go test ./bench -run TestDensityTable -long -v -timeout 60m
//	go test ./bench -run 'TestDensityTable/M=32/beta' -long -v
func TestDensityTable(t *testing.T) {
	measured(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // gonum's blas would use all processors
	all := densities.All()
	for _, particles := range densityParticles {
		t.Run(fmt.Sprintf("M=%d", particles), func(t *testing.T) {
			var rows []densityRow
			for _, d := range all {
				t.Run(d.Name, func(t *testing.T) {
					rows = append(rows, measureDensity(t, d, particles))
				})
			}
			table := densityTable(rows)
			t.Logf("minimum time of value and gradient, %d particles, one worker, kernels %s\n%s%s",
				particles, autograd.Kernels(), table, misses(rows))
			if *update && len(rows) == len(all) {
				replaceTable(t, "densities.md", fmt.Sprintf("M=%d", particles), table)
			}
		})
	}
}

// A densityRow has the times of all forms of one density, in seconds.
type densityRow struct {
	density          *densities.Density
	compile, natural float64
	spellings        []float64 // as in the density
	tape             float64   // zero if it cannot run the graph
}

// measureDensity measures one density, of which all forms must agree.
func measureDensity(t *testing.T, d *densities.Density, particles int) densityRow {
	t.Helper()
	x := points(d, particles)
	var forms []*form
	for _, s := range append([]densities.Spelling{{Name: "expression"}}, d.Spellings...) {
		f, err := expressionForm(t, d, s, x, autograd.Compiled)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		forms = append(forms, f)
	}
	tape, err := expressionForm(t, d, densities.Spelling{Name: "tape"}, x, gorgonia.Tape)
	if err != nil {
		t.Log(err)
	} else {
		forms = append(forms, tape)
	}
	works := make([]func() error, len(forms))
	for i, f := range forms {
		works[i] = f.run
	}
	times := timings(t, works, perDensity)
	row := densityRow{density: d, compile: forms[0].compile.Seconds(), natural: times[0].fastest()}
	for i := range d.Spellings {
		row.spellings = append(row.spellings, times[1+i].fastest())
	}
	if err == nil {
		row.tape = times[len(times)-1].fastest()
	}
	for _, f := range forms[1:] {
		f.agree(t, forms[0])
	}
	return row
}

// densityTable is a table in Markdown.
func densityTable(rows []densityRow) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| density\t| parameters\t| compile\t| time\t| spellings\t| tape\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, r := range rows {
		d := r.density
		var ratios []string
		for i, seconds := range r.spellings {
			ratios = append(ratios,
				fmt.Sprintf("%s %s", d.Spellings[i].Name, ratio(seconds, r.natural)))
		}
		tape := "refused"
		if r.tape > 0 {
			tape = ratio(r.tape, r.natural)
		}
		fmt.Fprintf(w, "| %s\t| %d\t| %s\t| %s\t| %s\t| %s\t|\n", d.Name, d.Params,
			digits(r.compile),
			digits(r.natural), strings.Join(ratios, "; "), tape)
	}
	w.Flush()
	return text.String()
}

// misses lists the spellings beyond the bound.
func misses(rows []densityRow) string {
	var apart []string
	for _, r := range rows {
		for i, s := range r.density.Spellings {
			if r.spellings[i] > otherwise*r.natural {
				apart = append(apart, fmt.Sprintf("%s: %s (%s)", r.density.Name, s.Name,
					ratio(r.spellings[i], r.natural)))
			}
		}
	}
	return fmt.Sprintf(
		"spellings that take more than %d times as long as the expression: %d\n  %s\n",
		otherwise, len(apart), strings.Join(apart, "\n  "))
}

// ratio with two significant digits, and without exponent.
func ratio(a, b float64) string {
	v := a / b
	return strconv.FormatFloat(scalar.Round(v, 1-int(math.Floor(math.Log10(v)))), 'f', -1, 64)
}
