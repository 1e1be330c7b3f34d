package bench_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/study"
	"tobac/metrics"
	"tobac/sem"
)

// A quality is what the particles of SVGD under EqVar's order are worth: against the true
// graph, and against the exact posterior given the same order under the same model and
// prior.
type quality struct {
	// of the frequencies or the listed probabilities; AUROC with the diagonal
	eshd, auroc, brier float64
	exactBrier         float64 // of the exact posterior
	// mean absolute error against the exact probabilities, over the pairs that the order allows
	distance float64
}

// qualityOf fits a problem, and computes the exact posterior given the order of the
// particles.
func qualityOf(t *testing.T, p *study.Problem, cfg tobac.Config) quality {
	t.Helper()
	cfg.Workers = runtime.GOMAXPROCS(0)
	particles := must.Get(tobac.Fit(context.Background(), p.Train, cfg))(t)
	order := particles.Order()
	model := particles.Config.Model.(sem.Linear)
	model.NoiseVariance = particles.Components[0].NoiseVariance
	model.EdgeVariance = 1 // that of the likelihood, where the engine exact averages
	exact := must.Get(tobac.Fit(context.Background(), p.Train, tobac.Config{
		Model: model, Engine: &sums.Exact{}, Order: engine.Order{Known: order},
		Prior: background.Prior{EdgesPerNode: 2}, Workers: cfg.Workers,
	}))(t)
	q := quality{
		eshd:       metrics.ESHDOfEdges(particles.Probabilities, p.Truth),
		auroc:      metrics.AUROC(particles.Probabilities, p.Truth, metrics.WithDiagonal),
		brier:      metrics.Brier(particles.Probabilities, p.Truth),
		exactBrier: metrics.Brier(exact.Probabilities, p.Truth),
	}
	var difference mat.Dense
	difference.Sub(particles.Probabilities, exact.Probabilities)
	d := len(order)
	for i := range d {
		for j := range d {
			q.distance += math.Abs(difference.At(i, j)) / float64(d*(d-1)/2)
		}
	}
	return q
}

// qualities are those of problem number i under the seed 1+i.
func qualities(t *testing.T, problems []*study.Problem, cfg tobac.Config) []quality {
	t.Helper()
	all := make([]quality, len(problems))
	for i, p := range problems {
		cfg.Seed = 1 + uint64(i)
		q := qualityOf(t, p, cfg)
		t.Logf("%s: E-SHD %.2f, AUROC %.3f, Brier score %.4f (exact given the order %.4f), mean "+
			"absolute error against exact %.4f",
			p.Name, q.eshd, q.auroc, q.brier, q.exactBrier, q.distance)
		all[i] = q
	}
	return all
}

// A band is what the mean of a number over problems may be.
type band struct {
	name        string
	number      func(quality) float64
	want, width float64
}

func inBands(t *testing.T, all []quality, bands []band) {
	t.Helper()
	for _, b := range bands {
		mean := 0.0
		for _, q := range all {
			mean += b.number(q) / float64(len(all))
		}
		if !(math.Abs(mean-b.want) <= b.width) {
			t.Errorf("mean %s: got %.4f, want %.4f ± %.4f", b.name, mean, b.want, b.width)
		}
	}
}

func numberESHD(q quality) float64     { return q.eshd }
func numberAUROC(q quality) float64    { return q.auroc }
func numberBrier(q quality) float64    { return q.brier }
func numberDistance(q quality) float64 { return q.distance }

// linearProblems are linear-d20-e40-run0, which the repository holds, and with -long run1 and run2.
func linearProblems(t *testing.T) []*study.Problem {
	t.Helper()
	if *long {
		return synthetic(t, "linear-d20-e40", 3)
	}
	return []*study.Problem{recordedProblem(t, "linear-d20-e40-run0")}
}

