package graphfile

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"tobac/dag"
	"tobac/internal/delimited"
	"tobac/internal/words"
)

// Number is a number that may be unknown; the zero value is.
type Number struct {
	Value float64 // finite; 0 if unknown
	Known bool
}

// Known is the known number v; one that is NaN or infinite is unknown.
func Known(v float64) Number {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Number{}
	}
	return Number{Value: v, Known: true}
}

// knownNumber reads a decimal number, or one that is unknown because other programs wrote NaN or an
// infinity.
func knownNumber(text string) (Number, error) {
	if !delimited.IsNumber(text, ',') {
		return Number{}, strconv.ErrSyntax
	}
	v, ok := delimited.Number(text)
	return Number{Value: v, Known: ok}, nil
}

// Edge joins the vertices From and To, places in [Graph.Names].
type Edge struct {
	From, To   int
	Undirected bool // From − To, in no direction or in an unknown one; false: From → To

	Probability Number // of From → To, from 0 to 1
	Adjacent    Number // probability of an edge in either direction, from 0 to 1
	Weight      Number // of From → To, given the edge
	WeightSD    Number // standard deviation of the weight, at least 0
}

// A Quantity is one of the numbers of an edge.
type Quantity int

const (
	// Probability is [Edge.Probability].
	Probability Quantity = iota
	// Adjacent is [Edge.Adjacent].
	Adjacent
	// Weight is [Edge.Weight].
	Weight
	// WeightSD is [Edge.WeightSD].
	WeightSD
)

// quantities lists them, in the sequence in which files have them.
var quantities = []Quantity{Probability, Adjacent, Weight, WeightSD}

// String is the name of the quantity as an attribute in files.
func (q Quantity) String() string {
	return [...]string{"probability", "adjacent", "weight", "weight_sd"}[q]
}

// aliases are names that readers take for a quantity too, in lower case.
func (q Quantity) aliases() []string {
	if q == Weight {
		return []string{"weight", "weight_mean"}
	}
	return []string{q.String()}
}

// number is the place of a quantity in an edge.
func (e *Edge) number(q Quantity) *Number {
	return [...]*Number{&e.Probability, &e.Adjacent, &e.Weight, &e.WeightSD}[q]
}

// Number is a quantity of the edge.
func (e Edge) Number(q Quantity) Number { return *e.number(q) }

// Graph is a graph with named vertices. Its zero value has none.
type Graph struct {
	Names []string // of the vertices; different and not empty
	Edges []Edge   // see the package comment for which may stand together

	// Tables are the distributions of the vertices as the file has them, one for each; nil means
	// none.
	Tables []Table

	// Unnamed: the file names no vertices, and Names are X0, X1, ….
	Unnamed bool
	// Partial: the file need not mention vertices without edges, so that Names may lack some.
	Partial bool

	lines map[int]int // by vertex: where its first edge stands in the file
}

// MaxVertices is the largest number of vertices that is read.
const MaxVertices = 5000

// Check reports what is wrong with a graph, names and numbers included; the formats only write
// graphs without a fault.
func (g *Graph) Check() error {
	d := len(g.Names)
	if d > MaxVertices {
		return fmt.Errorf("%d vertices, want at most %d", d, MaxVertices)
	}
	taken := make(map[string]bool, d)
	for i, name := range g.Names {
		switch {
		case name == "":
			return fmt.Errorf("vertex %d has no name", i+1)
		case !utf8.ValidString(name):
			return fmt.Errorf("name %s is not UTF-8", excerpt(name))
		case taken[name]:
			return fmt.Errorf("two vertices are named %s", excerpt(name))
		}
		taken[name] = true
	}
	seen := map[dag.Edge]bool{}
	for n := range g.Edges {
		e := &g.Edges[n]
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= d {
			return fmt.Errorf("edge %d joins vertices %d and %d of %d", n+1, e.From, e.To, d)
		}
		if e.From == e.To {
			return fmt.Errorf("edge from %s to itself", excerpt(g.Names[e.From]))
		}
		there, back := dag.Edge{From: e.From, To: e.To}, dag.Edge{From: e.To, To: e.From}
		if undirected, repeated := seen[there]; repeated {
			if e.Undirected != undirected {
				return fmt.Errorf("%s both with and without direction", g.pair(*e))
			}
			return fmt.Errorf("edge %s is there twice", g.text(*e))
		}
		if e.Undirected {
			if _, joined := seen[back]; joined {
				return fmt.Errorf("%s both with and without direction", g.pair(*e))
			}
			seen[back] = true
		}
		seen[there] = e.Undirected
		if err := g.checkNumbers(e); err != nil {
			return err
		}
	}
	return g.checkTables()
}

