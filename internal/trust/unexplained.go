package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/ranks"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// probability of so much dependence by chance, in any place, below which it is said
	unexplained = 0.01
	cellRows    = 10000 // of which cells are counted; of more, some are taken
	cellLevels  = 5     // of each of two variables
	fewestCell  = 25    // rows of a cell of two causes, below which it is left out
)

// A remainder is the strongest dependence that the equations of a graph leave in other places than
// between a variable and one of its causes, and its chance.
type remainder struct {
	text   string
	chance float64
}

// unexplainedBy looks for what equations leave where noise is independent: between the noise of two
// variables, between the noise of a variable and a variable that is neither its cause nor its
// effect, and between the noise of a variable and two of its causes together. Two variables are cut
// into classes of as many rows each, and cells counted; of two causes also the correlation of the
// noise, and of its square, with their product. noise has the residuals of every variable, of rows
// that observed names. rows is the part of the rows that counts.
func unexplainedBy(data *dataset.Table, g *dag.Graph, noise [][]float64, observed [][]int,
	rows float64) remainder {
	d, below := len(data.Names), g.Closure()
	discrete := inspect.WithoutDensity(data)
	least, tests := remainder{chance: 1}, 0
	found := func(chance float64, text func() string) {
		if tests++; chance < least.chance {
			least = remainder{text(), chance}
		}
	}
	name := func(j int) string { return strconv.Quote(data.Names[j]) }
	// Classes of noise, and of columns in all rows, are the same in all pairs without gaps.
	n, _ := data.X.Dims()
	noises, columns := make([][]int, d), make([][]int, d)
	for j := range d {
		if noise[j] != nil && !slices.Contains(discrete, j) {
			noises[j] = classes(noise[j], cellLevels)
		}
	}
	column := func(i, j int) []int {
		if columns[i] != nil && len(observed[j]) == n {
			return columns[i]
		}
		of := classes(strided(inspect.ColumnOf(data, i, observed[j]), cellRows), cellLevels)
		if len(observed[j]) == n {
			columns[i] = of
		}
		return of
	}
	for j := range d {
		levels := noises[j]
		if levels == nil {
			continue
		}
		for i := range d {
			if i == j || slices.Contains(discrete, i) {
				continue
			}
			if i < j && noise[i] != nil {
				x, y := levels, noises[i]
				if len(observed[j]) < n || len(observed[i]) < n {
					a, b := inBoth(noise[j], observed[j], noise[i], observed[i])
					x, y = classes(a, cellLevels), classes(b, cellLevels)
				}
				if len(x) > 0 {
					found(cellChance(x, y, rows), func() string { return between(g, name, i, j) })
				}
			}
			if !below.Has(j, i) && !g.Has(i, j) && len(g.Parents(i)) > 0 {
				found(cellChance(levels, column(i, j), rows),
					func() string { return other(name(j), name(i)) })
			}
		}
		parents := g.Parents(j)
		if len(parents) < 2 {
			continue
		}
		of, causes := jointPart(noise[j], cellLevels), make([]part, len(parents))
		for a, i := range parents {
			x := strided(inspect.ColumnOf(data, i, observed[j]), cellRows)
			causes[a] = jointPart(x, causeLevels(len(x)))
		}
		for b := range parents {
			for a := range b {
				found(jointChance(of, causes[a], causes[b], rows), func() string {
					return fmt.Sprintf("the noise of %s depends on %s and %s together", name(j),
						name(parents[a]), name(parents[b]))
				})
			}
		}
	}
	least.chance = math.Min(1, least.chance*float64(max(tests, 1)))
	return least
}

// between says that the noise of two variables depends on each other; that of a variable without
// causes is itself.
func between(g *dag.Graph, name func(int) string, i, j int) string {
	if len(g.Parents(j)) == 0 {
		i, j = j, i
	}
	switch {
	case len(g.Parents(i)) > 0:
		return fmt.Sprintf("the noise of %s and of %s depend on each other", name(i), name(j))
	case len(g.Parents(j)) == 0:
		return fmt.Sprintf("%s and %s depend on each other, without an edge", name(i), name(j))
	case g.Has(i, j):
		return fmt.Sprintf("the noise of %s depends on %s", name(j), name(i))
	}
	return other(name(j), name(i))
}

