package trust

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/inspect"
	"tobac/internal/parallel"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// A hidden common cause of straight lines and normal noise shows in correlations alone where it
// needs fewer parameters than the edges that stand for it: one loading for each of its effects,
// where edges between four effects are six, and where edges of other variables to its effects undo
// what edges between these claim. Both are compared by the Bayesian information criterion.
const (
	mostEffects = 4    // of a hidden cause
	mostCauses  = 400  // that are tried
	mostGiven   = 8    // parents of an effect
	leastGiven  = 0.01 // part of a variance that these leave
)

// correlations are those of the columns of a table, of so many rows.
type correlations struct {
	*mat.SymDense
	rows float64
}

// price is what the criterion takes for so many parameters.
func (c correlations) price(parameters int) float64 {
	return float64(parameters) * math.Log(c.rows) / 2
}

// leastRest is the least part of a variance that an equation leaves.
const leastRest = 1e-3

// regression is that of j on other variables, by a matrix of covariances; what is left is NaN where
// these determine each other.
func regression(cov mat.Symmetric, on []int, j int) (weights []float64, rest float64) {
	rest = cov.At(j, j)
	if len(on) == 0 {
		return nil, rest
	}
	a, b := mat.NewSymDense(len(on), nil), mat.NewVecDense(len(on), nil)
	for k, v := range on {
		b.SetVec(k, cov.At(v, j))
		for l, w := range on[:k+1] {
			a.SetSym(k, l, cov.At(v, w))
		}
	}
	var root mat.Cholesky
	var w mat.VecDense
	if !root.Factorize(a) || root.SolveVecTo(&w, b) != nil {
		return make([]float64, len(on)), math.NaN()
	}
	return w.RawVector().Data, math.Max(rest-mat.Dot(&w, b), leastRest*rest)
}

// A factor is a hidden common cause of variables, each of which has parents as well.
type factor struct {
	effects []int
	parents [][]int // of each; none is an effect
}

