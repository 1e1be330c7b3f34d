package arviz

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"tobac/chain"
	"tobac/density"

	"gonum.org/v1/gonum/mat"
)

// A Group is one of ArviZ's: posterior, posterior_predictive, prior, prior_predictive,
// log_likelihood or sample_stats, draws × numbers for each chain, with the variables
// that the numbers belong to. The group observed_data has one chain with one draw.
type Group struct {
	Name      string
	Variables []density.Recorded
	Chains    []*mat.Dense
}

var names = []string{
	"posterior",
	"posterior_predictive",
	"prior",
	"prior_predictive",
	"log_likelihood",
	"sample_stats",
	"observed_data",
}

func (g Group) check() error {
	known := false
	for _, n := range names {
		known = known || n == g.Name
	}
	if !known {
		return fmt.Errorf("arviz: group %q; allowed: %v", g.Name, names)
	}
	columns := 0
	for _, v := range g.Variables {
		columns += v.Shape.Len()
	}
	if len(g.Chains) == 0 || columns == 0 {
		return fmt.Errorf(
			"arviz: group %s has %d chains of %d numbers, want at least 1 of each",
			g.Name,
			len(g.Chains),
			columns,
		)
	}
	draws, _ := g.Chains[0].Dims()
	for k, c := range g.Chains {
		if r, n := c.Dims(); r != draws || n != columns {
			return fmt.Errorf(
				"arviz: chain %d of group %s has %d draws of %d numbers, want %d of %d",
				k,
				g.Name,
				r,
				n,
				draws,
				columns,
			)
		}
	}
	if g.Name == "observed_data" && (len(g.Chains) > 1 || draws > 1) {
		return fmt.Errorf(
			"arviz: observed_data of %d chains of %d draws, want one",
			len(g.Chains),
			draws,
		)
	}
	return nil
}

// Write writes groups. Nothing is written if one of them is wrong.
func Write(w io.Writer, groups ...Group) error {
	seen := map[string]bool{}
	for _, g := range groups {
		if err := g.check(); err != nil {
			return err
		}
		if seen[g.Name] {
			return fmt.Errorf("arviz: two groups %s", g.Name)
		}
		seen[g.Name] = true
	}
	out := writer{bufio.NewWriter(w)}
	out.text("{")
	for i, g := range groups {
		out.text(map[bool]string{true: ","}[i > 0] + "\n" + strconv.Quote(g.Name) + ": {")
		at := 0
		for j, v := range g.Variables {
			out.text(map[bool]string{true: ","}[j > 0] + "\n" + strconv.Quote(v.Name) + ": ")
			if g.Name == "observed_data" {
				out.array(v.Shape, g.Chains[0].RawRowView(0)[at:])
			} else {
				out.chains(g, at, v)
			}
			at += v.Shape.Len()
		}
		out.text("}")
	}
	out.text("\n}\n")
	return out.Flush()
}

type writer struct{ *bufio.Writer }

// text keeps the first error for Flush.
func (w writer) text(s string) { _, _ = w.WriteString(s) }

func (w writer) comma(i int) {
	if i > 0 {
		w.text(", ")
	}
}

func (w writer) chains(g Group, at int, v density.Recorded) {
	w.text("[")
	for k, c := range g.Chains {
		w.comma(k)
		w.text("[")
		draws, _ := c.Dims()
		for i := range draws {
			w.comma(i)
			w.array(v.Shape, c.RawRowView(i)[at:])
		}
		w.text("]")
	}
	w.text("]")
}

// array writes numbers in the shape that they have.
func (w writer) array(shape []int, x []float64) {
	if len(shape) == 0 {
		switch v := x[0]; {
		case math.IsNaN(v):
			w.text("NaN") // as Python's json writes and reads
		case math.IsInf(v, 0):
			w.text(map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0])
		default:
			w.text(strconv.FormatFloat(v, 'g', -1, 64))
		}
		return
	}
	w.text("[")
	rest := 1
	for _, n := range shape[1:] {
		rest *= n
	}
	for i := range shape[0] {
		w.comma(i)
		w.array(shape[1:], x[i*rest:])
	}
	w.text("]")
}

// Stats collects what a sampler says of every draw, as the group sample_stats.
type Stats struct{ chains [][]float64 }

// statistics are those of each draw, with ArviZ's names.
var statistics = []struct {
	name string
	of   func(c *chain.Chain) float64
}{
	{"lp", func(c *chain.Chain) float64 { return c.LogDensity }},
	{"energy", func(c *chain.Chain) float64 { return c.Energy }},
	{"acceptance_rate", func(c *chain.Chain) float64 { return c.Accepted }},
	{"step_size", func(c *chain.Chain) float64 { return c.Step }},
	{"n_steps", func(c *chain.Chain) float64 { return float64(c.Leaps) }},
	{"tree_depth", func(c *chain.Chain) float64 { return float64(c.Depth) }},
	{"diverging", func(c *chain.Chain) float64 { return map[bool]float64{true: 1}[c.Divergent] }},
}

// NewStats is for a number of chains.
func NewStats(chains int) *Stats { return &Stats{make([][]float64, chains)} }

// Observe adds a draw: it is the observer of chain.Sampler.Run.
func (s *Stats) Observe(number int, c *chain.Chain) {
	for _, one := range statistics {
		s.chains[number] = append(s.chains[number], one.of(c))
	}
}

// Energies are those of each chain.
func (s *Stats) Energies() [][]float64 {
	out := make([][]float64, len(s.chains))
	for k, c := range s.chains {
		for i := 1; i < len(c); i += len(statistics) {
			out[k] = append(out[k], c[i])
		}
	}
	return out
}

// Divergent is the number of divergent draws.
func (s *Stats) Divergent() (count int) {
	for _, c := range s.chains {
		for i := len(statistics) - 1; i < len(c); i += len(statistics) {
			count += int(c[i])
		}
	}
	return count
}

// Group is the group sample_stats.
func (s *Stats) Group() Group {
	g := Group{Name: "sample_stats"}
	for _, one := range statistics {
		g.Variables = append(g.Variables, density.Recorded{Name: one.name})
	}
	for _, c := range s.chains {
		if len(c) > 0 {
			g.Chains = append(g.Chains, mat.NewDense(len(c)/len(statistics), len(statistics), c))
		}
	}
	return g
}
