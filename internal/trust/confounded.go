package trust

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/additive"
	"tobac/internal/hidden"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/words"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	// nats by which a hidden common cause explains two variables better than the edge between them,
	// from which on it is said: as many as make up for a prior probability of 8 %
	betterHidden = 2.5
	// nats by which a curved edge is better than the reversed one, from which on no hidden cause is
	// tried: what one variable nearly is fits as well as that variable
	asymmetric  = 25
	confounding = 400 // rows that are looked at; of more, some are taken
	namedPairs  = 3
)

// A confounded pair has a hidden common cause that explains it better than its edge.
type confounded struct {
	from, to int
	nats     float64
}

// Said is what a result says of the edges of a probable graph.
type Said struct {
	Graph              *dag.Graph
	Adjacent, Directed []dag.Edge          // edges that are sure, and those whose direction is
	Known              func(dag.Edge) bool // whose direction is known
}

// Hidden says what hidden common causes would mean for what is said: what directions follow from,
// where that assumes that there are none, and the warnings that hidden causes explain what is seen
// better than edges do. s are the scores of the model. Refuted forms have their own warnings.
func (t Trust) Hidden(ctx context.Context, data *dataset.Table, m sem.Model, s score.Scorer,
	said Said, workers int) (basis string, warnings []string, err error) {
	n, _ := data.X.Dims()
	traits := sem.TraitsOf(m)
	if traits.Formed && t.Directions < 1 {
		basis = fmt.Sprintf("%s. Half of that evidence counts for directions, which short Markov "+
			"chains draw, because the form is not exact where a common cause is hidden (--model "+
			"%v counts all of it)", traits.DirectionsFrom, m)
	}
	if t.Form < 1 || data.Mask() != nil || traits.Categories {
		return basis, nil, nil
	}
	warning := ""
	switch {
	case traits.Equivalent:
		basis = unprotected(data, traits.DirectionsFrom, said)
		warning, err = t.common(ctx, data, said, workers)
	case traits.Formed && !inspect.Recorded(data) && n >= 2*fewestCell:
		warning, err = t.confounded(ctx, data, m, s, said, workers)
	}
	if warning != "" {
		warnings = append(warnings, warning)
	}
	return basis, warnings, err
}

// confounded is the warning that hidden common causes explain edges of a graph better than these
// do; "" where none does. The evidence of the edge i → j is what it adds to that of the equation of
// j, or of what is left of j without i; that of a hidden cause is what it adds to the evidences of
// the noise of i and of what is left of j ([hidden.LogEvidence]). The other terms of the equation
// are as they are, or fitted again. The noise of the edge is as flexible as what a hidden cause
// leaves, if that has more evidence.
func (t Trust) confounded(ctx context.Context, data *dataset.Table, m sem.Model, s score.Scorer,
	said Said, workers int) (string, error) {
	spread, plain := inspect.Spread(data)
	_, curved := sem.As[sem.Structural](m)
	straight := !curved && sem.TraitsOf(m).AnyNoise
	g, edges := said.Graph, said.Directed
	found := make([]confounded, len(edges))
	err := parallel.For(ctx, len(edges), workers, func(k int) error {
		e := edges[k]
		if g.Has(e.From, e.To) && !slices.Contains(plain, e.From) && !slices.Contains(plain, e.To) {
			p, err := newPair(spread, g, s, e)
			if err != nil {
				return nil // the model says what is wrong
			}
			p.part, p.straight = t.Rows, straight
			found[k] = confounded{e.From, e.To, p.hidden()}
		}
		return ctx.Err()
	})
	found = slices.DeleteFunc(found, func(c confounded) bool { return c.nats < betterHidden })
	if err != nil || len(found) == 0 {
		return "", err
	}
	slices.SortStableFunc(found, func(a, b confounded) int { return cmp.Compare(b.nats, a.nats) })
	var names []string
	for _, c := range found {
		names = append(names, fmt.Sprintf("%s and %s (by %.0f nats)",
			strconv.Quote(data.Names[c.from]), strconv.Quote(data.Names[c.to]), c.nats))
	}
	return hiddenWarning(names), nil
}

// unprotected is what directions follow from, where some follow from conditional independences
// alone and would do so too if the two variables had a hidden common cause; "" where none would. An
// edge from a to b is protected where one leads to a from a variable that is not adjacent to b:
// with a hidden cause of a and b that variable would be independent of b (visible edges, Zhang,
// Journal of Machine Learning Research 9, 2008).
func unprotected(data *dataset.Table, from string, s Said) string {
	var open []string
	g, said := s.Graph, s.Directed
	for _, e := range said {
		if s.Known(e) || slices.ContainsFunc(said, func(c dag.Edge) bool {
			return c.To == e.From && !g.Has(c.From, e.To) && !g.Has(e.To, c.From)
		}) {
			continue
		}
		open = append(open, fmt.Sprintf("%s → %s", data.Names[e.From], data.Names[e.To]))
	}
	if len(open) == 0 {
		return ""
	}
	rest := ""
	switch n := len(said) - len(open); n {
	case 0:
	case 1:
		rest = "; the other one would hold all the same"
	default:
		rest = fmt.Sprintf("; the other %d would hold all the same", n)
	}
	return from + ". Those of " + words.Some(open, namedPairs) + " assume that the two columns " +
		"have no hidden common cause, which the data cannot tell from an edge" + rest
}

