package posterior_test

import (
	"math"
	"strings"
	"testing"

	"tobac/posterior"
)

// A mixture says of each part where it comes from, once, and keeps the marginals of a part that is
// a single component.
func TestMixtureKeepsWhereItsPartsComeFrom(t *testing.T) {
	read := func(engine, model string) *posterior.Posterior {
		p, err := posterior.Read(strings.NewReader(sample(t)), "sample")
		if err != nil {
			t.Fatal(err)
		}
		p.Engine, p.Model = engine, model
		return p
	}
	a, b, c := read("exact", "bge"), read("", "linear"), read("svgd", "bge")
	m := posterior.Mix([]*posterior.Posterior{a, b, c}, []float64{0, math.Log(2), 0})
	if m.Engine != "exact + svgd" || m.Model != "bge + linear" {
		t.Errorf("engine %q, model %q", m.Engine, m.Model)
	}
	if len(m.Components) != 3 || m.Components[1].Weight != 0.5 {
		t.Fatalf("components %+v", m.Components)
	}
	for k, p := range []*posterior.Posterior{a, b, c} {
		if got := m.Components[k].Marginals; got == nil || got.Probabilities != p.Probabilities {
			t.Errorf("component %d has not the marginals of its part", k)
		}
	}
	for i := range m.Names {
		if w := m.WeightMean.At(i, i); !math.IsNaN(w) {
			t.Errorf("a weight of %s on itself: %v", m.Names[i], w)
		}
	}
	twice := posterior.Mix([]*posterior.Posterior{m, m}, []float64{0, 0})
	if len(twice.Components) != 6 {
		t.Fatalf("%d components of a mixture of mixtures", len(twice.Components))
	}
	for k, component := range twice.Components {
		if component.Marginals != m.Components[k%3].Marginals {
			t.Errorf("component %d of a mixture of mixtures has other marginals than before", k)
		}
	}
}

// Every way of being no permutation is an error, no panic.
func TestOrdersThatAreNone(t *testing.T) {
	for _, order := range [][]int{{0, 2}, {2, 0}, {-1, 0}, {0, 0}, {1}, {0, 1, 2}} {
		p, err := posterior.Read(strings.NewReader(sample(t)), "sample")
		if err != nil {
			t.Fatal(err)
		}
		p.Components[0].Order = order
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "order") {
			t.Errorf("order %v: error %v", order, err)
		}
	}
}