func (g *Graph) checkNumbers(e *Edge) error {
	for _, q := range quantities {
		v := e.Number(q)
		if !v.Known {
			continue
		}
		allowed := "a finite number"
		bad := math.IsNaN(v.Value) || math.IsInf(v.Value, 0)
		switch q {
		case Probability, Adjacent:
			allowed = "a number from 0 to 1"
			bad = bad || v.Value < 0 || v.Value > 1
		case WeightSD:
			allowed = "a number from 0"
			bad = bad || v.Value < 0
		}
		if bad {
			return fmt.Errorf("%v of the edge %s is %v, want %s", q, g.text(*e), v.Value, allowed)
		}
	}
	return nil
}

// text is an edge for messages.
func (g *Graph) text(e Edge) string {
	arrow := "->"
	if e.Undirected {
		arrow = "--"
	}
	return excerpt(g.Names[e.From]) + " " + arrow + " " + excerpt(g.Names[e.To])
}

func (g *Graph) pair(e Edge) string {
	return "edges join " + excerpt(g.Names[e.From]) + " and " + excerpt(g.Names[e.To])
}

// Directed returns the directed edges of g as a graph on the same vertices, which may have cycles,
// and the undirected ones as they are.
func (g *Graph) Directed() (directed *dag.Graph, undirected []Edge) {
	directed = dag.New(len(g.Names))
	for _, e := range g.Edges {
		if e.Undirected {
			undirected = append(undirected, e)
		} else {
			directed.Set(e.From, e.To, true)
		}
	}
	return directed, undirected
}

// DAG returns the directed acyclic graph that g is. An undirected edge and a cycle are errors that
// name them.
func (g *Graph) DAG() (*dag.Graph, error) {
	directed, undirected := g.Directed()
	if len(undirected) > 0 {
		return nil, fmt.Errorf("%s without direction (%s); allowed: a graph in which every edge "+
			"has one", words.Counted(len(undirected), "edge"), g.text(undirected[0]))
	}
	if err := directed.CheckAcyclic(g.Names); err != nil {
		return nil, err
	}
	return directed, nil
}

// Has reports whether any edge of g has the quantity.
func (g *Graph) Has(q Quantity) bool {
	for n := range g.Edges {
		if g.Edges[n].Number(q).Known {
			return true
		}
	}
	return false
}

// Reversed returns g with every directed edge turned round, as a matrix whose entry (i, j) is j → i
// has to be read.
func (g *Graph) Reversed() *Graph {
	out := *g
	out.Tables = nil
	out.Edges = make([]Edge, len(g.Edges))
	for n, e := range g.Edges {
		if !e.Undirected {
			e.From, e.To = e.To, e.From
		}
		out.Edges[n] = e
	}
	return &out
}

// Above returns g with the edges whose probability, or for an undirected one that of an edge in
// either direction if it is known, is above p. Edges without a probability are errors.
func (g *Graph) Above(p float64) (*Graph, error) {
	out := *g
	out.Edges = nil
	for _, e := range g.Edges {
		v := e.probability()
		if !v.Known {
			return nil, fmt.Errorf("edge %s has no probability", g.text(e))
		}
		if v.Value > p {
			out.Edges = append(out.Edges, e)
		}
	}
	out.dropTables(g)
	return &out, nil
}

// Certain returns g without the edges whose probability, as [Graph.Above] takes it, is 0. One that
// is neither 0 nor 1 is an error; an edge without a probability is certain.
func (g *Graph) Certain() (*Graph, error) {
	out := *g
	out.Edges = nil
	for _, e := range g.Edges {
		switch p := e.probability(); {
		case p.Known && p.Value > 0 && p.Value < 1:
			return nil, fmt.Errorf("edge %s has the probability %v; allowed: 0 and 1", g.text(e),
				p.Value)
		case !p.Known || p.Value == 1:
			out.Edges = append(out.Edges, e)
		}
	}
	out.dropTables(g)
	return &out, nil
}

// probability is that of the edge, or for an undirected one that of an edge in either direction if
// it is known.
func (e *Edge) probability() Number {
	if e.Undirected && e.Adjacent.Known {
		return e.Adjacent
	}
	return e.Probability
}
