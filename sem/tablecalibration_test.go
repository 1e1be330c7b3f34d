package sem_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/internal/scoretest"
	"tobac/score"
	"tobac/sem"
)

// Of 200 graphs and tables of three categories drawn from the prior of bdeu, every graph alike and
// the equivalent sample size one of its grid, edges have the frequencies of their probabilities:
// the error, averaged over five groups of equal size, is at most 0.05, where chance alone leaves
// 0.025 (0.006 over 4000).
func TestCalibrationOfCategories(t *testing.T) {
	const tables, n, d = 200, 60, 3
	sizes := []float64{0.5, 1, 2, 5, 10, 20, 50}
	levels := []int{2, 3, 4}
	rng := rand.New(rand.NewPCG(19, 4))
	c := calibrated{t: t}
	for range tables {
		var parents [d][]int
		var order []int
		for ok := false; !ok; { // all graphs without a cycle alike
			parents = [d][]int{}
			for i := range d {
				for j := range d {
					if i != j && rng.IntN(2) == 1 {
						parents[j] = append(parents[j], i)
					}
				}
			}
			order, ok = sequence(parents[:])
		}
		alpha := sizes[rng.IntN(len(sizes))]
		data := &dataset.Table{X: mat.NewDense(n, d, nil), Names: []string{"a", "b", "c"}}
		names := []string{"p", "q", "r", "s"}
		for _, j := range order {
			cells := levels[j]
			for _, i := range parents[j] {
				cells *= levels[i]
			}
			rows := map[int]*distuv.Categorical{}
			for r := range n {
				at := 0
				for _, i := range parents[j] {
					at = at*levels[i] + int(data.X.At(r, i))
				}
				if rows[at] == nil {
					p, sum := make([]float64, levels[j]), 0.0
					for sum == 0 { // small sizes may underflow
						for k := range p {
							p[k] = distuv.Gamma{Alpha: alpha / float64(cells), Beta: 1,
								Src: rng}.Rand()
							sum += p[k]
						}
					}
					c := distuv.NewCategorical(p, rng)
					rows[at] = &c
				}
				data.X.Set(r, j, rows[at].Rand())
			}
		}
		for j := range d {
			kind := dataset.Categorical
			if levels[j] == 2 {
				kind = dataset.Binary
			}
			data.Variables =
				append(data.Variables, dataset.Variable{Kind: kind, Levels: names[:levels[j]]})
		}
		c.add(sem.BDeu{}, data, score.Uniform(d), parents[:])
	}
	c.check()
}

// Of 200 graphs and tables drawn from the prior of mixed, every graph alike and the scale one of
// its three, edges have the frequencies of their probabilities to 0.05, where chance alone leaves
// 0.028 of a category and two numbers and 0.023 of three numbers; over 2000, 0.014 and 0.012, by
// chance 0.009 and 0.007. Mixed has no distribution of a category that a number causes.
func TestCalibrationOfMixedTables(t *testing.T) {
	const tables, n, d = 200, 60, 3
	for _, first := range []int{1, 0} { // numbers from this on
		rng := rand.New(rand.NewPCG(29, 4))
		prior := score.Uniform(d)
		for j := range first {
			for i := first; i < d; i++ {
				prior.Forbid(i, j)
			}
		}
		c := calibrated{t: t}
		for range tables {
			var parents [d][]int
			var order []int
			for ok := false; !ok; {
				parents = [d][]int{}
				for j := first; j < d; j++ {
					for i := range d {
						if i != j && rng.IntN(2) == 1 {
							parents[j] = append(parents[j], i)
						}
					}
				}
				order, ok = sequence(parents[:])
			}
			f := []float64{1, 10, 100}[rng.IntN(3)]
			data := drawJoint(n, parents[:], order, first, f, rng)
			c.add(sem.Mixed{}, data, prior, parents[:])
		}
		c.check()
	}
}

// Of 200 graphs and tables drawn from the prior of latent-normal, four variables cut into three to
// five levels at random quantiles, every graph alike and the scale one of its three, edges have the
// frequencies of their probabilities to 0.05 (0.023; 0.011 over 2000).
func TestCalibrationOfLatentTables(t *testing.T) {
	const tables, n, d = 200, 300, 4
	rng := rand.New(rand.NewPCG(37, 4))
	c := calibrated{t: t}
	for range tables {
		var parents [d][]int
		var order []int
		for ok := false; !ok; {
			parents = [d][]int{}
			for i := range d {
				for j := range d {
					if i != j && rng.IntN(2) == 1 {
						parents[j] = append(parents[j], i)
					}
				}
			}
			order, ok = sequence(parents[:])
		}
		f := []float64{1, 10, 100}[rng.IntN(3)]
		data := drawJoint(n, parents[:], order, 0, f, rng)
		for j := range d {
			column := mat.Col(nil, j, data.X)
			sorted := slices.Sorted(slices.Values(column))
			var cuts []float64
			for range 2 + rng.IntN(3) {
				cuts = append(cuts, sorted[n/20+rng.IntN(n-n/10)])
			}
			for i, v := range column {
				level := 0.0
				for _, c := range cuts {
					if v > c {
						level++
					}
				}
				data.X.Set(i, j, level)
			}
			data.Variables[j].Kind = dataset.Ordered
		}
		c.add(sem.LatentNormal{}, data, score.Uniform(d), parents[:])
	}
	c.check()
}

