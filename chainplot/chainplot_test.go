package chainplot_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/chainplot"
	"tobac/internal/must"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func noise(chains, draws int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([][]float64, chains)
	for k := range out {
		for range draws {
			out[k] = append(out[k], rng.NormFloat64())
		}
	}
	return out
}

func svg(t testing.TB, p *plot.Plot, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	w := must.Get(p.WriterTo(4*vg.Inch, 3*vg.Inch, "svg"))(t)
	var b bytes.Buffer
	must.Get(w.WriteTo(&b))(t)
	return b.String()
}

// Every picture names what it shows, covers all numbers, and has the same bytes twice.
func TestPictures(t *testing.T) {
	x, y := noise(4, 100), noise(4, 100)
	x[2][7] = 40
	marks := make([][]bool, 4)
	for k := range marks {
		marks[k] = make([]bool, 100)
	}
	marks[1][3] = true
	for name, c := range map[string]struct {
		draw  func() (*plot.Plot, error)
		words []string
		most  float64 // of an axis
	}{
		"trace": {func() (*plot.Plot, error) { return chainplot.Trace("tau", x) },
			[]string{"tau", "draw"}, 40},
		"ranks": {func() (*plot.Plot, error) { return chainplot.Ranks("tau", x) },
			[]string{"rank", "chain 4"}, 0},
		"pair": {func() (*plot.Plot, error) { return chainplot.Pair("tau", "mu", x, y, marks) },
			[]string{"tau", "mu", "divergent"}, 40},
		"energy": {func() (*plot.Plot, error) { return chainplot.Energy(x) },
			[]string{"energies", "changes"}, 39},
	} {
		p, err := c.draw()
		text := svg(t, p, err)
		for _, w := range c.words {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q", name, w)
			}
		}
		if math.Max(p.X.Max, p.Y.Max) < c.most {
			t.Errorf("%s: axes end at %v and %v, want %v", name, p.X.Max, p.Y.Max, c.most)
		}
		again, err := c.draw()
		if svg(t, again, err) != text {
			t.Errorf("%s: other bytes at the second time", name)
		}
	}
}

// Wrong numbers are errors that say which.
func ExampleTrace() {
	_, err := chainplot.Trace("tau", [][]float64{{1, 2}, {1, math.NaN()}})
	fmt.Println(err)
	// Output: chainplot: draw 1 of chain 1 is NaN, want a finite number
}
