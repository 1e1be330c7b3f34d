package handwritten_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/bench/internal/handwritten"
	"tobac/models"
)

// problem is one setting, for both implementations.
type problem struct {
	name      string
	rows, d   int
	mask      bool
	tau       float64
	linear    models.LinearOptions
	hidden    int // units of networks, whose variances are those of linear; zero means the linear model
	prior     models.GraphPrior
	rank      int
	particles int
	samples   int
}

// problems cover odd and even numbers of variables and parents, fewer rows than
// variables, and what the golden files leave out.
func problems() []problem {
	published := models.LinearOptions{NoiseVariance: 0.1, EdgeVariance: 1}
	return []problem{
		{"two variables", 5, 2, false, 1, published, 0, models.UniformPrior{}, 1, 2, 3},
		{"published", 100, 10, false, 1, published, 0, models.ErdosRenyi{EdgeProbability: 0.4}, 9, 4, 128},
		{"many variables", 40, 23, false, 1, published, 0, models.ErdosRenyi{EdgeProbability: 0.2}, 22, 3, 37},
		{"few rows", 3, 8, false, 1, published, 0, models.ScaleFree{}, 7, 3, 20},
		{"interventions", 30, 7, true, 1, models.LinearOptions{NoiseVariance: 2, EdgeMean: 0.5, EdgeVariance: 0.25}, 0, models.ScaleFree{}, 4, 3, 20},
		{"tempered", 30, 7, false, 2.5, published, 0, models.UniformPrior{}, 8, 3, 20},
		{"network, two variables", 1, 2, false, 1, published, 1, models.UniformPrior{}, 1, 2, 3},
		{"network, three variables", 20, 3, false, 1, published, 5, models.ErdosRenyi{EdgeProbability: 0.6}, 2, 3, 33},
		{"network, four variables", 31, 4, false, 2.5, models.LinearOptions{NoiseVariance: 2, EdgeVariance: 0.25}, 2, models.ScaleFree{}, 4, 3, 16},
		{"network, six variables", 100, 6, false, 1, published, 5, models.ErdosRenyi{EdgeProbability: 0.8}, 5, 3, 128},
	}
}

// data draws rows of correlated variables, and a mask that sets every variable but
// the first in some rows.
func (p problem) data() (x *mat.Dense, mask mat.Matrix) {
	rng := rand.New(rand.NewPCG(1, 2))
	x = mat.NewDense(p.rows, p.d, nil)
	set := mat.NewDense(p.rows, p.d, nil)
	for r := range p.rows {
		row := x.RawRowView(r)
		for j := range row {
			row[j] = rng.NormFloat64()
			if j > 0 {
				row[j] += row[rng.IntN(j)]
			}
			if j > 0 && rng.IntN(4) == 0 {
				set.Set(r, j, 1)
			}
		}
	}
	if p.mask {
		mask = set
	}
	return x, mask
}

func (p problem) handwritten(t *testing.T, e models.Estimator, workers int) *handwritten.Target {
	x, mask := p.data()
	return newTarget(t, x, mask, p.hidden, handwritten.Config{
		NoiseVariance: p.linear.NoiseVariance, EdgeMean: p.linear.EdgeMean, EdgeVariance: p.linear.EdgeVariance,
		Particles: p.particles, Samples: p.samples, Rank: p.rank, AlphaRate: 0.05, Tau: p.tau,
		Estimator: e, Prior: p.prior, Noise: models.SeededNoise(3), Workers: workers,
	})
}

