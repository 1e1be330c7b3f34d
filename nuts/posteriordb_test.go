package nuts_test

import (
	"math"
	"testing"

	"tobac/chain"
	"tobac/internal/posteriordb"
	"tobac/nuts"
)

// Three posteriors of posteriordb, whose reference draws are 10⁴ nearly independent ones: means
// differ by less than 4.5 standard errors of the difference (estimated from few draws), standard
// deviations by less than 30 %. All 46, with long runs and closer bounds, are compared by
//
//	go test ./bench -run TestSamplers/nuts -long -v
func TestPosteriors(t *testing.T) {
	for _, name := range []string{
		"eight_schools-eight_schools_noncentered", "gp_pois_regr-gp_regr",
		"mesquite-logmesquite_logvolume",
	} {
		t.Run(name, func(t *testing.T) {
			p := posteriordb.Named(name)
			m, err := p.Compile(4)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			s := chain.Sampler{Target: m, Kernel: nuts.Kernel{Acceptance: 0.9}, Seed: 3}
			x, err := s.Run(t.Context(), 500, nil)
			if err != nil {
				t.Fatal(err)
			}
			values, err := m.Draws(x)
			if err != nil {
				t.Fatal(err)
			}
			all, err := p.Compare(m.Names(), values, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range all {
				if !(d.Errors < 4.5) || !(math.Abs(d.Ratio) < 0.3) {
					t.Error(d)
				}
			}
		})
	}
}
