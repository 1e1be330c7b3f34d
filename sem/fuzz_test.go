package sem_test

import (
	"strings"
	"testing"

	"tobac/sem"
)

// FuzzParse: a text is a model whose own text form stands for the same model, or an error of one
// line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "linear", "linear unequal",
		"linear noise-variance=0.1 no-intercept prior-start", "bge alpha-mu=1e-3 raw",
		"gp max-parents=3 rank=40", "ffn hidden=5,3 activation=tanh no-bias",
		"ffn hidden=", "linear noise-variance=NaN", "bge raw=1", "gp max-parents=1e300",
		"linear edge-variance", "hmm"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := sem.Parse(text)
		if err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "sem: ") || strings.Contains(m, "\n") {
				t.Fatalf("error %q", m)
			}
			return
		}
		again, err := sem.Parse(m.String())
		if err != nil || again.String() != m.String() {
			t.Fatalf("%q is the model %q, whose text is read as %v, error %v", text, m, again, err)
		}
	})
}
