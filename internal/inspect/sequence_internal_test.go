package inspect

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/priors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// noSource is known of no column.
func noSource(int) bool { return false }

// Mean and variance of the products of neighbours, over all arrangements one by one, with ties.
func TestOverArrangements(t *testing.T) {
	z := []float64{-3, -1, -1, 0, 1.5, 3.5}
	var sums []float64
	var visit func(k int)
	visit = func(k int) {
		if k == len(z) {
			sum := 0.0
			for i := 1; i < len(z); i++ {
				sum += z[i-1] * z[i]
			}
			sums = append(sums, sum)
		}
		for i := k; i < len(z); i++ {
			z[k], z[i] = z[i], z[k]
			visit(k + 1)
			z[k], z[i] = z[i], z[k]
		}
	}
	visit(0)
	want, variance := stat.PopMeanVariance(sums, nil)
	if m, v := overArrangements(z); len(sums) != 720 || math.Abs(m-want) > 1e-12 ||
		math.Abs(v-variance) > 1e-12 {
		t.Errorf("mean %v and variance %v of %d arrangements, want %v and %v", m, v, len(sums),
			want, variance)
	}
}

// Residuals given all others are those of a regression.
func TestGivenOthers(t *testing.T) {
	const n = 20
	rng := rand.New(rand.NewPCG(1, 4))
	x := mat.NewDense(n, 4, nil)
	x.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() + float64(i*j)/20 }, x)
	columns, first := make([][]float64, 4), mat.Col(nil, 0, x)
	for j := range columns {
		columns[j] = mat.Col(nil, j, x)
	}
	takeOut(columns, nil)
	got := givenOthers(columns, n)[0]
	others := mat.DenseCopyOf(x)
	others.SetCol(0, slices.Repeat([]float64{1}, n))
	var beta, fitted mat.VecDense
	must.Do(t, beta.SolveVec(others, mat.NewVecDense(n, first)))
	fitted.MulVec(others, &beta)
	for i := range first {
		first[i] -= fitted.AtVec(i)
	}
	if r := stat.Correlation(got, first, nil); !(r > 1-1e-12) {
		t.Errorf("residuals have the correlation %v with those of least squares", r)
	}
}

// drawTable has n rows of d columns, each with what the one before does to it.
func drawTable(n, d int, seed uint64, noise func(*rand.Rand) float64,
	record func(float64) float64) *dataset.Table {
	rng := rand.New(rand.NewPCG(seed, 5))
	data := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		data.Names = append(data.Names, fmt.Sprint("x", j))
	}
	for i := range n {
		row := data.X.RawRowView(i)
		for j := range row {
			v := noise(rng)
			switch {
			case j%2 == 1:
				v += 2 * math.Sin(2*row[j-1])
			case j > 0:
				v += row[j-1]
			}
			row[j] = record(v)
		}
	}
	return data
}

// inSequence are the rows of a table in another sequence.
func inSequence(data *dataset.Table, less func(a, b []float64) int) *dataset.Table {
	n, _ := data.X.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = slices.Clone(data.X.RawRowView(i))
	}
	slices.SortStableFunc(rows, less)
	sorted := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range rows {
		sorted.X.SetRow(i, rows[i])
	}
	return sorted
}

// Nothing is said of independent rows, whatever their distribution and however values are recorded,
// and of sorted ones that they are sorted: at most one table in a hundred. Of 46,800 tables (200
// seeds, 12 to 1000 rows, 2 to 15 columns) 18 had a warning.
func TestIndependentRows(t *testing.T) {
	same := func(v float64) float64 { return v }
	rounded := func(unit float64) func(float64) float64 {
		return func(v float64) float64 { return unit * math.Round(v/unit) }
	}
	alarms, tables := 0, 0
	for name, kind := range map[string]struct {
		noise  func(*rand.Rand) float64
		record func(float64) float64
	}{
		"normal": {(*rand.Rand).NormFloat64, same},
		"Cauchy": {func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() },
			same},
		"lognormal": {func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }, same},
		"mixture": {func(r *rand.Rand) float64 { return 6*float64(r.IntN(2)) + r.NormFloat64() },
			same},
		"counts":  {func(r *rand.Rand) float64 { return 4 * r.ExpFloat64() }, math.Floor},
		"zeros":   {(*rand.Rand).NormFloat64, func(v float64) float64 { return math.Max(0, v) }},
		"rounded": {(*rand.Rand).NormFloat64, rounded(0.1)},
		"coarse":  {(*rand.Rand).NormFloat64, rounded(1)},
		"coin": {(*rand.Rand).NormFloat64, func(v float64) float64 {
			return math.Max(0, math.Copysign(1, v))
		}},
	} {
		for seed := range uint64(20) {
			data := drawTable(60+20*int(seed), 2+int(seed)%5, seed, kind.noise, kind.record)
			s := Rows(data, noSource)
			tables++
			if w := s.Warnings(); len(w) > 0 {
				alarms++
				t.Logf("%s: %q", name, w)
			}
			sorted := Rows(inSequence(data, func(a, b []float64) int {
				return cmp.Compare(a[0], b[0])
			}), noSource)
			if sorted.Dependent() || len(sorted.Even) > 0 ||
				data.Names[0] != strings.Join(sorted.Sorted[:min(1, len(sorted.Sorted))], "") &&
					name != "coin" {
				t.Errorf("%s, seed %d: sorted rows have the warnings %q", name, seed,
					sorted.Warnings())
			}
		}
	}
	if alarms > tables/100 {
		t.Errorf("%d of %d tables of independent rows have warnings", alarms, tables)
	}
}

