package exact_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

var tables = flag.String("tables", "",
	"folder into which TestSumu writes tables of scores for testdata/edges.py")

// sumuCases are the posteriors that testdata/sumu.json holds.
func sumuCases(t *testing.T) map[string]*exact.Orders {
	t.Helper()
	cases := map[string]struct {
		s     score.Scorer
		prior *score.Prior
	}{
		"random-11":        {randomTable(11, -700, 2, 42), score.Fair(11)},
		"random-15":        {randomTable(15, -700, 2, 42), score.Fair(15)},
		"wide-11":          {randomTable(11, -700, 0.01, 42), score.Fair(11)},
		"sachs-fair-11":    {sachs(t), score.Fair(11)},
		"sachs-uniform-11": {sachs(t), score.Uniform(11)},
	}
	x := must.Get(score.NewBGe(simulated(t, 15, 30, 100), nil, score.BGeOptions{}))(t)
	cases["simulated-15"] = struct {
		s     score.Scorer
		prior *score.Prior
	}{x, score.Fair(15)}
	all := map[string]*exact.Orders{}
	for name, c := range cases {
		if testing.Short() && c.s.Vars() > 11 {
			continue
		}
		_, all[name] = posterior(t, c.s, c.prior, exact.Options{})
		if *tables == "" {
			continue
		}
		var file bytes.Buffer
		d := c.s.Vars()
		for j := range d {
			for set := range 1 << (d - 1) {
				parents := members(set&(1<<j-1) | set>>j<<(j+1))
				must.Do(t, binary.Write(&file, binary.LittleEndian, c.s.LogScore(j, parents)+
					c.prior.LogPrior(j, parents)))
			}
		}
		must.Do(t, os.WriteFile(filepath.Join(*tables, name+".f64"), file.Bytes(),
			0o666))
	}
	return all
}

// Edge probabilities over graphs are those of an independent program, to its
// accuracy: it adds logarithms, which are in thousands of nats. Differences are
// 1e-11 for random scores of 11 variables, 9e-11 for 15, and 3e-10 for the Sachs data,
// where its two directions of the edge between 0 and 1, which is certain, sum to
// 1 − 4e-10. [TestGraphsInManyDigits] says that they are not on this side.
func TestSumu(t *testing.T) {
	text, err := os.ReadFile("testdata/sumu.json")
	if err != nil && *tables == "" {
		t.Fatal(err)
	}
	var golden struct{ Edges map[string][][]float64 }
	if err := json.Unmarshal(text, &golden); err != nil && *tables == "" {
		t.Fatal(err)
	}
	for name, o := range sumuCases(t) {
		t.Run(name, func(t *testing.T) {
			rows := golden.Edges[name]
			if rows == nil {
				t.Skip("no values")
			}
			want := mat.NewDense(len(rows), len(rows), nil)
			for i, row := range rows {
				want.SetRow(i, row)
			}
			g := graphs(t, o)
			near(t, "edge", g.Edges(), want, 5e-10)
		})
	}
}
