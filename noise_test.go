package tobac_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// drawnTable draws a table along the edges of a graph of five variables, V0 → V1 → V3, V0 → V2
// → V3, V2 → V4.
func drawnTable(rows int, seed uint64,
	equation func(rng *rand.Rand, parents []float64) float64) (*dataset.Table, map[[2]int]bool) {
	truth := map[[2]int]bool{{0, 1}: true, {0, 2}: true, {1, 3}: true, {2, 3}: true, {2, 4}: true}
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(rows, 5, nil)
	for r := range rows {
		for j := range 5 {
			var parents []float64
			for i := range j {
				if truth[[2]int{i, j}] {
					parents = append(parents, x.At(r, i))
				}
			}
			x.Set(r, j, equation(rng, parents))
		}
	}
	return &dataset.Table{Names: []string{"V0", "V1", "V2", "V3", "V4"}, X: x}, truth
}

// sure counts the directed edges with a probability of .95 or more, and the right ones of them.
func sure(r *tobac.Result, truth map[[2]int]bool) (said, right int) {
	d := len(r.Names)
	for i := range d {
		for j := range d {
			if i != j && r.Probabilities.At(i, j) >= 0.95 {
				said++
				if truth[[2]int{i, j}] {
					right++
				}
			}
		}
	}
	return said, right
}

func sum(x []float64, f func(float64) float64) (s float64) {
	for _, v := range x {
		s += f(v)
	}
	return s
}

func line(v float64) float64 { return 0.9 * v }

// Noise that is not normal is not taken for curvature: what is said with .95 is right, and much
// is said. Of the five edges an equivalence class tells two.
func TestNoiseOfAnyShape(t *testing.T) {
	student := func(rng *rand.Rand) float64 {
		return rng.NormFloat64() /
			math.Sqrt((math.Pow(rng.NormFloat64(), 2)+math.Pow(rng.NormFloat64(), 2))/2)
	}
	for _, c := range []struct {
		name     string
		equation func(rng *rand.Rand, parents []float64) float64
		model    sem.Model
		least    int // edges said
	}{
		{"lognormal noise", func(rng *rand.Rand, p []float64) float64 {
			return math.Exp(0.7*rng.NormFloat64()) - 2 + sum(p, line)
		}, sem.NonGaussian{}, 5},
		{"Student's t", func(rng *rand.Rand, p []float64) float64 {
			return student(rng) + sum(p, line)
		}, sem.NonGaussian{}, 5},
		{"curves with Student's t", func(rng *rand.Rand, p []float64) float64 {
			return 0.5*student(rng) + sum(p, func(v float64) float64 { return 2 * math.Tanh(2*v) })
		}, sem.Additive{}, 3},
		{"normal noise of changing scale", func(rng *rand.Rand, p []float64) float64 {
			return (0.3+sum(p, math.Abs))*rng.NormFloat64() + sum(p, math.Tanh)
		}, nil, 3},
		{"normal noise", func(rng *rand.Rand, p []float64) float64 {
			return rng.NormFloat64()*(1+float64(len(p))) + sum(p, line)
		}, sem.BGe{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data, truth := drawnTable(250, 2, c.equation)
			r := must.Get(tobac.Fit(context.Background(), data,
				tobac.Config{Engine: &sums.Exact{}}))(t)
			said, right := sure(r, truth)
			if said < c.least || right < said {
				t.Errorf("%d directions said with .95 or more, %d of them right, want at least "+
					"%d, all right: %v", said, right, c.least, mat.Formatted(r.Probabilities))
			}
			if c.model != nil && r.Config.Model.String() != c.model.String() {
				t.Errorf("model %v, want %v: %v", r.Config.Model, c.model, r.Evidence)
			}
		})
	}
}

// Where noise depends on the causes whatever the model, its form tells no directions, but
// independences do, and a warning says so.
func TestRefutedForm(t *testing.T) {
	// Causes turn the skewness of the noise around, which no form has.
	some, truth := drawnTable(800, 0, func(rng *rand.Rand, p []float64) float64 {
		cause := sum(p, line)
		return cause + math.Copysign(rng.ExpFloat64()-1, cause)
	})
	r := must.Get(tobac.Fit(context.Background(), some, tobac.Config{Engine: &sums.Exact{}}))(t)
	if said, right := sure(r, truth); right < said {
		t.Errorf("%d directions are said with .95 or more, %d of them right", said, right)
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "refutes the form") {
		t.Errorf("no warning of a form that is refuted:\n%s", all)
	}
	related := 0
	for i := range r.Names {
		for j := range i {
			if r.Probabilities.At(i, j)+r.Probabilities.At(j, i) > 0.95 {
				related++
			}
		}
	}
	if related < 2 {
		t.Errorf("%d pairs are surely related, want at least 2", related)
	}
}

