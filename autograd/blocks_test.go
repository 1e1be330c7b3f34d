package autograd_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/internal/dense"
	"tobac/internal/must"
)

// inBlocks makes programs of a test that have many numbers compute steps in blocks of some.
func inBlocks(t *testing.T, many, some int) {
	wereMany, wereSome := dense.ManyNumbers, dense.BlockNumbers
	t.Cleanup(func() { dense.ManyNumbers, dense.BlockNumbers = wereMany, wereSome })
	dense.ManyNumbers, dense.BlockNumbers = many, some
}

// TestBlocksOfPrograms: random programs computed row by row, and a few rows at a time, have the
// results of the reference engine.
func TestBlocksOfPrograms(t *testing.T) {
	count := uint64(120)
	if testing.Short() || raceEnabled {
		count = 24
	}
	for seed := range count {
		inBlocks(t, 1+int(seed%3)*100, 1+int(seed%2)*40)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			checkProgram(t, programBytes(seed), 0, ad.ElementSchedule)
		})
	}
}

// TestBlocks: a regression and a network of some rows are computed in blocks, of which the last
// is shorter, and have the results of the reference engine.
func TestBlocks(t *testing.T) {
	const n, d, h = 531, 5, 3
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i + 1))
	}
	for i := range y {
		y[i] = float64(i % 2) // products with zeros are left out
	}
	data := func(p *ad.Node) (table, response *ad.Node) {
		return p.Builder().Constant(x, ad.Shape{n, d}), p.Builder().Constant(y, ad.Shape{n})
	}
	for _, c := range []struct {
		name     string
		size     int
		together int // steps, at least
		density  func(p *ad.Node) *ad.Node
	}{
		{"logistic regression", d, 5, func(p *ad.Node) *ad.Node {
			table, response := data(p)
			eta := table.MatVec(p)
			return response.Mul(eta).Sub(eta.Softplus()).Sum().Sub(p.Square().Sum())
		}},
		{"linear regression", d + 1, 12, func(p *ad.Node) *ad.Node { // a logarithm amid the rows
			table, response := data(p)
			scale := p.Slice(0, d, d+1).Reshape(ad.Shape{}).Exp()
			z := response.Sub(table.MatVec(p.Slice(0, 0, d))).Div(scale)
			return z.Square().Scale(-.5).Sub(scale.Log()).Sum()
		}},
		{"network", d*h + h, 5, func(p *ad.Node) *ad.Node {
			table, response := data(p)
			units := table.MatMul(p.Slice(0, 0, d*h).Reshape(ad.Shape{d, h})).Tanh()
			f := units.MatVec(p.Slice(0, d*h, d*h+h))
			return response.Sub(f).Square().Sum().Neg()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBlocks(t, 64*20, 1000)
			b := ad.NewBuilder(c.name)
			p := b.Input("p", ad.Shape{c.size}, b.Axis("particle", 1))
			v := c.density(p)
			inputs, outputs := []*ad.Node{p}, append(b.Grad(v, p), v)
			at := [][]float64{x[7:][:c.size]}
			got := runEngines(t, inputs, outputs, at, 1e-12)
			for workers := 1; workers <= 3; workers++ {
				e := must.Get(ad.NewEvaluator(inputs, outputs, ad.Options{Workers: workers}))(t)
				defer e.Close()
				again := [][]float64{make([]float64, c.size), make([]float64, 1)}
				for range 3 {
					must.Do(t, e.Eval(again, []ad.Feed{{Data: at[0]}}))
					if !slices.Equal(again[0], got[0]) || again[1][0] != got[1][0] {
						t.Errorf("%d workers: %v, want %v", workers, again, got)
					}
				}
			}
			program := must.Get(ad.Compile(inputs, outputs))(t)
			profile := must.Get(program.Profile(got, []ad.Feed{{Data: at[0]}}, 1))(t)
			most := 0
			for _, part := range profile.Parts {
				var k int
				if _, after, ok := strings.Cut(part.Name, ", "); ok {
					if _, err := fmt.Sscanf(after, "%d at once", &k); err == nil {
						most = max(most, k)
					}
				}
			}
			if most < c.together {
				t.Errorf("%d steps are computed together, want %d:\n%v", most, c.together, profile)
			}
		})
	}
}
