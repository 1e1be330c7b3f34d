package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// A knowledgeSummary lists what was known of the graph before the data were seen.
type knowledgeSummary struct {
	File     string        `json:"file,omitempty"` // of --knowledge
	Required []edgeNames   `json:"required,omitempty"`
	Forbid   []edgeNames   `json:"forbidden,omitempty"`
	Tiers    [][]string    `json:"tiers,omitempty"` // from the first on
	Sinks    []string      `json:"sinks,omitempty"`
	Sources  []string      `json:"sources,omitempty"`
	Odds     []oddsSummary `json:"odds,omitempty"`
	// Fixed are the edges that it makes certain, a table of edge probabilities and
	// --require together, and the number of those that it makes impossible, with what follows from
	// required ones.
	Fixed      []edgeNames `json:"fixed"`
	Impossible int         `json:"impossible_edges"`
}

// edgeNames are the source and the target of an edge.
type edgeNames struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// String writes the edge.
func (e edgeNames) String() string { return cli.Label(e.Source) + " → " + cli.Label(e.Target) }

// oddsSummary is a soft statement.
type oddsSummary struct {
	edgeNames
	Odds float64 `json:"odds"`
}

// String writes the statement.
func (o oddsSummary) String() string { return fmt.Sprintf("%v × %v", o.edgeNames, o.Odds) }

// newKnowledgeSummary describes what a prior knows; nil means nothing.
func newKnowledgeSummary(p *background.Prior, names []string, file string) *knowledgeSummary {
	s := &knowledgeSummary{File: file, Sinks: words.Of(names, p.Sinks),
		Sources: words.Of(names, p.Sources)}
	s.Required, s.Forbid = namedEdges(p.Required, names), namedEdges(p.Forbidden, names)
	for _, o := range p.Odds {
		s.Odds = append(s.Odds, oddsSummary{edgeNames{names[o.From], names[o.To]}, o.Odds})
	}
	for tier := 0; ; tier++ {
		var group []string
		more := false
		for j, t := range p.Tiers {
			if t == tier {
				group = append(group, names[j])
			}
			more = more || t >= tier
		}
		if !more {
			break
		}
		if group != nil {
			s.Tiers = append(s.Tiers, group)
		}
	}
	s.Fixed = []edgeNames{}
	fixed := newCertainty(p, len(names)).fixed
	for i := range names {
		for j := range names {
			switch {
			case fixed.At(i, j) == 1:
				s.Fixed = append(s.Fixed, edgeNames{names[i], names[j]})
			case i != j && fixed.At(i, j) == 0:
				s.Impossible++
			}
		}
	}
	if len(s.Fixed)+s.Impossible+len(s.Odds) == 0 {
		return nil
	}
	return s
}

func namedEdges(edges []dag.Edge, names []string) (out []edgeNames) {
	for _, e := range edges {
		out = append(out, edgeNames{names[e.From], names[e.To]})
	}
	return out
}

// print lists the statements by name, the first of each kind where they are many.
func (s *knowledgeSummary) print(w io.Writer) {
	if s == nil {
		return
	}
	var parts []string
	add := func(what string, list []string) {
		if len(list) > 0 {
			parts = append(parts, what+" "+firstOf(list, ", "))
		}
	}
	add("required:", textsOf(s.Required))
	add("forbidden:", textsOf(s.Forbid))
	if len(s.Tiers) > 0 {
		groups := make([]string, len(s.Tiers))
		for k, group := range s.Tiers {
			groups[k] = cli.JoinNames(group)
		}
		parts = append(parts, "tiers: "+firstOf(groups, "; "))
	}
	add("no edge leaves", labels(s.Sinks))
	add("no edge enters", labels(s.Sources))
	add("prior odds:", textsOf(s.Odds))
	together := fmt.Sprintf("in all, %s required and %d excluded",
		words.Counted(len(s.Fixed), "edge"), s.Impossible)
	if s.File != "" {
		together += "; file: " + s.File
	}
	parts = append(parts, together)
	cli.PrintField(w, "known", strings.Join(parts, "\n"))
}

// firstOf joins the first words of a list, and counts the others.
func firstOf(list []string, separator string) string {
	const most = 12
	text := strings.Join(list[:min(most, len(list))], separator)
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func textsOf[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for k, v := range list {
		out[k] = v.String()
	}
	return out
}

func labels(names []string) []string {
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = cli.Label(name)
	}
	return out
}

// A certainty says which edges of a result are certain because that was given.
type certainty struct{ fixed *mat.Dense }

func newCertainty(p *background.Prior, d int) certainty {
	known := *p
	known.Exclusive = nil // a way of coding, no knowledge
	return certainty{known.Fixed(d)}
}

// given reports whether an edge was given.
func (c certainty) given(source, target int) bool { return c.fixed.At(source, target) == 1 }

// any reports whether the presence or the absence of any edge was.
func (c certainty) any() bool {
	d, _ := c.fixed.Dims()
	for i := range d {
		for j := range d {
			if i != j && !math.IsNaN(c.fixed.At(i, j)) {
				return true
			}
		}
	}
	return false
}

// mark is the cell of the pair a, b in the column "known" of a table.
func (c certainty) mark(a, b int) string {
	switch {
	case c.given(a, b):
		return "edge"
	case c.fixed.At(a, b) == 0 || c.fixed.At(b, a) == 0:
		return "direction"
	}
	return ""
}
