package tobac_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/ordering"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// frozenVersion is the jobs.Results that the digests are of.
const frozenVersion = 34

// frozenResults are digests of the draws of a few fits, by the arithmetic.
var frozenResults = map[string]string{
	"float64 amd64 avx2":     "7149753897c22466",
	"float64 amd64 portable": "5cf730d37a041488",
}

// Outputs that were kept by another program are taken only if it gives the same bits: a change of
// what fits give makes this test fail until jobs.Results is raised, and the digests with it.
func TestResultsVersion(t *testing.T) {
	h := sha256.New() // its Write never fails
	quick := stein.SVGD{Particles: 4, Steps: 12, Samples: 8}
	for _, c := range []tobac.Config{
		{Engine: &quick, Order: engine.Order{Method: ordering.MethodEqVar, Count: 8}},
		{Model: sem.FeedForward{Hidden: []int{3}, NoiseVariance: 0.5}, Engine: &quick,
			Order: engine.Order{Count: 2}},
		{Model: sem.BGe{}, Engine: &markov.MCMC{Chains: 2, Iterations: 60, WarmUp: 20}},
	} {
		got := fit(t, frozenTable(t), c)
		h.Write([]byte(text(t, got.Posterior)))
		if !isA[*markov.MCMC](c.Engine) {
			continue
		}
		// Fits that give other bits still give the posterior: a graph without edges is more than
		// twice as far from it.
		exact := fit(t, frozenTable(t), tobac.Config{Engine: &sums.Exact{}, Model: c.Model})
		if off, empty := got.Marginals.Distance(exact.Marginals, nil),
			mat.Sum(exact.Probabilities)/20; off > empty/2 {
			t.Errorf("edge probabilities are %.3f off those of the engine exact, and %.3f from "+
				"no edges", off, empty)
		}
	}
	want, ok := frozenResults[autograd.Arithmetic()]
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); !ok {
		t.Skipf("nothing is frozen for the arithmetic %s: %s", autograd.Arithmetic(), got)
	} else if got != want || jobs.Results != frozenVersion {
		t.Errorf("jobs.Results is %d, the digest under %s %s, want %s of %d: where fits give "+
			"other bits, raise jobs.Results and freeze the digests anew", jobs.Results,
			autograd.Arithmetic(), got, want, frozenVersion)
	}
}

// frozenTable is a small table with interventions.
func frozenTable(t *testing.T) *dataset.Table {
	t.Helper()
	table, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	small := &dataset.Table{Names: table.Names[:5], X: mat.DenseCopyOf(table.X.Slice(0, 80, 0, 5)),
		Intervened: mat.NewDense(80, 5, nil)}
	for i := range 10 {
		small.Intervened.Set(i, 2, 1)
	}
	small = must.Get(small.Standardize())(t)
	return small
}

// The particles of the published recipe are frozen: graphs and weights after 30 steps on the Sachs
// data are those, to nine digits, that they were before the other engines existed. Compilers and
// kernels round differently. What the recipe is worth, package bench tests:
// TestQualityOfPaperSachs.
func TestPaperIsFrozen(t *testing.T) {
	const want = "b44df41a9ef69649348a6303caa56103d385f1d3c075298590900774780af6eb"
	raw, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	cfg := tobac.Paper()
	sampler(&cfg).Steps, cfg.Seed = 30, 1
	h := sha256.New() // its Write never fails
	for _, d := range fit(t, standardised(t, raw), cfg).Draws {
		for _, e := range d.Graph.Edges() {
			fmt.Fprintf(h, "%d %d %.9g\n", e.From, e.To, d.Equations.Weights.At(e.From, e.To))
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of graphs and weights is %s, want %s", got, want)
	}
}
