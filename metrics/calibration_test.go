package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/metrics"
)

// Worked by hand. Truth 0 → 1 → 2; probabilities 0→1: 0.95, 0→2: 0.25, 1→2: 0.75,
// 2→1: 0.25, the others 0.
//
//	Brier: (0.05² + 0.25² + 0.25² + 0.25²)/6
//	log score, 0 taken as 0.01: −(ln 0.95 + 3 ln 0.75 + 2 ln 0.99)/6
//	calibration in 10 bins: 0.05, 0 (two zeros), 0.25 + 0.25 in bin 2, 0.25 in bin 7: 0.8/6
//	calibration in 2 bins: 0.5 below ½; |1.7 − 2| above: 0.8/6
//	calibration in 1 bin: |2.2 − 2|/6
//	entropy in bits: 0.95 has 0.286397, ¼ and ¾ have 0.811278 each
//	decided within 0.05: 0.95 and two zeros
func TestCalibrationByHand(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	p := matrix([]float64{0, 0.95, 0.25}, []float64{0, 0, 0.75}, []float64{0, 0.25, 0})
	for _, row := range []struct {
		name      string
		got, want float64
	}{
		{"Brier", metrics.Brier(p, truth), (0.0025 + 3*0.0625) / 6},
		{"log score", metrics.LogScore(p, truth, 0.01),
			-(math.Log(0.95) + 3*math.Log(0.75) + 2*math.Log(0.99)) / 6},
		{"calibration, 10 bins", metrics.CalibrationError(p, truth, 10), 0.8 / 6},
		{"calibration, 2 bins", metrics.CalibrationError(p, truth, 2), 0.8 / 6},
		{"calibration, 1 bin", metrics.CalibrationError(p, truth, 1), 0.2 / 6},
	} {
		if !(math.Abs(row.got-row.want) <= 1e-15) {
			t.Errorf("%s is %.17g, want %.17g", row.name, row.got, row.want)
		}
	}
}

// Truth, no edges, and probabilities of one half, on any graph.
func TestCalibrationOfExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 21))
		d := rapid.IntRange(2, 8).Draw(t, "d")
		truth := randomDAG(d, 0.5, rng)
		half := mat.NewDense(d, d, nil)
		for i := range d * d {
			half.RawMatrix().Data[i] = 0.5
		}
		share := float64(truth.Size()) / float64(d*(d-1))
		bins := rapid.IntRange(1, 20).Draw(t, "bins")
		for _, row := range []struct {
			name                   string
			p                      mat.Matrix
			brier, logScore, error float64
		}{
			{"truth", truth.Matrix(), 0, -math.Log(1 - 1e-3), 0},
			{"no edges", mat.NewDense(d, d, nil), share,
				-share*math.Log(1e-3) - (1-share)*math.Log(1-1e-3), share},
			{"one half", half, 0.25, math.Ln2, math.Abs(0.5 - share)},
		} {
			for _, c := range []struct {
				name      string
				got, want float64
			}{
				{"Brier", metrics.Brier(row.p, truth), row.brier},
				{"log score", metrics.LogScore(row.p, truth, 1e-3), row.logScore},
				{"calibration", metrics.CalibrationError(row.p, truth, bins), row.error},
			} {
				if !(math.Abs(c.got-c.want) <= 1e-12) {
					t.Fatalf("%s of %s is %v, want %v", c.name, row.name, c.got, c.want)
				}
			}
		}
	})
}

