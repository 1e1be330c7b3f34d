package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	noiseSteps     = 60   // of the EM iteration, from each start
	noiseTolerance = 1e-3 // relative change at which it stops; the posterior is wider by far
	// parents that the search adds: a start with little noise has reason for hundreds
	mostGreedy = 32
)

// EstimateNoiseVariance estimates the common noise variance σ² of [NewLinear] from data
// x, n×d, by maximising the marginal likelihood jointly with a graph that it finds
// greedily, without knowing the order. From each of several starts it repeats
//
//	G  ← greedy search for a graph of large p(G) p(D | G, σ²)
//	σ² ← Σ_j E[‖x_j − b_j − Σ_i θ_i x_i‖² | D, G, σ²] / Σ_j n_j,
//
// which is EM with the weights as latent variables, until σ² no longer changes; the start with the
// largest p(G) p(D | G, σ²) wins, and goes on with a more thorough search. One search costs about
// as much as d² scores, against d·2^(d−1) of an exact computation. opt.NoiseVariance, if it is not
// 0, is a further start. workers is the number of goroutines, which changes nothing. It is an error
// if no variable varies.
func EstimateNoiseVariance(
	ctx context.Context, x, intervened mat.Matrix, prior *Prior, opt LinearOptions, workers int,
) (float64, error) {
	starts := []float64{}
	if opt.NoiseVariance != 0 {
		starts = append(starts, opt.NoiseVariance)
	}
	opt.NoiseVariance = 1
	l, err := newLinear(x, intervened, opt)
	if err != nil {
		return 0, err
	}
	if prior.Vars() != l.d {
		panic(fmt.Sprintf("score: prior of %d variables for %d columns", prior.Vars(), l.d))
	}
	// With equal variances no variable varies less than its noise, and variables
	// without parents vary as much.
	least := l.leastVariance()
	if math.IsInf(least, 1) {
		return 0, fmt.Errorf(
			"score: noise variance: no column varies in the rows in which it was not set")
	}
	starts = append(starts, least, least/4, least/16)
	best, estimate := math.Inf(-1), least
	for _, v := range starts {
		v, fit, err := l.maximise(ctx, prior, v, quick, workers)
		if err != nil {
			return 0, err
		}
		if fit > best {
			best, estimate = fit, v
		}
	}
	estimate, _, err = l.maximise(ctx, prior, estimate, thorough, workers)
	return estimate, err
}

