package engines_test

import (
	"strings"
	"testing"

	"tobac/internal/engines"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// The default that a page of help names is the one that Prepare fills in: of settings whose default
// is one word, and not a rule.
func TestDefaultsAreThoseOfHelp(t *testing.T) {
	compared := 0
	for _, e := range engines.All() {
		p := enginetest.Chain()
		if e.Engine().Name() == "tempering" {
			p.Model = sem.FeedForward{}
		}
		name := e.Engine().Name()
		filled, err := e.Engine().Prepare(p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, s := range filled.Engine().Settings() {
			text, _, _ := strings.Cut(s.Default, ";")
			if got := s.String(); got != "" && !strings.ContainsAny(text, ", ") {
				compared++
				if name == "gflownet" && s.Name == "steps" {
					continue // of few variables nothing is trained
				}
				if got != text {
					t.Errorf("%s.%s is %s by default, and help says %s", name, s.Name, got,
						s.Default)
				}
			}
		}
	}
	if compared < 40 {
		t.Errorf("%d defaults, want those of all engines", compared)
	}
}
