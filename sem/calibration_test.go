package sem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/score"
	"tobac/sem"
)

// drawMixed draws a graph and a table of five kinds along it, with equations of their kinds.
func drawMixed(n int, seed uint64) (*dataset.Table, [5][5]bool) {
	rng := rand.New(rand.NewPCG(seed, 77))
	all := []dataset.Variable{number, category, binary, count, number}
	rng.Shuffle(5, func(i, j int) { all[i], all[j] = all[j], all[i] })
	t := &dataset.Table{X: mat.NewDense(n, 5, nil), Names: []string{"a", "b", "c", "d", "e"},
		Variables: all}
	var edges [5][5]bool
	order := rng.Perm(5)
	for at, j := range order {
		eta := make([][]float64, 3) // of the levels of a category; the first alone of others
		for k := range eta {
			eta[k] = make([]float64, n)
		}
		for _, i := range order[:at] {
			if rng.Float64() < 0.6 {
				continue
			}
			edges[i][j] = true
			var effect [3][3]float64
			for k := range effect {
				for l := range effect[k] {
					effect[k][l] = 1.3 * rng.NormFloat64()
				}
			}
			slope := (0.6 + 0.6*rng.Float64()) * float64(1-2*rng.IntN(2))
			mean, sd := 0.0, 0.0
			for r := range n {
				mean += t.X.At(r, i) / float64(n)
			}
			for r := range n {
				sd += math.Pow(t.X.At(r, i)-mean, 2) / float64(n)
			}
			for r := range n {
				for k := range eta {
					if all[i].Kind == dataset.Categorical {
						eta[k][r] += effect[k][int(t.X.At(r, i))]
					} else {
						eta[k][r] += slope * float64(1-k) * (t.X.At(r, i) - mean) / math.Sqrt(sd)
					}
				}
			}
		}
		for r := range n {
			v := eta[0][r] + rng.NormFloat64()
			switch all[j].Kind {
			case dataset.Binary:
				v = 0
				if rng.Float64() < 1/(1+math.Exp(-1.5*eta[0][r])) {
					v = 1
				}
			case dataset.Categorical:
				v = 0
				best := math.Inf(-1)
				for k := range eta {
					if g := eta[k][r] - math.Log(rng.ExpFloat64()); g > best {
						best, v = g, float64(k)
					}
				}
			case dataset.Count:
				rate := math.Exp(0.7 + 0.4*max(-4, min(4, eta[0][r])))
				v = 0
				for sum := rng.ExpFloat64(); sum < rate; sum += rng.ExpFloat64() {
					v++
				}
			}
			t.X.Set(r, j, v)
		}
	}
	return t, edges
}

// Of edges that the models of mixed tables call at least .95 probable, together at least nine in
// ten are there in that direction, and most true edges are found.
func TestDirectionsOfMixedTables(t *testing.T) {
	if testing.Short() {
		t.Skip("fits eight tables twice")
	}
	ctx := context.Background()
	said, right := 0, 0
	for _, m := range []sem.Model{sem.Mixed{}, sem.Generalised{}} {
		adjacent, found := 0, 0
		for seed := range uint64(8) {
			data, edges := drawMixed(1000, seed)
			hypotheses, err := scored(m).Hypotheses(ctx, data, nil, 2)
			if err != nil {
				t.Fatal(err)
			}
			h := hypotheses[len(hypotheses)/2]
			o, err := exact.New(ctx, h.Scores, score.Fair(5), exact.Options{})
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
			p := graphs.Edges()
			for i := range 5 {
				for j := range 5 {
					if p.At(i, j) >= 0.95 {
						said++
						if edges[i][j] {
							right++
						} else {
							t.Logf("%v, table %d: %d → %d is not there", m, seed, i, j)
						}
					}
					if edges[i][j] {
						adjacent++
						if p.At(i, j)+p.At(j, i) > 0.5 {
							found++
						}
					}
				}
			}
		}
		t.Logf("%v: %d of %d true edges found", m, found, adjacent)
		if 10*found < 8*adjacent {
			t.Errorf("%v: %d of %d true edges are found", m, found, adjacent)
		}
	}
	t.Logf("%d of %d said edges right", right, said)
	if 10*right < 9*said || said < 5 {
		t.Errorf("%d of %d edges of probability .95 are right", right, said)
	}
}