// What sequences show, and what is said of it.
func TestRowSequence(t *testing.T) {
	independent := func(n int) *dataset.Table {
		return drawTable(n, 3, 11, (*rand.Rand).NormFloat64, func(v float64) float64 { return v })
	}
	// with has one more column.
	with := func(data *dataset.Table, name string, at func(i int) float64) *dataset.Table {
		n, d := data.X.Dims()
		out := &dataset.Table{Names: append(slices.Clone(data.Names), name),
			X: data.X.Grow(0, 1).(*mat.Dense)}
		for i := range n {
			out.X.Set(i, d, at(i))
		}
		return out
	}
	summed := func(keep float64) func(data *dataset.Table) *dataset.Table {
		return func(data *dataset.Table) *dataset.Table {
			n, d := data.X.Dims()
			for i := 1; i < n; i++ {
				for j := range d {
					data.X.Set(i, j, keep*data.X.At(i-1, j)+data.X.At(i, j))
				}
			}
			return data
		}
	}
	walks := summed(1)
	thrice := independent(90)
	for i := 89; i > 0; i-- {
		thrice.X.SetRow(i, thrice.X.RawRowView(i/3))
	}
	classes := with(independent(120), "class", func(i int) float64 { return float64(i / 40) })
	// not sorted
	shifted := with(independent(120), "class", func(i int) float64 { return float64(i / 40 % 2) })
	for i := range 120 {
		classes.X.Set(i, 1, classes.X.At(i, 1)+[]float64{0, 9, 4}[i/40])
		shifted.X.Set(i, 1, shifted.X.At(i, 1)+9*float64(i/40%2))
	}
	regimes := independent(150)
	regimes.Intervened = mat.NewDense(150, 3, nil)
	for i := range 70 {
		regimes.Intervened.Set(i, 1, 1)
		regimes.X.Set(i, 1, 20)
		regimes.X.Set(i, 2, 20+regimes.X.At(i, 2))
	}
	const (
		refuted = "the rows of this table are not independent"
		alike   = refuted + ", unless they were sorted by something that is not a column: " +
			"the lag-one rank correlation of "
		option = " rises or falls evenly from row to row, like a time or an index, and cannot " +
			"be an effect of other columns: leave out with --drop "
	)
	for name, c := range map[string]struct {
		data  *dataset.Table
		prior background.Prior
		want  []string // how the warnings begin
	}{
		"independent":    {data: independent(100)},
		"walks":          {data: walks(independent(100)), want: []string{alike}},
		"autoregression": {data: summed(0.7)(independent(100)), want: []string{alike}},
		"alternating":    {data: summed(-0.7)(independent(100)), want: []string{alike}},
		"walks and their years": {data: with(walks(independent(100)), "year",
			func(i int) float64 { return 1900 + float64(i) }),
			want: []string{alike, `"year"` + option + `"year"`}},
		"quarters": {data: with(independent(90), "year", func(i int) float64 {
			return 1900 + float64(i/4)
		}), want: []string{`"year"` + option}},
		"months": {data: with(independent(40), "day", func(i int) float64 {
			return math.Floor(30.44 * float64(i))
		}), want: []string{`"day"` + option}},
		"an index, rows left out": {data: with(independent(90), "id", func(i int) float64 {
			return float64(-i - i/6)
		}), want: []string{`"id"` + option}},
		"a time that is a source": {data: with(independent(90), "t", func(i int) float64 {
			return float64(i)
		}), prior: background.Prior{Sources: []int{3}}},
		"a time without causes": {data: with(independent(90), "t", func(i int) float64 {
			return float64(i)
		}), prior: background.Prior{Forbidden: []dag.Edge{{From: 0, To: 3}, {From: 1, To: 3},
			{From: 2, To: 3}}}},
		"panel": {data: with(with(walks(independent(100)), "firm", func(i int) float64 {
			return float64(i / 20)
		}), "year", func(i int) float64 { return float64(i % 20) }),
			want: []string{alike, `"year"` + option}},
		"copies": {data: thrice,
			want: []string{refuted + ": 60 of 90 are copies of an earlier row"}},
		"sorted by class": {data: classes,
			want: []string{
				`the rows are sorted by "class", which may hide a dependence between rows`}},
		"classes":       {data: shifted},
		"interventions": {data: regimes},
		"sorted walks": {data: with(walks(independent(100)), "time", func(i int) float64 {
			return float64(i) + 5*math.Sqrt(float64(i))
		}), want: []string{`the rows are sorted by "time", and neighbouring values of `}},
		"few rows": {data: walks(independent(11))},
		"more columns, rows": {data: walks(drawTable(30, 40, 2, (*rand.Rand).NormFloat64,
			func(v float64) float64 { return v })), want: []string{alike}},
	} {
		s := Rows(c.data, priors.IsSource(&c.prior, len(c.data.Names)))
		got := s.Warnings()
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
			continue
		}
		for k := range got {
			if !strings.HasPrefix(got[k], c.want[k]) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		if refutes := len(c.want) > 0 &&
			strings.HasPrefix(c.want[0], refuted); s.Dependent() != refutes {
			t.Errorf("%s: rows depend on each other: %t, want %t", name, s.Dependent(), refutes)
		}
	}
	// Copies say nothing; walks of any length little.
	if s := Rows(thrice, noSource); math.Abs(s.Effective-30) > 1e-9 {
		t.Errorf("30 rows thrice each say as much as %v", s.Effective)
	}
	if s := Rows(independent(100), noSource); s.Effective != 100 {
		t.Errorf("100 independent rows say as much as %v", s.Effective)
	}
	// The sequence of rows matters alone, not their units.
	data := walks(independent(100))
	want := Rows(data, noSource)
	data.X.Apply(func(_, j int, v float64) float64 { return []float64{-1e6, 3, 1e-9}[j]*v + 7 },
		data.X)
	got := Rows(data, noSource)
	for k := range want.Serial {
		if math.Abs(got.Serial[k].Correlation-want.Serial[k].Correlation) > 1e-9 {
			t.Errorf("in other units %+v, want %+v", got.Serial[k], want.Serial[k])
		}
	}
	if math.Abs(got.Effective/want.Effective-1) > 1e-9 || !(want.Effective < 20) {
		t.Errorf("walks of 100 rows say as much as %v independent ones, in other units as %v",
			want.Effective, got.Effective)
	}
}