func (p problem) general(t *testing.T, e models.Estimator) *models.TOBAC {
	t.Helper()
	x, mask := p.data()
	var lik models.Likelihood
	var err error
	if p.hidden > 0 {
		lik, err = models.NewFeedForward(x, nil, models.FeedForwardOptions{
			NoiseVariance: p.linear.NoiseVariance, ParamVariance: p.linear.EdgeVariance, Hidden: []int{p.hidden},
		})
	} else {
		lik, err = models.NewLinear(x, mask, p.linear)
	}
	if err != nil {
		t.Fatal(err)
	}
	target, err := models.NewTOBAC(lik, models.TOBACConfig{
		Particles: p.particles, Samples: p.samples, Rank: p.rank, AlphaRate: 0.05, Tau: p.tau,
		Estimator: e, Prior: p.prior, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(target.Close)
	return target
}

// TestAgreesWithModels compares both implementations, with the same noise, at an
// undecided step, an early and a late one.
func TestAgreesWithModels(t *testing.T) {
	for _, p := range problems() {
		for _, e := range []models.Estimator{models.Joint, models.NodeWise} {
			t.Run(fmt.Sprintf("%s/%v", p.name, e), func(t *testing.T) {
				general, own := p.general(t, e), p.handwritten(t, e, 2)
				x := general.Init()
				for _, step := range []int{0, 7, 200, 2000} {
					got, want := score(t, own, x, step), score(t, general, x, step)
					wantClose(t, fmt.Sprintf("step %d: score of Z", step), got[0], want[0])
					wantClose(t, fmt.Sprintf("step %d: score of Θ", step), got[1], want[1])
				}
			})
		}
	}
}

// TestWorkers asserts equal bits for any number of workers, and no allocations.
func TestWorkers(t *testing.T) {
	problems := problems()
	for _, p := range []problem{problems[1], problems[len(problems)-1]} {
		t.Run(p.name, func(t *testing.T) {
			x := p.general(t, models.Joint).Init()
			var want []*mat.Dense
			for _, workers := range []int{1, 2, 7} {
				target := p.handwritten(t, models.Joint, workers)
				got := score(t, target, x, 200)
				if want == nil {
					want = got
				}
				for b := range want {
					if !mat.Equal(got[b], want[b]) {
						t.Errorf("block %d: 1 and %d workers differ", b, workers)
					}
				}
				allocs := testing.AllocsPerRun(10, func() {
					if err := target.Score(got, x, 200); err != nil {
						t.Fatal(err)
					}
				})
				if allocs != 0 {
					t.Errorf("%d workers: %v allocations per call, want none", workers, allocs)
				}
			}
		})
	}
}

func TestNewErrors(t *testing.T) {
	x, _ := problems()[1].data()
	good := handwritten.Config{
		NoiseVariance: 1, EdgeVariance: 1, Particles: 1, Samples: 1, Rank: 1, AlphaRate: 1, Tau: 1,
		Prior: models.UniformPrior{}, Noise: models.SeededNoise(1), Workers: 1,
	}
	for _, row := range []struct {
		name string
		set  func(c *handwritten.Config)
		want string
	}{
		{"particles", func(c *handwritten.Config) { c.Particles = 0 }, "handwritten: 0 particles, 1 samples, rank 1, 1 workers, want at least one of each"},
		{"tau", func(c *handwritten.Config) { c.Tau = 0 }, "handwritten: noise variance 1, edge variance 1, alpha rate 1, tau 0, want positive numbers"},
		{"noise", func(c *handwritten.Config) { c.Noise = nil }, "handwritten: no noise"},
		{"prior", func(c *handwritten.Config) { c.Prior = nil }, "handwritten: unknown graph prior <nil>"},
		{"estimator", func(c *handwritten.Config) { c.Estimator = 9 }, "handwritten: unknown estimator Estimator(9)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := good
			row.set(&cfg)
			if _, err := handwritten.New(x, nil, cfg); err == nil || err.Error() != row.want {
				t.Errorf("got error %v, want %s", err, row.want)
			}
		})
	}
	if _, err := handwritten.New(mat.NewDense(3, 1, nil), nil, good); err == nil {
		t.Error("one variable: no error")
	}
	const want = "handwritten: network: 0 hidden units, edge mean 0, want at least 1 and 0"
	if _, err := handwritten.NewNetwork(x, 0, good); err == nil || err.Error() != want {
		t.Errorf("no hidden units: got error %v, want %s", err, want)
	}
}