// Counts that multiply are no sums with normal noise: their ranks tell which are related.
func TestCounts(t *testing.T) {
	data, truth := drawnTable(400, 4, func(rng *rand.Rand, p []float64) float64 {
		rate, k := math.Exp(1+1.2*(sum(p, math.Log1p)-1.3*float64(len(p)))), 0.0
		for left := rng.ExpFloat64(); left < rate; left += rng.ExpFloat64() {
			k++
		}
		return k
	})
	r := must.Get(tobac.Fit(context.Background(), data, tobac.Config{Engine: &sums.Exact{}}))(t)
	for i := range r.Names {
		for j := range i {
			p := r.Probabilities.At(i, j) + r.Probabilities.At(j, i)
			if related := truth[[2]int{j, i}]; related && p < 0.95 || !related && p > 0.5 {
				t.Errorf("%s and %s are related with a probability of %.2f, which is %v",
					r.Names[i], r.Names[j], p, related)
			}
		}
	}
	if said, right := sure(r, truth); right < said {
		t.Errorf("%d directions said with .95 or more, %d right, by the model %v", said, right,
			r.Config.Model)
	}
}

func TestLogarithms(t *testing.T) {
	multiplied, _ := drawnTable(150, 2, func(rng *rand.Rand, p []float64) float64 {
		return math.Exp(0.6*rng.NormFloat64() + sum(p, func(v float64) float64 {
			return 0.6 * math.Log(v)
		}))
	})
	added, _ := drawnTable(150, 2, func(rng *rand.Rand, p []float64) float64 {
		return rng.ExpFloat64() + sum(p, line)
	})
	negative, _ := drawnTable(150, 2, func(rng *rand.Rand, p []float64) float64 {
		return rng.NormFloat64() + sum(p, line)
	})
	for _, c := range []struct {
		name   string
		data   *dataset.Table
		config tobac.Config
		want   bool
	}{
		{"products", multiplied, tobac.Config{}, true}, {"sums", added, tobac.Config{}, false},
		{"negative numbers", negative, tobac.Config{}, false},
		{"a model that was asked for", multiplied, tobac.Config{Model: sem.BGe{}}, false},
	} {
		logs, note := must.Two(tobac.Logarithms(context.Background(), c.data, c.config))(t)
		if got := logs != nil; got != c.want || got != strings.Contains(note, "logarithms") {
			t.Errorf("%s: logarithms are taken: %v (%q), want %v", c.name, got, note, c.want)
		}
	}
}

// Errors of recording are left out; far values of long tails, which their effects have, stay.
func TestOutliers(t *testing.T) {
	normal, _ := drawnTable(150, 2, func(rng *rand.Rand, p []float64) float64 {
		return 10 + 0.3*rng.NormFloat64() + sum(p, line)
	})
	errors := &dataset.Table{Names: normal.Names, X: mat.DenseCopyOf(normal.X)}
	for i := 5; i < 150; i += 19 {
		errors.X.Set(i, i%5, 10*errors.X.At(i, i%5))
	}
	tails, _ := drawnTable(150, 2, func(rng *rand.Rand, p []float64) float64 {
		return rng.NormFloat64()/math.Abs(rng.NormFloat64()) + sum(p, line)
	})
	for _, c := range []struct {
		name   string
		data   *dataset.Table
		config tobac.Config
		want   int
	}{
		{"errors", errors, tobac.Config{}, 8}, {"no errors", normal, tobac.Config{}, 0},
		{"long tails", tails, tobac.Config{}, 0},
		{"a model that was asked for", errors, tobac.Config{Model: sem.BGe{}}, 0},
	} {
		rest, warning := must.Two(tobac.Outliers(context.Background(), c.data, c.config))(t)
		out := 0
		if rest != nil {
			out = 150 - len(rest)
		}
		if out != c.want || (out > 0) != strings.Contains(warning, "8 of 150 rows") {
			t.Errorf("%s: %d rows are left out (%q), want %d", c.name, out, warning, c.want)
		}
	}
}

// The expected distance from the published network of the flow cytometry data, told nothing.
func TestFlowCytometry(t *testing.T) {
	data, truth := must.Two(dataset.Sachs())(t)
	logs, _, err := tobac.Logarithms(context.Background(), data, tobac.Config{})
	if err != nil || logs == nil {
		t.Fatalf("logarithms %v, error %v", logs != nil, err)
	}
	r := must.Get(tobac.Fit(context.Background(), logs, tobac.Config{}))(t)
	distance := 0.0
	for i := range r.Names {
		for j := range i {
			forth, back := r.Probabilities.At(i, j), r.Probabilities.At(j, i)
			switch {
			case truth.Has(i, j):
				distance += 1 - forth
			case truth.Has(j, i):
				distance += 1 - back
			default:
				distance += forth + back
			}
		}
	}
	if !(distance < 14) {
		t.Errorf("expected SHD %.2f, want below 14", distance)
	}
}
