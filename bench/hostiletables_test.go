package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dataset"

	"gonum.org/v1/gonum/mat"
)

// A hostileTable is the clean table with something done to it.
type hostileTable struct {
	group, name string
	data        *dataset.Table
	of          []int // the column of the clean table that each column is, or a copy of; −1: none
	short       bool  // among the ordinary tests too
}

// cleanTruth are the adjacent pairs of the clean table, X0 → X1 → X2 ← X3 and X2 → X4.
var cleanTruth = map[[2]int]bool{{0, 1}: true, {1, 2}: true, {2, 3}: true, {2, 4}: true}

const cleanColumns = 5

// cleanTable draws rows of the clean system, whose relations are strong: each weight is above 1 in
// size, the noise has the variance 1/4. noise draws it with the scale 1.
func cleanTable(rows int, noise func(rng *rand.Rand) float64) *dataset.Table {
	rng := rand.New(rand.NewPCG(14, 7))
	x := mat.NewDense(rows, cleanColumns, nil)
	names := make([]string, cleanColumns)
	for j := range names {
		names[j] = fmt.Sprintf("X%d", j)
	}
	for r := range rows {
		e := make([]float64, cleanColumns)
		for j := range e {
			e[j] = 0.5 * noise(rng)
		}
		x0, x3 := e[0], e[3]
		x1 := 1.3*x0 + e[1]
		x2 := -1.1*x1 + 1.5*x3 + e[2]
		x4 := 1.2*x2 + e[4]
		x.SetRow(r, []float64{x0, x1, x2, x3, x4})
	}
	return &dataset.Table{Names: names, X: x}
}

func normalNoise(rng *rand.Rand) float64 { return rng.NormFloat64() }

// studentNoise has Student's t distribution with a number of degrees of freedom; of 1 it is
// Cauchy's.
func studentNoise(freedom int) func(rng *rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		sum := 0.0
		for range freedom {
			v := rng.NormFloat64()
			sum += v * v
		}
		return rng.NormFloat64() / math.Sqrt(sum/float64(freedom))
	}
}

const cleanRows = 150

// hostileTables are the clean table, first, and all others.
func hostileTables() []hostileTable {
	clean := cleanTable(cleanRows, normalNoise)
	identity := []int{0, 1, 2, 3, 4}
	all := []hostileTable{{"clean", "clean", clean, identity, true}}
	add := func(group, name string, data *dataset.Table, of []int, short bool) {
		all = append(all, hostileTable{group, name, data, of, short})
	}
	mapped := func(f func(i, j int, v float64) float64) *dataset.Table {
		x := mat.DenseCopyOf(clean.X)
		x.Apply(f, x)
		return &dataset.Table{Names: clean.Names, X: x}
	}
	for _, s := range []float64{1e-12, 1e-6, 1e-3, 1e3, 1e6, 1e12} {
		add("units", fmt.Sprintf("all columns × %g", s), mapped(func(_, _ int, v float64) float64 {
			return s * v
		}), identity, s == 1e-12)
	}
	for _, s := range []float64{1e-12, 1e-6, 1e-3, 1e3, 1e6, 1e12} {
		add("units", fmt.Sprintf("X2 × %g", s), mapped(func(_, j int, v float64) float64 {
			if j == 2 {
				return s * v
			}
			return v
		}), identity, s == 1e12)
	}
	add("units", "columns × 1e-12, 1e-6, 1, 1e6, 1e12", mapped(func(_, j int, v float64) float64 {
		return math.Pow(10, float64(6*j-12)) * v
	}), identity, false)
	for _, m := range []float64{1e3, 1e6, 1e9, 1e12, 1e15, 1e17} {
		add("offsets", fmt.Sprintf("all columns + %g", m),
			mapped(func(_, _ int, v float64) float64 { return m + v }), identity, m == 1e6 ||
				m == 1e15)
	}
	extended := func(name string, column func(r int) float64) *dataset.Table {
		x := mat.NewDense(cleanRows, cleanColumns+1, nil)
		for r := range cleanRows {
			x.SetRow(r, append(slices.Clone(clean.X.RawRowView(r)), column(r)))
		}
		return &dataset.Table{Names: append(slices.Clone(clean.Names), name), X: x}
	}
	for _, v := range []float64{0, 7, 0.1, 1e12} {
		add("constants", fmt.Sprintf("a column of %g", v), extended("constant", func(int) float64 {
			return v
		}), []int{0, 1, 2, 3, 4, -1}, v == 0.1)
	}
	at := clean.X.At
	add("copies", "a copy of X1", extended("copy", func(r int) float64 { return at(r, 1) }),
		[]int{0, 1, 2, 3, 4, 1}, true)
	add("copies", "3 − 2·X1", extended("copy", func(r int) float64 { return 3 - 2*at(r, 1) }),
		[]int{0, 1, 2, 3, 4, 1}, false)
	add("copies", "1e6·X1", extended("copy", func(r int) float64 { return 1e6 * at(r, 1) }),
		[]int{0, 1, 2, 3, 4, 1}, false)
	add("copies", "X0 + X3", extended("sum", func(r int) float64 { return at(r, 0) + at(r, 3) }),
		nil, false)
	for _, s := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15} {
		rng := rand.New(rand.NewPCG(14, 8))
		add("near copies", fmt.Sprintf("X1 + %g·noise", s), extended("near", func(r int) float64 {
			return at(r, 1) + s*rng.NormFloat64()
		}), []int{0, 1, 2, 3, 4, 1}, s == 1e-3)
	}
	for _, n := range []int{2, 3, 4, cleanColumns, cleanColumns + 1, 2 * cleanColumns} {
		add("few rows", fmt.Sprintf("%d rows of %d columns", n, cleanColumns),
			cleanTable(n, normalNoise), identity, n == cleanColumns)
	}
	for _, f := range []int{5, 3, 2, 1} {
		name := fmt.Sprintf("noise of Student's t, %d degrees of freedom", f)
		if f == 1 {
			name = "noise of Cauchy"
		}
		add("heavy tails", name, cleanTable(cleanRows, studentNoise(f)), identity, f == 1)
	}
	for _, v := range []float64{10, 100, 1e6, 1e12} {
		add("heavy tails", fmt.Sprintf("one value of X2 is %g", v),
			mapped(func(i, j int, w float64) float64 {
				if i == 40 && j == 2 {
					return v
				}
				return w
			}), identity, false)
	}
	add("heavy tails", "all columns exponentiated", mapped(func(_, _ int, v float64) float64 {
		return math.Exp(v)
	}), identity, false)
	return all
}
