package sem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dataset"
	"tobac/internal/exact"
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
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(19, 4))
	var said, there []float64
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
		hypotheses, err := scored(sem.BDeu{}).Hypotheses(ctx, data, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, total := mat.NewDense(d, d, nil), math.Inf(-1)
		for _, h := range hypotheses {
			o, err := exact.New(ctx, h.Scores, score.Uniform(d), exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			orders, err := o.Orders(ctx)
			if err != nil {
				t.Fatal(err)
			}
			graphs, err := orders.Graphs(ctx)
			if err != nil {
				t.Fatal(err)
			}
			log := graphs.LogEvidence() + h.LogWeight
			highest := max(total, log)
			before, own := math.Exp(total-highest), math.Exp(log-highest)
			total = highest + math.Log(before+own)
			p.Apply(func(i, j int, v float64) float64 {
				return (before*v + own*graphs.Edges().At(i, j)) / (before + own)
			}, p)
		}
		for i := range d {
			for j := range d {
				if i != j {
					in := 0.0
					if slices.Contains(parents[j], i) {
						in = 1
					}
					said, there = append(said, p.At(i, j)), append(there, in)
				}
			}
		}
	}
	stat.SortWeighted(said, there)
	const groups = 5
	off := 0.0
	for k := range groups {
		from, to := k*len(said)/groups, (k+1)*len(said)/groups
		off += math.Abs(stat.Mean(said[from:to], nil)-stat.Mean(there[from:to], nil)) / groups
		t.Logf("said %.3f, there %.3f of %d", stat.Mean(said[from:to], nil),
			stat.Mean(there[from:to], nil), to-from)
	}
	t.Logf("error %.3f", off)
	if off > 0.05 {
		t.Errorf("calibration error %.3f over %d tables, want at most 0.05", off, tables)
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
