package metrics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/metrics"
)

// split lists the scores of edges and of the other entries.
func split(scores mat.Matrix, truth *dag.Graph,
	diagonal metrics.Diagonal) (edges, others []float64) {
	for i := range truth.Len() {
		for j := range truth.Len() {
			switch {
			case i != j && truth.Has(i, j):
				edges = append(edges, scores.At(i, j))
			case i != j || diagonal == metrics.WithDiagonal:
				others = append(others, scores.At(i, j))
			}
		}
	}
	return edges, others
}

// aurocByPairs compares every edge with every other entry.
func aurocByPairs(scores mat.Matrix, truth *dag.Graph, diagonal metrics.Diagonal) float64 {
	edges, others := split(scores, truth, diagonal)
	won := 0.0
	for _, p := range edges {
		for _, q := range others {
			switch {
			case p > q:
				won++
			case p == q:
				won += 0.5
			}
		}
	}
	return won / float64(len(edges)*len(others))
}

// curve lists recall and precision of "score ≥ s" for each distinct score s,
// highest first, counting from scratch each time.
func curve(scores mat.Matrix, truth *dag.Graph,
	diagonal metrics.Diagonal) (recall, precision []float64) {
	edges, others := split(scores, truth, diagonal)
	distinct := slices.Concat(edges, others)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	slices.Reverse(distinct)
	atLeast := func(values []float64, s float64) (count float64) {
		for _, v := range values {
			if v >= s {
				count++
			}
		}
		return count
	}
	for _, s := range distinct {
		hits := atLeast(edges, s)
		recall = append(recall, hits/float64(len(edges)))
		precision = append(precision, hits/(hits+atLeast(others, s)))
	}
	return recall, precision
}

func averagePrecisionByCurve(scores mat.Matrix, truth *dag.Graph,
	diagonal metrics.Diagonal) float64 {
	recall, precision := curve(scores, truth, diagonal)
	sum, last := 0.0, 0.0
	for k := range recall {
		sum += (recall[k] - last) * precision[k]
		last = recall[k]
	}
	return sum
}

func auprcByCurve(scores mat.Matrix, truth *dag.Graph, diagonal metrics.Diagonal) float64 {
	recall, precision := curve(scores, truth, diagonal)
	sum, lastR, lastP := 0.0, 0.0, 1.0
	for k := range recall {
		sum += (recall[k] - lastR) * (precision[k] + lastP) / 2
		lastR, lastP = recall[k], precision[k]
	}
	return sum
}

// drawScores draws a truth with at least one edge and scores with ties.
func drawScores(t *rapid.T) (*mat.Dense, *dag.Graph, *rand.Rand) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
	d := rapid.IntRange(2, 7).Draw(t, "d")
	truth := randomDAG(d, 0.4, rng)
	if truth.Size() == 0 {
		truth.Set(1, 0, true)
	}
	levels := rapid.IntRange(1, 20).Draw(t, "levels")
	scores := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			if i != j {
				scores.Set(i, j, float64(rng.IntN(levels))/float64(levels))
			}
		}
	}
	return scores, truth, rng
}

func TestRankingMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, truth, rng := drawScores(t)
		for _, diagonal := range []metrics.Diagonal{metrics.OffDiagonal, metrics.WithDiagonal} {
			if got, want := metrics.AUROC(scores, truth, diagonal),
				aurocByPairs(scores, truth, diagonal); got != want {
				t.Fatalf("AUROC %.17g, pairs give %.17g", got, want)
			}
			ap := metrics.AveragePrecision(scores, truth, diagonal)
			if want := averagePrecisionByCurve(scores, truth, diagonal); !near(ap, want, 1e-14) {
				t.Fatalf("average precision %g, by definition %g", ap, want)
			}
			auprc := metrics.AUPRC(scores, truth, diagonal)
			if want := auprcByCurve(scores, truth, diagonal); !near(auprc, want, 1e-14) {
				t.Fatalf("AUPRC %g, by definition %g", auprc, want)
			}
			if ap <= 0 || ap > 1+1e-15 || auprc <= 0 || auprc > 1+1e-15 {
				t.Fatalf("average precision %g, AUPRC %g, want in (0, 1]", ap, auprc)
			}
			// Only the ranking counts, and labels do not.
			var monotone mat.Dense
			monotone.Apply(func(_, _ int, v float64) float64 { return 5 * math.Exp(3*v) }, scores)
			order := rng.Perm(truth.Len())
			relabelled := mat.NewDense(len(order), len(order), nil)
			for a, i := range order {
				for b, j := range order {
					relabelled.Set(a, b, scores.At(i, j))
				}
			}
			for _, metric := range []func(mat.Matrix, *dag.Graph,
				metrics.Diagonal) float64{metrics.AUROC, metrics.AveragePrecision, metrics.AUPRC} {
				want := metric(scores, truth, diagonal)
				if got := metric(&monotone, truth, diagonal); got != want {
					t.Fatalf("%g after a monotone map, was %g", got, want)
				}
				if got := metric(relabelled, truth.Relabel(order), diagonal); got != want {
					t.Fatalf("%g after relabelling, was %g", got, want)
				}
			}
		}
	})
}

func TestAUROCLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, truth, rng := drawScores(t)
		d, edges := truth.Len(), truth.Size()
		off, with := metrics.AUROC(scores, truth, metrics.OffDiagonal),
			metrics.AUROC(scores, truth, metrics.WithDiagonal)

		var negated mat.Dense
		negated.Scale(-1, scores)
		if got := metrics.AUROC(&negated, truth, metrics.OffDiagonal); !near(got, 1-off, 1e-14) {
			t.Fatalf("reversed ranking gives %g, want 1 − %g", got, off)
		}

		// The diagonal adds d certain negatives of score 0.
		n, a := float64(d*(d-1)-edges), 0.0
		for _, e := range truth.Edges() {
			if scores.At(e.From, e.To) > 0 {
				a += 1 / float64(edges)
			} else {
				a += 0.5 / float64(edges)
			}
		}
		if want := (off*n + float64(d)*a) / (n + float64(d)); !near(with, want, 1e-14) {
			t.Fatalf("with diagonal %g, formula gives %g", with, want)
		}

		// A single graph: ½(1 + TPR − FPR).
		g := randomDAG(d, 0.5, rng)
		hits := 0
		for _, e := range g.Edges() {
			if truth.Has(e.From, e.To) {
				hits++
			}
		}
		tpr := float64(hits) / float64(edges)
		fpr := float64(g.Size()-hits) / n
		if got := metrics.AUROC(g.Matrix(), truth, metrics.OffDiagonal); !near(got, (1+tpr-fpr)/2,
			1e-14) {
			t.Fatalf("single graph %g, want %g", got, (1+tpr-fpr)/2)
		}
	})
}

func TestRankingExtremes(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	constant := mat.NewDense(3, 3, nil)
	empty := dag.New(3)
	for _, row := range []struct {
		name           string
		scores         mat.Matrix
		truth          *dag.Graph
		diagonal       metrics.Diagonal
		auroc, ap, prc float64
	}{
		{"perfect", truth.Matrix(), truth, metrics.OffDiagonal, 1, 1, 1},
		{"perfect, with diagonal", truth.Matrix(), truth, metrics.WithDiagonal, 1, 1, 1},
		// One threshold: precision 2/6 or 2/9 at recall 1, and the line from (0, 1).
		{"constant", constant, truth, metrics.OffDiagonal, 0.5, 2.0 / 6, (1 + 2.0/6) / 2},
		{"constant, with diagonal", constant, truth, metrics.WithDiagonal, 0.5, 2.0 / 9,
			(1 + 2.0/9) / 2},
		{"truth without edges", truth.Matrix(), empty, metrics.OffDiagonal, math.NaN(), math.NaN(),
			math.NaN()},
		{"truth without edges, with diagonal", truth.Matrix(), empty, metrics.WithDiagonal,
			math.NaN(), math.NaN(), math.NaN()},
		{"one vertex", mat.NewDense(1, 1, nil), dag.New(1), metrics.OffDiagonal, math.NaN(),
			math.NaN(), math.NaN()},
	} {
		t.Run(row.name, func(t *testing.T) {
			auroc := metrics.AUROC(row.scores, row.truth, row.diagonal)
			ap := metrics.AveragePrecision(row.scores, row.truth, row.diagonal)
			prc := metrics.AUPRC(row.scores, row.truth, row.diagonal)
			if !near(auroc, row.auroc, 1e-15) || !near(ap, row.ap, 1e-15) ||
				!near(prc, row.prc, 1e-15) {
				t.Errorf("AUROC %g, AP %g, AUPRC %g, want %g, %g, %g", auroc, ap, prc, row.auroc,
					row.ap, row.prc)
			}
		})
	}
}
