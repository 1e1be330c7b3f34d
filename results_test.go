package tobac_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/internal/jobs"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// frozenVersion is the jobs.Results that the digests are of.
const frozenVersion = 9

// frozenResults are digests of the outputs of a few jobs, by the arithmetic.
var frozenResults = map[string]string{
	"float64 amd64 avx2":     "ad18f05eea9e5214",
	"float64 amd64 portable": "f70b3f5658664ebc",
}

// Outputs that were kept by another program are taken only if it gives the same bits: a change of what jobs
// give makes this test fail until jobs.Results is raised, and the digests with it.
func TestResultsVersion(t *testing.T) {
	h := sha256.New() // its Write never fails
	do := func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
		outputs, err := jobs.Do(ctx, jobs.Local{}, nil, tobac.Functions(), list, nil)
		for _, o := range outputs {
			h.Write(o)
		}
		return outputs, err
	}
	quick := tobac.Sampler{Particles: 4, Steps: 12, Samples: 8}
	for _, c := range []tobac.Config{
		{Engine: tobac.SVGD, Sampler: quick, Order: tobac.Order{Method: ordering.MethodEqVar, Count: 8}},
		{Engine: tobac.SVGD, Model: tobac.FeedForward{Hidden: []int{3}, NoiseVariance: 0.5}, Sampler: quick, Order: tobac.Order{Count: 2}},
		{Engine: tobac.MCMC, Model: tobac.BGe{}, Chains: tobac.Chains{Chains: 2, Iterations: 60, WarmUp: 20}},
	} {
		c.Jobs = do
		got := fit(t, jobTable(t), c)
		if c.Engine != tobac.MCMC {
			continue
		}
		// Jobs that give other bits still give the posterior: a graph without edges is more than twice as far from it.
		exact := fit(t, jobTable(t), tobac.Config{Engine: tobac.Exact, Model: c.Model})
		if off, empty := got.Marginals.Distance(exact.Marginals, nil), mat.Sum(exact.Probabilities)/20; off > empty/2 {
			t.Errorf("edge probabilities are %.3f off those of the engine exact, and %.3f from no edges", off, empty)
		}
	}
	want, ok := frozenResults[autograd.Arithmetic()]
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); !ok {
		t.Skipf("nothing is frozen for the arithmetic %s: %s", autograd.Arithmetic(), got)
	} else if got != want || jobs.Results != frozenVersion {
		t.Errorf("jobs.Results is %d, the digest under %s %s, want %s of %d: where jobs give other bits, raise jobs.Results and freeze the digests anew", jobs.Results, autograd.Arithmetic(), got, want, frozenVersion)
	}
}