// recordedProblem reads one of the data sets that the tests of package ordering hold.
func recordedProblem(t *testing.T, name string) *study.Problem {
	t.Helper()
	dir := filepath.Join("..", "ordering", "testdata", name)
	table := must.Get(dataset.ReadFile(filepath.Join(dir, "train.csv")))(t)
	file := filepath.Join(dir, "graph.csv")
	f := must.Get(os.Open(file))(t)
	defer f.Close() // only read
	truth, _ := must.Two(dag.ReadEdges(f, file, table.Names))(t)
	return &study.Problem{Name: name, Train: table, Truth: truth}
}

// The published recipe on a split of the Sachs data, with -long on three. E-SHD and AUROC against
// Table I, 15.6 ± 0.42 and 0.599 ± 0.0395 over ten splits: three standard errors of a mean over
// the splits. Brier score and error against the exact posterior given the order against our own
// ten splits of 2026-11-22, 0.141 ± 0.0066 and 0.379 ± 0.053: likewise.
func TestQualityOfPaperSachs(t *testing.T) {
	splits := 1
	if *long {
		splits = 3
	}
	problems := sachsSplits(t, splits)
	se := 3 / math.Sqrt(float64(len(problems)))
	inBands(t, qualities(t, problems, tobac.Paper()), []band{
		{"E-SHD", numberESHD, 15.6, 0.42 * se},
		{"AUROC with diagonal", numberAUROC, 0.599, 0.0395 * se},
		{"Brier score", numberBrier, 0.141, 0.0066 * se},
		{"error against exact", numberDistance, 0.379, 0.053 * se},
	})
}

// The published recipe on the paper's linear data, beside the authors' program. One
// inference seed differs from the next by several edges there and here: over five seeds
// on each of three data sets, means and standard deviations between seeds were
//
//	E-SHD 46.8 ± 3.3, 33.4 ± 1.4, 26.7 ± 2.2; AUROC .952 ± .005, .982 ± .003, .986 ± .004;
//	Brier .055 ± .004, .035 ± .002, .028 ± .003; error against exact .227 ± .015, .162 ± .007, .135 ± .011.
//
// Bands are 4 standard deviations of one seed around these means, and the authors' E-SHD
// and AUROC may be 10 and 0.03 away.
func TestQualityOfPaperLinear(t *testing.T) {
	reference := study.LinearReference()[0].Runs
	ours := [3]quality{
		{eshd: 46.8, auroc: 0.952, brier: 0.055, distance: 0.227},
		{eshd: 33.4, auroc: 0.982, brier: 0.035, distance: 0.162},
		{eshd: 26.7, auroc: 0.986, brier: 0.028, distance: 0.135},
	}
	for i, q := range qualities(t, linearProblems(t), tobac.Paper()) {
		inBands(t, []quality{q}, []band{
			{"E-SHD", numberESHD, ours[i].eshd, 4 * 3.3},
			{"E-SHD beside the authors'", numberESHD, reference[i].ESHD, 10},
			{"AUROC with diagonal", numberAUROC, ours[i].auroc, 4 * 0.005},
			{"AUROC with diagonal beside the authors'", numberAUROC, reference[i].AUROC, 0.03},
			{"Brier score", numberBrier, ours[i].brier, 4 * 0.004},
			{"error against exact", numberDistance, ours[i].distance, 4 * 0.015},
		})
	}
}

// The default recipe of SVGD under EqVar's order, on the same data: edge probabilities are
// within about a hundredth of the exact posterior given the order (over three seeds .0062 to
// .0108, .0071 to .0094, .0068 to .0075), so that the Brier score is hardly above
// the exact one's (by .0010 to .0017, .0010 to .0019, .0010 to .0013).
func TestQualityOfDefaultSampler(t *testing.T) {
	for _, q := range qualities(t, linearProblems(t), underEqVar()) {
		if !(q.distance <= 0.015) {
			t.Errorf("mean absolute error against exact %.4f, want at most 0.015", q.distance)
		}
		if !(q.brier-q.exactBrier <= 0.003) {
			t.Errorf("Brier score %.4f, want at most 0.003 above that of the exact posterior, %.4f",
				q.brier, q.exactBrier)
		}
		if !(q.auroc >= 0.97) {
			t.Errorf("AUROC %.3f, want at least 0.97", q.auroc)
		}
	}
}