// other says that noise depends on a variable that is no cause.
func other(noise, on string) string {
	return fmt.Sprintf("the noise of %s depends on %s, which is not among its causes", noise, on)
}

// strided are so many entries at most, evenly spread.
func strided[T any](x []T, most int) []T {
	if len(x) <= most {
		return x
	}
	out := make([]T, most)
	for k := range out {
		out[k] = x[k*len(x)/most]
	}
	return out
}

// inBoth are the entries of two variables of rows in which both are observed.
func inBoth(x []float64, of []int, y []float64, and []int) (a, b []float64) {
	of, and = strided(of, cellRows), strided(and, cellRows)
	for k, l := 0, 0; k < len(of) && l < len(and); {
		switch {
		case of[k] < and[l]:
			k++
		case of[k] > and[l]:
			l++
		default:
			a, b = append(a, x[k]), append(b, y[l])
			k, l = k+1, l+1
		}
	}
	return a, b
}

// classes cuts numbers into classes of as many each.
func classes(x []float64, levels int) []int {
	order := dag.Identity(len(x))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]int, len(x))
	for r, i := range order {
		out[i] = r * levels / len(x)
	}
	return out
}

// cellChance is the chance of cells that differ as much from those of independent classes.
func cellChance(a, b []int, rows float64) float64 {
	if len(a) < fewestCell*cellLevels {
		return 1
	}
	var count [cellLevels * cellLevels]float64
	for i := range a {
		count[a[i]*cellLevels+b[i]]++
	}
	want, sum := float64(len(a))/(cellLevels*cellLevels), 0.0
	for _, c := range count {
		sum += (c - want) * (c - want) / want
	}
	return distuv.ChiSquared{K: (cellLevels - 1) * (cellLevels - 1)}.Survival(rows * sum)
}

// A part is what jointChance takes of the noise or of a cause.
type part struct {
	scores  []float64 // normal scores
	classes []int
}

func jointPart(x []float64, levels int) part {
	return part{ranks.NormalScores(x), classes(x, levels)}
}

// causeLevels are the classes of each of two causes.
func causeLevels(rows int) int {
	if rows < fewestCell*16*2 {
		return 2
	}
	return 4
}

// jointChance is the chance of so much dependence of noise on two causes together: of the noise and
// its square on the product of the causes, by ranks, and of the classes of the noise in cells of
// the causes.
func jointChance(noise, x, y part, rows float64) float64 {
	e := noise.scores
	product := ranks.NormalScores(floats.MulTo(make([]float64, len(e)), x.scores, y.scores))
	square := floats.MulTo(make([]float64, len(e)), e, e)
	least, levels := 1.0, causeLevels(len(e))
	for _, power := range [][]float64{e, square} {
		if r := stat.Correlation(power, product, nil); !math.IsNaN(r) {
			least = math.Min(least, math.Erfc(math.Abs(r)*math.Sqrt(rows*float64(len(e))/2)))
		}
	}
	a, b, c := noise.classes, x.classes, y.classes
	count, whole := make([]float64, levels*levels*cellLevels), make([]float64, levels*levels)
	for r := range a {
		cell := b[r]*levels + c[r]
		count[cell*cellLevels+a[r]]++
		whole[cell]++
	}
	sum, cells := 0.0, 0
	for cell, m := range whole {
		if m < fewestCell {
			continue
		}
		cells++
		for _, v := range count[cell*cellLevels : (cell+1)*cellLevels] {
			want := m / cellLevels
			sum += (v - want) * (v - want) / want
		}
	}
	if cells > 0 {
		chi := distuv.ChiSquared{K: float64(cells * (cellLevels - 1))}
		least = math.Min(least, chi.Survival(rows*sum))
	}
	return math.Min(1, 3*least)
}
