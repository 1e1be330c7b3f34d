package sem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/exact"
	"tobac/score"
	"tobac/sem"
)

// kinds draws a table of columns of different kinds that depend on each other.
func kinds(n int, all []dataset.Variable) *dataset.Table {
	rng := rand.New(rand.NewPCG(2, 9))
	d := len(all)
	t := &dataset.Table{X: mat.NewDense(n, d, nil), Variables: all}
	for j := range d {
		t.Names = append(t.Names, string(rune('a'+j)))
	}
	for i := range n {
		hidden := rng.NormFloat64()
		for j, v := range all {
			hidden = 0.8*hidden + 0.6*rng.NormFloat64()
			x := hidden
			switch {
			case v.Levels != nil:
				x = math.Floor(float64(len(v.Levels)) / (1 + math.Exp(-hidden)))
			case v.Kind == dataset.Count:
				x = math.Floor(math.Exp(hidden))
			}
			t.X.Set(i, j, x)
		}
	}
	return t
}

var (
	binary   = dataset.Variable{Kind: dataset.Binary, Levels: []string{"no", "yes"}}
	ordered  = dataset.Variable{Kind: dataset.Ordered, Levels: []string{"low", "mid", "high"}}
	category = dataset.Variable{Kind: dataset.Categorical, Levels: []string{"x", "y", "z"}}
	count    = dataset.Variable{Kind: dataset.Count}
	number   = dataset.Variable{}
)

// Sums over graphs under each hypothesis are those over all 543 graphs one by one.
func TestMixturesOfKinds(t *testing.T) {
	ctx := context.Background()
	for name, all := range map[string][]dataset.Variable{
		"categories": {binary, category, ordered, category},
		"a number":   {category, binary, number, category},
		"numbers":    {number, category, count, number},
	} {
		data := kinds(80, all)
		m := sem.Compared(data)[0]
		hypotheses, err := m.Hypotheses(ctx, data, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hypotheses[:2] {
			want, total := enumerate(h.Scores)
			prior := score.Uniform(4)
			o, err := exact.New(ctx, h.Scores, prior, exact.Options{})
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
			if got := graphs.LogEvidence(); math.Abs(got-total) > 1e-10*math.Abs(total) {
				t.Errorf("%s: evidence %v, want %v", name, got, total)
			}
			if !mat.EqualApprox(graphs.Edges(), want, 1e-10) {
				t.Errorf("%s: edges\n%v, want\n%v", name, mat.Formatted(graphs.Edges()), mat.Formatted(want))
			}
		}
	}
}

// enumerate sums over all acyclic graphs of four variables.
func enumerate(s score.Scorer) (edges *mat.Dense, logTotal float64) {
	const d = 4
	weights := map[[d]int]float64{}
	highest := math.Inf(-1)
	for code := range 1 << (d * d) {
		var parents [d]int // bit masks
		loops := false
		for j := range d {
			parents[j] = code >> (d * j) & (1<<d - 1)
			loops = loops || parents[j]>>j&1 == 1
		}
		placed := 0
		for range d {
			for j := range d {
				if parents[j]&^placed == 0 {
					placed |= 1 << j
				}
			}
		}
		if loops || placed != 1<<d-1 {
			continue
		}
		sum := 0.0
		for j := range d {
			sum += s.LogScore(j, score.Subset(nil, []int{0, 1, 2, 3}, parents[j]))
		}
		weights[parents] = sum
		highest = math.Max(highest, sum)
	}
	edges = mat.NewDense(d, d, nil)
	total := 0.0
	for parents, v := range weights {
		w := math.Exp(v - highest)
		total += w
		for j, set := range parents {
			for i := range d {
				if set>>i&1 == 1 {
					edges.Set(i, j, edges.At(i, j)+w)
				}
			}
		}
	}
	edges.Scale(1/total, edges)
	return edges, highest + math.Log(total)
}

// Kinds choose the models that are compared; others refuse categories in one sentence.
func TestComparedByKinds(t *testing.T) {
	for _, c := range []struct {
		all  []dataset.Variable
		want string
	}{
		{nil, "linear"},
		{[]dataset.Variable{number, binary, ordered}, "linear"},
		{[]dataset.Variable{binary, ordered, category}, "bdeu"},
		{[]dataset.Variable{number, ordered, category}, "mixed"},
	} {
		data := kinds(30, []dataset.Variable{number, number, number})
		if c.all != nil {
			data = kinds(30, c.all)
		} else {
			data.Variables = nil
		}
		if got := sem.Compared(data)[0].String(); got != c.want {
			t.Errorf("%v: %s is compared first, want %s", c.all, got, c.want)
		}
		err := sem.CheckKinds(sem.Linear{}, data)
		if refused := err != nil; refused != data.HasKind(func(k dataset.Kind) bool { return k == dataset.Categorical }) {
			t.Errorf("%v: linear has the error %v", c.all, err)
		}
		if err != nil && !strings.Contains(err.Error(), `column "c" is a category of 3 levels`) {
			t.Error(err)
		}
	}
}

// BDeu takes columns of numbers of few values, and refuses others by name.
func TestBDeuOfNumbers(t *testing.T) {
	data := kinds(300, []dataset.Variable{binary, number})
	if _, err := (sem.BDeu{}).Hypotheses(context.Background(), data, nil, 1); err == nil || !strings.Contains(err.Error(), `column "b" has 300 values`) {
		t.Errorf("error %v", err)
	}
	data.X.SetCol(1, mat.Col(nil, 0, data.X))
	if h, err := (sem.BDeu{Alpha: 2}).Hypotheses(context.Background(), data, nil, 1); err != nil || len(h) != 1 {
		t.Errorf("%d hypotheses, error %v", len(h), err)
	}
}