// Correlations of two unrelated series vary as those of so many independent rows, 1/n.
func TestIndependentPart(t *testing.T) {
	const n = 150
	for _, keep := range []float64{0, 0.6, -0.6, 0.9} {
		squares, parts := 0.0, 0.0
		const tables = 200
		for seed := range uint64(tables) {
			data := drawTable(n, 1, seed, (*rand.Rand).NormFloat64, func(v float64) float64 {
				return v
			})
			data.Names = append(data.Names, "y")
			data.X = data.X.Grow(0, 1).(*mat.Dense)
			data.X.SetCol(1,
				ColumnOf(drawTable(n, 1, seed+1e6, (*rand.Rand).NormFloat64,
					func(v float64) float64 { return v }), 0, dag.Identity(n)))
			for i := 1; i < n; i++ {
				for j := range 2 {
					data.X.Set(i, j, keep*data.X.At(i-1, j)+data.X.At(i, j))
				}
			}
			r := stat.Correlation(ColumnOf(data, 0, dag.Identity(n)),
				ColumnOf(data, 1, dag.Identity(n)), nil)
			squares += r * r / tables
			parts += independentPart(data, dag.Identity(n)) / tables
		}
		if ratio := squares * n * parts; !(ratio > 0.7 && ratio < 1.4) {
			t.Errorf("autoregression %v: variance of correlations %.4f, independent part of %d "+
				"rows %.3f", keep, squares, n, parts)
		}
	}
}

// Autocorrelations are sums of products.
func TestAutocorrelations(t *testing.T) {
	v := []float64{1, -2, 0.5, 3, -2.5}
	for k, got := range autocorrelations(v) {
		want := floats.Dot(v[k+1:], v[:len(v)-k-1]) / floats.Dot(v, v)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("lag %d: %v, want %v", k+1, got, want)
		}
	}
	if got := autocorrelations(make([]float64, 4)); floats.Norm(got, 1) != 0 {
		t.Errorf("of zeros: %v", got)
	}
}

// Of three tables with known truth the two that are time series have rows that depend on each
// other, and the other has no warning.
func TestSequencesOfTables(t *testing.T) {
	for name, series := range map[string]bool{"walk": true, "tigra": true, "pois": false} {
		data := must.Get(dataset.ReadFile("testdata/" + name + ".csv"))(t)
		if s := Rows(data, noSource); s.Dependent() != series || len(s.Warnings()) > 1 || !series &&
			len(s.Warnings()) > 0 {
			t.Errorf("%s: %q", name, s.Warnings())
		}
	}
}