// Brier and log score are proper: over graphs whose edges are drawn with the
// probabilities q, no other probabilities have a lower expectation. 400 graphs of
// 20 entries each; the difference of the means is compared with 0, and is positive
// by more than five standard errors of it.
func TestScoresAreProper(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	const d, graphs = 5, 400
	q, other := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			v := 0.1 + 0.8*rng.Float64()
			q.Set(i, j, v)
			other.Set(i, j, math.Min(0.99, math.Max(0.01, v+0.3*rng.NormFloat64())))
		}
	}
	for _, score := range []struct {
		name string
		f    func(p mat.Matrix, truth *dag.Graph) float64
	}{
		{"Brier", metrics.Brier},
		{"log score", func(p mat.Matrix, truth *dag.Graph) float64 {
			return metrics.LogScore(p, truth, 1e-3)
		}},
	} {
		sum, square := 0.0, 0.0
		for range graphs {
			truth := dag.New(d)
			for i := range d {
				for j := range d {
					truth.Set(i, j, i != j && rng.Float64() < q.At(i, j))
				}
			}
			diff := score.f(other, truth) - score.f(q, truth)
			sum, square = sum+diff, square+diff*diff
		}
		mean := sum / graphs
		se := math.Sqrt((square/graphs - mean*mean) / graphs)
		if !(mean > 5*se) {
			t.Errorf("%s: other probabilities are worse by %v ± %v, want more than five standard "+
				"errors", score.name, mean, se)
		}
	}
}

// Calibrated probabilities have an error that is chance alone: of 200 graphs of 90
// entries in ten bins its mean is below 0.133, since each bin's gap has the standard
// deviation √(n_b p(1−p)) ≤ ½√n_b and E|gap| ≤ √(2/π)·½·√n_b, so that
// E[error] ≤ 0.4 Σ_b √n_b / 90 ≤ 0.4·√(10·90)/90 = 0.133; overconfident ones have more.
func TestCalibrationErrorOfCalibratedProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 32))
	const d, graphs = 10, 200
	calibrated, sure := 0.0, 0.0
	for range graphs {
		truth, p, extreme := dag.New(d), mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				v := rng.Float64()
				p.Set(i, j, v)
				extreme.Set(i, j, math.Round(v))
				truth.Set(i, j, i != j && rng.Float64() < v)
			}
		}
		calibrated += metrics.CalibrationError(p, truth, metrics.CalibrationBins) / graphs
		sure += metrics.CalibrationError(extreme, truth, metrics.CalibrationBins) / graphs
	}
	if calibrated > 0.133 || sure < 0.2 {
		t.Errorf("calibrated probabilities have the error %v, want at most 0.133; overconfident "+
			"ones %v, want at least 0.2", calibrated, sure)
	}
}

func TestCalibrationPanics(t *testing.T) {
	truth := dag.New(2)
	ok := mat.NewDense(2, 2, nil)
	outside := matrix([]float64{0, 1.5}, []float64{0, 0})
	for _, row := range []struct {
		name string
		f    func()
		want string
	}{
		{"shape", func() { metrics.Brier(mat.NewDense(2, 3, nil), truth) },
			"metrics: probabilities are 2×3 for a graph of 2 vertices"},
		{"outside", func() { metrics.Brier(outside, truth) },
			"metrics: probability of 0 -> 1 is 1.5, want a number from 0 to 1"},
		{"NaN", func() { metrics.Brier(matrix([]float64{0, math.NaN()}, []float64{0, 0}), truth) },
			"metrics: probability of 0 -> 1 is NaN, want a number from 0 to 1"},
		{"least", func() { metrics.LogScore(ok, truth, 0) },
			"metrics: least probability 0, want a number between 0 and ½"},
		{"bins", func() { metrics.CalibrationError(ok, truth, 0) },
			"metrics: 0 bins, want at least 1"},
		{"skeleton", func() { metrics.SkeletonAUROC(outside, truth) },
			"metrics: probability of 0 -> 1 is 1.5, want a number from 0 to 1"},
		{"E-SHD", func() { metrics.ESHDOfEdges(mat.NewDense(3, 3, nil), truth) },
			"metrics: probabilities are 3×3 for a graph of 2 vertices"},
		{"vertices", func() { _, _ = metrics.EvaluateEdges(mat.NewDense(3, 3, nil), truth) },
			"metrics: probabilities of 3 variables, the truth has 2"},
	} {
		if got := panics(row.f); got != row.want {
			t.Errorf("%s: got %v, want %s", row.name, got, row.want)
		}
	}
}