// A pair is an edge i → j of a graph under scores.
type pair struct {
	data   *dataset.Table
	g      *dag.Graph
	scores score.Scorer
	rest   *additive.Scorer // whose equations leave residuals, of these columns:
	of     []int            // the two and their parents
	i, j   int
	part   float64 // of the rows that counts
	// equations are straight lines: what tells an edge from the reversed one is noise, which a
	// hidden cause may leave as well
	straight bool
}

// newPair is the edge e of a graph.
func newPair(data *dataset.Table, g *dag.Graph, s score.Scorer, e dag.Edge) (pair, error) {
	of := slices.Concat([]int{e.From, e.To}, g.Parents(e.From), g.Parents(e.To))
	slices.Sort(of)
	of = slices.Compact(of)
	n, _ := data.X.Dims()
	x := mat.NewDense(n, len(of), nil)
	for k, v := range of {
		x.SetCol(k, mat.Col(nil, v, data.X))
	}
	rest, err := additive.New(x, nil, additive.Options{})
	return pair{data: data, g: g, scores: s, rest: rest, of: of, i: e.From, j: e.To}, err
}

// hidden is the evidence of a hidden common cause over that of the edge, in nats; −∞ where it is
// far less.
func (p pair) hidden() float64 {
	n, _ := p.data.X.Dims()
	counts := p.part * float64(min(n, confounding)) / float64(n)
	of, all := p.g.Parents(p.i), p.g.Parents(p.j)
	others := nodescore.Toggled(all, p.i)
	edge := math.Inf(-1)
	if without := p.scores.LogScore(p.j, others); !math.IsInf(without, -1) { // was scored
		edge = counts * (p.scores.LogScore(p.j, all) - without)
	}
	if !p.straight && edge-counts*(p.scores.LogScore(p.i, nodescore.Toggled(of, p.j))-
		p.scores.LogScore(p.i, of)) > asymmetric {
		return math.Inf(-1)
	}
	// With the other terms fitted again, the noise of i is to j what i is beside its own causes.
	e, y := p.left(p.i, of, p.i), p.left(p.j, others, p.j)
	direct, alone, ofY := evidences(e, y)
	edge = math.Max(edge, p.part*direct)
	more := p.part * (flexible(e, alone) + flexible(p.left(p.j, all, p.j), math.NaN()))
	best := p.part*common(e, y, alone+ofY, edge/p.part) - edge - more
	if len(others) > 0 {
		z := p.left(p.j, all, p.i)
		direct, _, ofZ := evidences(column(mat.Col(nil, p.i, p.data.X)), z)
		best = math.Max(best, p.part*(common(e, z, alone+ofZ, direct)-direct)-more)
	}
	return best
}

// flexible is how much more evidence noise has, in nats, of the shapes that a hidden cause allows
// each of its effects than of those that equations have; alone is the latter, NaN if not known. An
// edge may have such noise as well.
func flexible(x []float64, alone float64) float64 {
	if math.IsNaN(alone) {
		s, err := additive.New(mat.NewDense(len(x), 1, x), nil, additive.Options{})
		if err != nil {
			return 0
		}
		alone = s.LogScore(0, nil)
	}
	return math.Max(0, hidden.Alone(x)-alone)
}

// evidences are what an edge x → y adds to the log evidence of y, and those of either variable
// without causes.
func evidences(x, y []float64) (edge, ofX, ofY float64) {
	both := mat.NewDense(len(x), 2, nil)
	both.SetCol(0, x)
	both.SetCol(1, y)
	s, err := additive.New(both, nil, additive.Options{})
	if err != nil {
		return math.Inf(1), math.Inf(1), math.Inf(1)
	}
	ofX, ofY = s.LogScore(0, nil), s.LogScore(1, nil)
	return s.LogScore(1, []int{0}) - ofY, ofX, ofY
}

// left is what the other parents leave of a variable, standardised, in the rows that are looked at.
func (p pair) left(j int, parents []int, of int) []float64 {
	at := func(v int) int { return slices.Index(p.of, v) }
	places := make([]int, len(parents))
	for k, v := range parents {
		places[k] = at(v)
	}
	return column(p.rest.Without(at(j), places, at(of)))
}

// column is one of mean 0 and variance 1 of the rows that are looked at.
func column(x []float64) []float64 {
	x = strided(x, confounding)
	mean, sd := stat.PopMeanStdDev(x, nil)
	out := make([]float64, len(x))
	for k, v := range x {
		out[k] = (v - mean) / sd
	}
	return out
}

// common is what a hidden common cause adds to the evidences that two variables have alone; it
// matters from about least on.
func common(x, y []float64, alone, least float64) float64 {
	return hidden.LogEvidence(x, y, alone+least) - alone
}
