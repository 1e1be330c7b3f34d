package sem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dataset"
	"tobac/internal/nodescore"
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
		p := edgesUnder(t, sem.BDeu{}, data, score.Uniform(d))
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
	wellCalibrated(t, said, there)
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
		var said, there []float64
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
			p := edgesUnder(t, sem.Mixed{}, data, prior)
			for j := first; j < d; j++ {
				for i := range d {
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
		wellCalibrated(t, said, there)
	}
}

// Of 200 graphs and tables drawn from the prior of latent-normal, four variables cut into three to
// five levels at random quantiles, every graph alike and the scale one of its three, edges have the
// frequencies of their probabilities to 0.05 (0.023; 0.011 over 2000).
func TestCalibrationOfLatentTables(t *testing.T) {
	const tables, n, d = 200, 300, 4
	rng := rand.New(rand.NewPCG(37, 4))
	var said, there []float64
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
		p := edgesUnder(t, sem.LatentNormal{}, data, score.Uniform(d))
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
	wellCalibrated(t, said, there)
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

// edgesUnder are the probabilities of edges under a model, its hypotheses averaged.
func edgesUnder(t *testing.T, m sem.Model, data *dataset.Table, prior *score.Prior) *mat.Dense {
	t.Helper()
	ctx := context.Background()
	d := len(data.Names)
	hypotheses, err := scored(m).Hypotheses(ctx, data, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, total := mat.NewDense(d, d, nil), math.Inf(-1)
	for _, h := range hypotheses {
		graphs := overGraphs(t, h.Scores, prior)
		log := graphs.LogEvidence() + h.LogWeight
		highest := max(total, log)
		before, own := math.Exp(total-highest), math.Exp(log-highest)
		total = highest + math.Log(before+own)
		p.Apply(func(i, j int, v float64) float64 {
			return (before*v + own*graphs.Edges().At(i, j)) / (before + own)
		}, p)
	}
	return p
}

// wellCalibrated requires that edges have the frequencies of their probabilities: the error,
// averaged over five groups of equal size, is at most 0.05.
func wellCalibrated(t *testing.T, said, there []float64) {
	t.Helper()
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
		t.Errorf("calibration error %.3f of %d edges, want at most 0.05", off, len(said))
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