// leastVariance is the smallest positive variance of a column; +Inf if none varies.
func (l *linear) leastVariance() float64 {
	least := math.Inf(1)
	for j := range l.d {
		g := &l.group[l.of[j]]
		if v := g.Scatter[j*l.d+j] / float64(g.N); v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// An effort says how a greedy search looks for a graph.
type effort int

const (
	quick    effort = iota
	thorough        // neighbours in the order are exchanged while that helps
)

// maximise iterates from the noise variance v to a fixed point, and returns it with
// ln p(G) p(D | G, σ²).
func (l *linear) maximise(
	ctx context.Context, prior *Prior, v float64, how effort, workers int,
) (variance, fit float64, err error) {
	smallest := 1e-12 * l.leastVariance() // data without noise have no largest likelihood
	for range noiseSteps {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		m, err := l.withNoise(v)
		if err != nil {
			return 0, 0, err
		}
		parents, sum, err := newGreedy(m, prior).search(ctx, how, workers)
		if err != nil {
			return 0, 0, err
		}
		fit = sum
		next := max(m.expectedVariance(parents), smallest)
		if math.Abs(next-v) <= noiseTolerance*v {
			return next, fit, nil
		}
		v = next
	}
	return v, fit, nil
}

// expectedVariance is the expected sum of squared residuals over the number of
// rows, given the graph. For one variable it is ‖y − Xμ‖² + tr(C Σ) with the
// posterior N(μ, Σ) of its weights; that of the intercept cancels at the fixed point. Variables of
// as many parents as the search adds, to which more of them may leave anything, count only if all
// are.
func (l *linear) expectedVariance(parents [][]int) float64 {
	full := func(a []int) bool { return len(a) >= mostGreedy }
	all := !slices.ContainsFunc(parents, func(a []int) bool { return !full(a) })
	sum, rows := 0.0, 0
	for j, a := range parents {
		if full(a) && !all {
			continue
		}
		g := &l.group[l.of[j]]
		e := l.Equation(j, a)
		sum += g.Scatter[j*l.d+j]
		for k, i := range a {
			sum -= 2 * e.Mean[k] * g.Scatter[i*l.d+j]
			for h, c := range a {
				sum += g.Scatter[i*l.d+c] * (e.Mean[k]*e.Mean[h] + e.Cov.At(k, h))
			}
		}
		rows += g.N
	}
	return sum / float64(rows)
}

// A greedy is a search for a graph with a large score: an order from the top, by
// the smallest residual variance, parents along it one at a time and, if it is thorough,
// exchanges of neighbours in the order while they improve the score.
type greedy struct {
	*linear
	prior   *Prior
	order   []int
	parents [][]int
	fit     []float64 // score of a variable with its parents, prior included
}

func newGreedy(l *linear, prior *Prior) *greedy {
	return &greedy{linear: l, prior: prior, order: make([]int, 0, l.d), parents: make([][]int, l.d),
		fit: make([]float64, l.d)}
}

func (g *greedy) search(ctx context.Context, how effort, workers int) (parents [][]int, sum float64,
	err error) {
	g.topDown()
	err = parallel.For(ctx, g.d, workers, func(k int) error {
		j := g.order[k]
		g.parents[j], g.fit[j] = g.best(j, g.order[:k])
		return nil
	})
	if err == nil && how == thorough {
		err = g.exchange(ctx)
	}
	for _, f := range g.fit {
		sum += f
	}
	return g.parents, sum, err
}

// topDown finds the order: the next variable is the one that the earlier ones leave
// the smallest variance, among those whose required parents are earlier.
func (g *greedy) topDown() {
	d := g.d
	work := make([][]float64, len(g.group)) // Schur complements given the order so far
	for i, group := range g.group {
		work[i] = slices.Clone(group.Scatter)
		for j := range d {
			work[i][j*d+j] += g.ridge()
		}
	}
	done := make([]bool, d)
	for len(g.order) < d {
		next, least := -1, math.Inf(1)
		for j := range d {
			if n := g.group[g.of[j]].N; !done[j] && g.ready(j, done) {
				if v := work[g.of[j]][j*d+j] / float64(n+1); next < 0 || v < least {
					next, least = j, v
				}
			}
		}
		if next < 0 { // required edges with a cycle: the prior's Check says so
			next = slices.Index(done, false)
		}
		g.order, done[next] = append(g.order, next), true
		for _, a := range work {
			row := a[next*d : (next+1)*d]
			pivot := max(row[next], g.ridge())
			for i := range d {
				if f := a[i*d+next] / pivot; !done[i] && f != 0 {
					floats.AddScaled(a[i*d:(i+1)*d], -f, row)
				}
			}
		}
	}
}

// ready reports whether all required parents of j are done.
func (g *greedy) ready(j int, done []bool) bool {
	if g.prior.needed[j] == 0 {
		return true
	}
	for i := range g.d {
		if g.prior.Required(i, j) && !done[i] {
			return false
		}
	}
	return true
}

// best finds parents of j among the candidates: it adds the one that improves the
// score most while one does, removes the one whose removal does, and adds again,
// until nothing changes.
func (g *greedy) best(j int, candidates []int) (parents []int, fit float64) {
	for _, i := range candidates {
		if g.prior.Required(i, j) {
			parents = append(parents, i)
		}
	}
	slices.Sort(parents)
	if fit = g.prior.LogPrior(j, parents); !math.IsInf(fit, -1) {
		fit += g.LogScore(j, parents)
	}
	for {
		grown, better := g.add(j, parents, candidates, fit)
		removed, without := -1, make([]float64, len(grown))
		g.LogScoresToggled(without, j, grown, grown)
		g.prior.AddToToggled(without, j, grown, grown)
		for k, i := range grown {
			if v := without[k]; v > better && !g.prior.Required(i, j) {
				better, removed = v, k
			}
		}
		if removed >= 0 {
			grown = slices.Delete(grown, removed, removed+1)
		}
		if !(better > fit) {
			return parents, fit
		}
		parents, fit = grown, better
		if removed < 0 {
			return parents, fit
		}
	}
}

// add adds candidates to the parents while that improves the score, fit. For every candidate i
// outside the parents A it keeps what decides about the next one: the pivot v_i = M_ii − M_iA
// M_AA⁻¹ M_Ai and the covariance r_i = C_ij − M_iA M_AA⁻¹ C_Aj with the child. With the rows of the
// Cholesky factor of M_AA, extended to all candidates, a parent more costs |A| multiplications for
// each candidate.
func (g *greedy) add(j int, parents, candidates []int, fit float64) ([]int, float64) {
	d, group := g.d, &g.group[g.of[j]]
	c, gauss := group.Scatter, &group.gaussian
	v, r := make([]float64, d), make([]float64, d)
	for _, i := range candidates {
		v[i], r[i] = c[i*d+i]+g.ridge(), c[i*d+j]
	}
	s, sum := c[j*d+j], 0.0
	var factor [][]float64
	eliminate := func(a int) {
		root := math.Sqrt(max(v[a], g.ridge()))
		row := make([]float64, d)
		for _, i := range candidates {
			e := c[a*d+i]
			for _, f := range factor {
				e -= f[a] * f[i]
			}
			row[i] = e / root
		}
		f := r[a] / root
		for _, i := range candidates {
			v[i] -= row[i] * row[i]
			r[i] -= row[i] * f
		}
		s -= f * f
		sum -= math.Log(root)
		factor = append(factor, row)
	}
	parents = slices.Clone(parents)
	for _, a := range parents {
		eliminate(a)
	}
	for p := len(parents) + 1; p < d && p <= mostGreedy; p++ {
		next, best := -1, fit
		prior, odds := g.prior.size[p]-g.prior.size[p-1]+g.prior.LogPrior(j, parents),
			g.prior.odds[j]
		for _, i := range candidates {
			if _, in := slices.BinarySearch(parents, i); in {
				continue
			}
			pivot, l := gauss.pivot(v[i])
			f := prior + odds[i] + gauss.leaf(p, sum+l, s-r[i]*r[i]/pivot)
			if f > best {
				next, best = i, f
			}
		}
		if next < 0 {
			break
		}
		at, _ := slices.BinarySearch(parents, next)
		parents, fit = slices.Insert(parents, at, next), best
		eliminate(next)
	}
	return parents, fit
}

// exchange swaps neighbours in the order while that improves the score. A pair is looked at again
// where one of it, or what comes before it, has changed: where it or a pair next to it was swapped.
func (g *greedy) exchange(ctx context.Context) error {
	open := slices.Repeat([]bool{true}, len(g.order)+1)
	for improved, rounds := true, 0; improved && rounds < g.d; rounds++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		improved = false
		for k := range len(g.order) - 1 {
			a, b := g.order[k], g.order[k+1]
			if !open[k] {
				continue
			}
			open[k] = false
			if !slices.Contains(g.parents[b], a) || g.prior.Required(a, b) {
				continue // a swap gains nothing but room
			}
			first, fitFirst := g.best(b, g.order[:k])
			second, fitSecond := g.best(a, append(slices.Clone(g.order[:k]), b))
			if gain := fitFirst + fitSecond - g.fit[a] - g.fit[b]; gain > 1e-9 {
				g.order[k], g.order[k+1] = b, a
				g.parents[b], g.fit[b], g.parents[a], g.fit[a] = first, fitFirst, second, fitSecond
				improved, open[max(k-1, 0)], open[k], open[k+1] = true, true, true, true
			}
		}
	}
	return nil
}