// drawJoint draws a table of numbers after so many categories of three levels, at most one: of a
// number with p columns of parents the noise variance from an inverse gamma distribution with the
// shape (f+p+2)/2 and the scale 1/2, and effects with that variance times the parent's unit, 1 of a
// number and 1/(f+2) of the contrasts of a category of mean variance 1.
func drawJoint(n int, parents [][]int, order []int, categories int, f float64,
	rng *rand.Rand) *dataset.Table {
	data := &dataset.Table{X: mat.NewDense(n, len(parents), nil),
		Names:     []string{"a", "b", "c", "d"}[:len(parents)],
		Variables: make([]dataset.Variable, len(parents))}
	if categories > 0 {
		data.Variables[0] = dataset.Variable{Kind: dataset.Categorical,
			Levels: []string{"p", "q", "r"}}
	}
	columns := make([][][]float64, len(parents))
	for _, j := range order {
		if j < categories {
			codes := make([]float64, n)
			for seen := map[float64]bool{}; len(seen) < 3; {
				p := []float64{rng.ExpFloat64(), rng.ExpFloat64(), rng.ExpFloat64()}
				from := distuv.NewCategorical(p, rng)
				clear(seen)
				for r := range codes {
					codes[r] = from.Rand()
					seen[codes[r]] = true
				}
			}
			data.X.SetCol(0, codes)
			contrasts := nodescore.Contrasts(codes, 3)
			both := [][]float64{mat.Col(nil, 0, contrasts), mat.Col(nil, 1, contrasts)}
			scale := math.Sqrt((stat.Variance(both[0], nil) + stat.Variance(both[1], nil)) / 2)
			for _, c := range both {
				floats.AddConst(-stat.Mean(c, nil), c)
				floats.Scale(1/(scale*math.Sqrt(f+2)), c)
			}
			columns[0] = both
			continue
		}
		var of [][]float64
		for _, i := range parents[j] {
			of = append(of, columns[i]...)
		}
		precision := distuv.Gamma{Alpha: (f + float64(len(of)) + 2) / 2, Beta: 0.5, Src: rng}
		sd := 1 / math.Sqrt(precision.Rand())
		y := make([]float64, n)
		for r := range y {
			y[r] = sd * rng.NormFloat64()
		}
		for _, c := range of {
			floats.AddScaled(y, sd*rng.NormFloat64(), c)
		}
		data.X.SetCol(j, y)
		columns[j] = [][]float64{y}
	}
	return data
}

// calibrated compares the probabilities of edges with whether they are there, in the graphs that
// tables were drawn from, and in others drawn from the posterior of each table: these show what
// chance alone leaves, with the edges of a table depending on each other as they do.
type calibrated struct {
	t           *testing.T
	said, there []float64
	chance      [replicates][]float64
}

const replicates = 99

// add is a table drawn from a graph. Hypotheses of the model are averaged.
func (c *calibrated) add(m sem.Model, data *dataset.Table, prior *score.Prior, parents [][]int) {
	c.t.Helper()
	d := len(data.Names)
	hypotheses, err := scored(m).Hypotheses(context.Background(), data, nil, 1)
	if err != nil {
		c.t.Fatal(err)
	}
	graphs := scoretest.Graphs(d)
	logs := make([]float64, 0, len(graphs)*len(hypotheses))
	for _, h := range hypotheses {
		known := map[string]float64{}
		for _, g := range graphs {
			log := h.LogWeight
			for j := range d {
				key := fmt.Sprint(j, g.Parents(j))
				v, ok := known[key]
				if !ok {
					v = nodescore.LogWeight(h.Scores, prior, j, g.Parents(j))
					known[key] = v
				}
				log += v
			}
			logs = append(logs, log)
		}
	}
	floats.AddConst(-floats.LogSumExp(logs), logs)
	weight := make([]float64, len(graphs))
	for k, l := range logs {
		weight[k%len(graphs)] += math.Exp(l)
	}
	src := rand.NewPCG(uint64(len(c.said)), 5)
	from := distuv.NewCategorical(weight, src)
	var drawn [replicates]*dag.Graph
	for r := range drawn {
		drawn[r] = graphs[int(from.Rand())]
	}
	in := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	for j := range d {
		for i := range d {
			if i == j || prior.Forbidden(i, j) {
				continue
			}
			p := 0.0
			for k, g := range graphs {
				if g.Has(i, j) {
					p += weight[k]
				}
			}
			c.said, c.there = append(c.said, p), append(c.there, in(slices.Contains(parents[j], i)))
			for r, g := range drawn {
				c.chance[r] = append(c.chance[r], in(g.Has(i, j)))
			}
		}
	}
}

// check requires that edges have the frequencies of their probabilities: the error, averaged over
// five groups of equal size, is not larger than in all of 99 sets of graphs from the posteriors.
func (c *calibrated) check() {
	c.t.Helper()
	const groups = 5
	order := dag.Identity(len(c.said))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.said[a], c.said[b]) })
	off := func(there []float64) (sum float64) {
		for k := range groups {
			from, to := k*len(order)/groups, (k+1)*len(order)/groups
			difference := 0.0
			for _, e := range order[from:to] {
				difference += (c.said[e] - there[e]) / float64(to-from)
			}
			sum += math.Abs(difference) / groups
		}
		return sum
	}
	var chance []float64
	for _, there := range c.chance {
		chance = append(chance, off(there))
	}
	got := off(c.there)
	text := fmt.Sprintf("error %.3f of %d edges, by chance %.3f ± %.3f, at most %.3f", got,
		len(order), stat.Mean(chance, nil), stat.StdDev(chance, nil), slices.Max(chance))
	if c.t.Log(text); got > slices.Max(chance) {
		c.t.Error("calibration: " + text)
	}
}

// sequence are variables with parents before their children; false if there is a cycle.
func sequence(parents [][]int) (order []int, ok bool) {
	for range parents {
		for j, p := range parents {
			if !slices.Contains(order, j) &&
				!slices.ContainsFunc(p, func(i int) bool { return !slices.Contains(order, i) }) {
				order = append(order, j)
			}
		}
	}
	return order, len(order) == len(parents)
}