// criterion is that of the equations of all effects together, at the mode that
// expectation–maximisation finds.
func (c correlations) criterion(f factor) float64 {
	const (
		iterations = 200
		gain       = 1e-3 // nats of an iteration, which is the last
	)
	k := len(f.effects)
	var all []int // the effects and their parents
	all = append(all, f.effects...)
	for _, of := range f.parents {
		all = append(all, of...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	m := len(all)
	place := func(v int) int { return slices.Index(all, v) }
	// The last row and column are the hidden cause.
	cov := mat.NewSymDense(m+1, nil)
	for a, v := range all {
		for b, w := range all[:a+1] {
			cov.SetSym(a, b, c.At(v, w))
		}
	}
	of, on := make([]int, k), make([][]int, k)
	rests := mat.NewDense(k, m, nil) // what parents leave of the effects, as sums of variables
	for a, v := range f.effects {
		of[a] = place(v)
		for _, p := range f.parents[a] {
			on[a] = append(on[a], place(p))
		}
		w, _ := regression(cov, on[a], of[a])
		setRest(rests, a, of[a], on[a], w)
	}
	var with, left mat.Dense // covariances of what is left with variables, and with each other
	remaining := func() {
		with.Mul(rests, cov.SliceSym(0, m))
		left.Mul(&with, rests.T())
	}
	remaining()
	loading, noise := principal(&left)
	parameters := min(k, k*(k-1)/2)
	for _, p := range on {
		parameters += len(p)
	}
	best, beta := math.Inf(-1), make([]float64, k)
	for range iterations {
		remaining()
		q, logDet, trace := 0.0, 0.0, 0.0
		for a := range k {
			q += loading[a] * loading[a] / noise[a]
			logDet += math.Log(noise[a])
			trace += left.At(a, a) / noise[a]
		}
		for a := range k {
			beta[a] = loading[a] / noise[a] / (1 + q)
		}
		b := mat.NewVecDense(k, beta)
		square := mat.Inner(b, &left, b)
		level := -c.rows / 2 * (logDet + math.Log(1+q) + trace - (1+q)*square - float64(k))
		if !(level >= best+gain) {
			best = math.Max(best, level)
			break
		}
		best = level
		var h mat.VecDense
		h.MulVec(with.T(), b)
		for a := range m {
			cov.SetSym(m, a, h.AtVec(a))
		}
		cov.SetSym(m, m, 1/(1+q)+square)
		for a := range k {
			w, rest := regression(cov, append(slices.Clone(on[a]), m), of[a])
			setRest(rests, a, of[a], on[a], w)
			loading[a], noise[a] = w[len(on[a])], rest
		}
	}
	return best - c.price(parameters)
}

// setRest makes a row what parents with weights leave of a variable.
func setRest(rests *mat.Dense, row, j int, parents []int, weights []float64) {
	clear(rests.RawRowView(row))
	rests.Set(row, j, 1)
	for k, p := range parents {
		rests.Set(row, p, -weights[k])
	}
}

// principal has loadings and noise variances for the covariances of what parents leave of the
// effects: along their first principal component.
func principal(left *mat.Dense) (loading, noise []float64) {
	k, _ := left.Dims()
	r := mat.NewSymDense(k, nil)
	for a := range k {
		for b := range a + 1 {
			r.SetSym(a, b, left.At(a, b)/math.Sqrt(left.At(a, a)*left.At(b, b)))
		}
	}
	loading, noise = make([]float64, k), make([]float64, k)
	var eigen mat.EigenSym
	var vectors mat.Dense
	if eigen.Factorize(r, true) {
		eigen.VectorsTo(&vectors)
		mat.Col(loading, k-1, &vectors)
	}
	for a := range k {
		v := left.At(a, a)
		loading[a] *= math.Sqrt(v) / math.Sqrt2
		noise[a] = math.Max(v-loading[a]*loading[a], v/5)
	}
	return loading, noise
}

// improvement is how much more the criterion of a hidden cause of variables is than that of the
// edges between them, in nats; edges to them that it makes needless are left out. It is −∞ where
// many parents would be tried, and where these leave so little that neither is exact enough.
func (c correlations) improvement(g *dag.Graph, effects []int) float64 {
	edges, given := 0.0, 0
	f := factor{effects: effects}
	for _, j := range effects {
		parents := g.Parents(j)
		_, rest := regression(c.SymDense, parents, j)
		if len(parents) > mostGiven || !(rest >= leastGiven*c.At(j, j)) {
			return math.Inf(-1)
		}
		given += len(parents)
		edges -= c.rows/2*math.Log(rest) + c.price(len(parents))
		f.parents = append(f.parents, slices.DeleteFunc(parents, func(i int) bool {
			return slices.Contains(effects, i)
		}))
	}
	best := c.criterion(f)
	if best+c.price(given) < edges { // what needless edges may give back is not enough
		return best - edges
	}
	for {
		less, at := math.Inf(-1), factor{}
		for a, parents := range f.parents {
			for k := range parents {
				next := factor{effects, slices.Clone(f.parents)}
				next.parents[a] = slices.Delete(slices.Clone(parents), k, k+1)
				if v := c.criterion(next); v > less {
					less, at = v, next
				}
			}
		}
		if less <= best {
			return best - edges
		}
		best, f = less, at
	}
}

// cliques are sets of two to mostEffects variables that are all adjacent to each other, with a sure
// edge among them, at most mostCauses; of more variables than are summed over only the largest,
// whose edges are more parameters than a hidden cause has.
func cliques(g *dag.Graph, sure []dag.Edge) (all [][]int) {
	adjacent := func(i, j int) bool { return g.Has(i, j) || g.Has(j, i) }
	known := map[string]bool{}
	var add func(set []int)
	add = func(set []int) {
		sorted := slices.Sorted(slices.Values(set))
		key := fmt.Sprint(sorted)
		if known[key] || len(all) == mostCauses {
			return
		}
		known[key] = true
		if len(set) == mostEffects || g.Len() <= exact.Affordable {
			all = append(all, sorted)
		}
		if len(set) == mostEffects {
			return
		}
		for i := range g.Len() {
			if !slices.Contains(set, i) &&
				!slices.ContainsFunc(set, func(j int) bool { return !adjacent(i, j) }) {
				add(append(slices.Clone(set), i))
			}
		}
	}
	for _, e := range sure {
		add([]int{e.From, e.To})
	}
	return all
}

// common is the warning that hidden common causes explain correlations better than the edges of a
// graph; "" where none does, and where a column determines another.
func (t Trust) common(ctx context.Context, data *dataset.Table, said Said, workers int) (string,
	error) {
	if inspect.Determined(data) != "" {
		return "", nil // which has a warning of its own
	}
	n, _ := data.X.Dims()
	c := correlations{inspect.Correlations(data), t.Rows * float64(n)}
	sets := cliques(said.Graph, said.Adjacent)
	gains := make([]float64, len(sets))
	err := parallel.For(ctx, len(sets), workers, func(k int) error {
		gains[k] = c.improvement(said.Graph, sets[k])
		return ctx.Err()
	})
	if err != nil {
		return "", err
	}
	order := dag.Identity(len(sets))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
	var named []int
	var texts []string
	for _, k := range order {
		if !(gains[k] >= betterHidden) || slices.ContainsFunc(sets[k], func(j int) bool {
			return slices.Contains(named, j)
		}) {
			continue
		}
		named = append(named, sets[k]...)
		texts = append(texts, fmt.Sprintf("%s (by %.0f nats)",
			inspect.Quoted(words.Of(data.Names, sets[k])), gains[k]))
	}
	return hiddenWarning(texts), nil
}

// hiddenWarning names columns whose relations hidden common causes explain better than edges.
func hiddenWarning(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return "a hidden common cause explains better than edges how columns are related: " +
		words.Some(columns, namedPairs) + "; these edges and directions may be wrong"
}
