package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/internal/table"
)

// A column that is a sum of others is found, with its weights, wherever it stands and whatever the
// units.
func TestDependenceIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 6).Draw(t, "columns")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		weights := make([]float64, d)
		for j := range weights {
			weights[j] = float64(rapid.IntRange(-3, 3).Draw(t, "weight"))
		}
		constant := float64(rapid.IntRange(-9, 9).Draw(t, "constant"))
		scale := rapid.SampledFrom([]float64{1, 1000, 1e-3}).Draw(t, "scale")
		var b strings.Builder
		for j := range d {
			fmt.Fprintf(&b, "v%d,", j)
		}
		b.WriteString("sum\n")
		n := 40
		for range n {
			sum := constant
			for j := range d {
				v := float64(rng.IntN(2000)-1000) * scale
				sum += weights[j] * v
				fmt.Fprintf(&b, "%v,", v)
			}
			fmt.Fprintf(&b, "%v\n", sum)
		}
		file, err := table.Read(strings.NewReader(b.String()), "t.csv", table.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		count, only := 0, 0
		var plus, minus []string
		for j, w := range weights {
			term := fmt.Sprintf("%g·v%d", max(w, -w), j)
			if w == 1 || w == -1 {
				term = fmt.Sprintf("v%d", j)
			}
			switch {
			case w > 0:
				plus = append(plus, term)
			case w < 0:
				minus = append(minus, term)
			default:
				continue
			}
			count, only = count+1, j
		}
		want := strings.Join(plus, " + ")
		if len(plus) == 0 && constant > 0 {
			want = fmt.Sprint(constant)
		}
		for k, term := range minus {
			if want == "" && k == 0 {
				want = "−" + term
			} else {
				want += " − " + term
			}
		}
		switch {
		case constant < 0:
			want += fmt.Sprintf(" − %v", -constant)
		case constant > 0 && len(plus) > 0:
			want += fmt.Sprintf(" + %v", constant)
		}
		want = "sum = " + want
		_, err = table.Prepare(file, table.Options{})
		switch {
		case count == 0: // a constant
			if err == nil || !strings.Contains(err.Error(), "is constant") {
				t.Fatalf("error %v", err)
			}
		case count == 1 && weights[only] == 1 && constant == 0:
			if err == nil || !strings.Contains(err.Error(),
				fmt.Sprintf("is a copy of column %d (v%d)", only+1, only)) {
				t.Fatalf("error %v", err)
			}
		default:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want %q", err, want)
			}
		}
		p, err := table.Prepare(file, table.Options{Dependent: table.DependentDrop})
		if err != nil || len(p.Columns) != d {
			t.Fatalf("without it: %v", err)
		}
		for k, c := range p.Columns { // with the numbers that each alone has
			alone := must.Get(table.Describe(file, table.Options{Columns: []string{c.Name}}))(t)
			if m := alone.Prepared.Profiles[c.Position-
				1]; !(math.Abs(stat.Mean(mat.Col(nil, k, p.Data.X), nil)-m.Mean) <= 1e-9*(1+
				math.Abs(m.Mean))) {
				t.Fatalf("column %s has the mean %v, want %v", c.Name,
					stat.Mean(mat.Col(nil, k, p.Data.X), nil), m.Mean)
			}
		}
	})
}

// Columns that merely resemble each other are no dependence.
func TestNoDependence(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("a,b,c\n")
	for range 200 {
		a, e := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%v,%v,%v\n", a, a+1e-3*e, 2*a-rng.NormFloat64())
	}
	p := prepare(t, b.String(), table.Layout{}, table.Options{})
	if len(p.Columns) != 3 {
		t.Errorf("%d columns, want 3", len(p.Columns))
	}
}

// With fewer rows than columns every column is a sum of others, which says nothing; copies still
// do.
func TestFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("a,b,c,d,e,f\n")
	for range 5 {
		v := rng.NormFloat64()
		fmt.Fprintf(&b, "%v,%v,%v,%v,%v,%v\n", v, rng.NormFloat64(), rng.NormFloat64(),
			rng.NormFloat64(), rng.NormFloat64(), 1-v)
	}
	_, err := table.Prepare(read(t, b.String(), table.Layout{}), table.Options{})
	if err == nil || !strings.Contains(err.Error(), "f = 1 − a") ||
		strings.Contains(err.Error(), "problems") {
		t.Errorf("error %v", err)
	}
}

// A matrix of correlations is no table, and a square table that is almost symmetric is one.
func TestSymmetricMatrix(t *testing.T) {
	const correlations = ",a,b,c\na,1,.5,.2\nb,.5,1,.3\nc,.2,.3,1\n"
	_, err := table.Prepare(read(t, correlations, table.Layout{}), table.Options{})
	if err == nil || !strings.Contains(err.Error(), "symmetric matrix of 3 rows and columns") {
		t.Errorf("error %v", err)
	}
	prepare(t, strings.Replace(correlations, ".3,1\n", ".31,1\n", 1), table.Layout{},
		table.Options{})
}

// A column that is a sum of others but in a few rows stays, with a warning that names sum and rows.
func TestDependenceWithExceptions(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		wrong int
		want  string
	}{
		{2, "(exper) is determined by others: exper = age − educ − 6, but for 2 rows of 400"},
		{5, ""}, // more than one in a hundred
	} {
		var b strings.Builder
		b.WriteString("age,educ,exper,rare\n")
		for i := range 400 {
			age, educ := 20+rng.IntN(40), 6+rng.IntN(12)
			exper, rare := age-educ-6, 0
			if i%100 == 7 && i/100 < c.wrong {
				exper += 5
			}
			if i%150 == 3 {
				rare = 9 + rng.IntN(5) // nearly constant, determined by nothing
			}
			if c.wrong > 4 && i == 11 {
				exper -= 3
			}
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", age, educ, exper, rare)
		}
		file := must.Get(table.Read(strings.NewReader(b.String()), "t.csv", table.Layout{}))(t)
		prepared := must.Get(table.Prepare(file, table.Options{}))(t)
		got := strings.Join(prepared.Warnings, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d wrong rows: warnings %q, want %q", c.wrong, got, c.want)
		}
		if len(prepared.Columns) != 4 {
			t.Errorf("%d columns are left", len(prepared.Columns))
		}
	}
}
