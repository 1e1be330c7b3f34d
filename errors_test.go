package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

func table(rows, cols int, names []string, at func(i, j int) float64) *dataset.Table {
	t := &dataset.Table{Names: names, X: mat.NewDense(rows, cols, nil)}
	for i := range rows {
		for j := range cols {
			t.X.Set(i, j, at(i, j))
		}
	}
	return t
}

// generic is a value without structure.
func generic(i, j int) float64 { return math.Sin(float64(1 + 7*i*i + 13*j + 3*i*j)) }

func TestDataErrors(t *testing.T) {
	abc := []string{"a", "b", "c"}
	for _, row := range []struct {
		name string
		data *dataset.Table
		cfg  tobac.Config
		want string
	}{
		{"no table", nil, tobac.Config{}, "dataset: table has no numbers"},
		{"one row", table(1, 3, abc, generic), tobac.Config{}, "tobac: got 1 row, want at least 2"},
		{"one variable", table(9, 1, abc[:1], generic), tobac.Config{}, "tobac: got 1 variable, want at least 2: a single variable has no edges to infer"},
		{"names", table(9, 3, abc[:2], generic), tobac.Config{}, "dataset: table has 2 names for 3 columns"},
		{"repeated name", table(9, 3, []string{"a", "b", "a"}, generic), tobac.Config{}, `dataset: columns 1 and 3 are both named "a"`},
		{"not a number", table(9, 3, abc, func(i, j int) float64 {
			if i == 4 && j == 1 {
				return math.NaN()
			}
			return generic(i, j)
		}), tobac.Config{}, `dataset: entry [4,1] in column "b" is NaN, want a finite number`},
		{"constant column", table(9, 3, abc, func(i, j int) float64 {
			if j == 1 {
				return 4.5
			}
			return generic(i, j)
		}), tobac.Config{}, "ordering: column 1 (b): constant column: every row is 4.5; remove the column or use another estimator"},
		{"fewer rows than variables", table(3, 3, abc, generic), tobac.Config{}, "ordering: too few rows: 3 rows of 3 columns, eqvar top-down needs at least 4"},
		{"an order of other length", table(9, 3, abc, generic), tobac.Config{Order: ordering.Fixed{0, 1}}, "ordering: the order lacks variable 2, it has 2 of 3 entries"},
		{"an order that is no permutation", table(9, 3, abc, generic), tobac.Config{Order: ordering.Fixed{0, 1, 1}}, "ordering: the order repeats variable 1, at positions 1 and 2"},
		{"settings", table(9, 3, abc, generic), tobac.Config{Particles: -5}, "tobac: particles is -5, want at least 1"},
		{"the paper's prior on three variables", table(9, 3, abc, generic), tobac.Paper(),
			"tobac: edges per node 2 on 3 variables makes the edge probability 2; want 0 < edges per node < 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := tobac.Fit(context.Background(), row.data, row.cfg)
			if p != nil || err == nil || err.Error() != row.want {
				t.Errorf("got %v and error %v\nwant error %s", p, err, row.want)
			}
		})
	}
}

// Errors of the order carry their reason.
func TestOrderErrorsAreTyped(t *testing.T) {
	_, err := tobac.Fit(context.Background(), table(9, 2, []string{"a", "b"}, func(i, j int) float64 { return float64(i * j) }), tobac.Config{})
	var column *ordering.ColumnError
	if !errors.Is(err, ordering.ErrConstant) || !errors.As(err, &column) || column.Column != 0 || column.Name != "a" {
		t.Errorf("got error %v, want an ordering.ColumnError for column 0, a, that wraps ErrConstant", err)
	}
}

// A problem that would not fit into memory is refused before anything is
// computed, and the error says what it needs and what to reduce.
func TestMemoryIsChecked(t *testing.T) {
	names := make([]string, 3000)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	_, err := tobac.NewRun(table(2, 3000, names, generic), tobac.Config{})
	if err == nil {
		t.Fatal("3,000 variables: got no error")
	}
	head := "tobac: 3000 variables with 30 particles and 128 samples on 1 workers need about "
	tail := " GB of memory, more than 16 GB; use fewer variables, samples, particles or workers, or a smaller rank"
	if s := err.Error(); !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) {
		t.Errorf("got error  %s\nwant %s…%s", s, head, tail)
	}
	// The particles under all orders are kept, of which three variables have six.
	_, err = tobac.NewRun(table(9, 100, names[:100], generic), tobac.Config{Order: ordering.MethodVariance, Orders: 1 << 20})
	if tail := "use fewer variables, samples, particles, orders or workers, or a smaller rank"; err == nil || !strings.HasSuffix(err.Error(), tail) {
		t.Errorf("many orders: got error %v, want one that ends in %s", err, tail)
	}
	r, err := tobac.NewRun(table(9, 3, names[:3], generic), tobac.Config{Order: ordering.MethodVariance, Orders: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}

// The smallest problem: two variables, one possible edge, three rows.
func TestTwoVariables(t *testing.T) {
	data := table(3, 2, []string{"a", "b"}, generic)
	p, err := tobac.Fit(context.Background(), data, tobac.Config{Particles: 1, Samples: 1, Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Graphs) != 1 || p.Graphs[0].Size() > 1 {
		t.Errorf("got %d graphs, the first with %d edges", len(p.Graphs), p.Graphs[0].Size())
	}
}

// With a known order nothing needs more rows than variables, nor columns that
// vary.
func TestKnownOrderNeedsLittle(t *testing.T) {
	data := table(2, 4, []string{"a", "b", "c", "d"}, func(i, j int) float64 {
		if j == 2 {
			return 1
		}
		return generic(i, j)
	})
	cfg := tobac.Config{Order: ordering.Fixed{3, 2, 1, 0}, Particles: 3, Samples: 8, Steps: 5}
	if _, err := tobac.Fit(context.Background(), data, cfg); err != nil {
		t.Error(err)
	}
}
