package tobac_test

import (
	"strings"
	"testing"

	"tobac"
)

// FuzzParseModel: a text is a model whose own text form stands for the same model, or an error of one line.
func FuzzParseModel(f *testing.F) {
	for _, text := range []string{"", "linear", "linear unequal", "linear noise-variance=0.1 no-intercept prior-start", "bge alpha-mu=1e-3 raw", "gp max-parents=3 rank=40", "ffn hidden=5,3 activation=tanh no-bias",
		"ffn hidden=", "linear noise-variance=NaN", "bge raw=1", "gp max-parents=1e300", "linear edge-variance", "hmm"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := tobac.ParseModel(text)
		if err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "tobac: ") || strings.Contains(m, "\n") {
				t.Fatalf("error %q", m)
			}
			return
		}
		again, err := tobac.ParseModel(m.String())
		if err != nil || again.String() != m.String() {
			t.Fatalf("%q is the model %q, whose text is read as %v, error %v", text, m, again, err)
		}
	})
}

// FuzzSettings: every setting takes a text and gives one back that stands for the same value, or says in one line what is allowed and stays as it is.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"", "1", "0", "-3", "0.05", "1e309", "NaN", "0x10", "1_000", "exact", "EXACT", "nodewise", "reparam", "frequency", "eqvar", "9223372036854775808", "sparse", " 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c, d tobac.Config
		again := d.Settings()
		for k, s := range c.Settings() {
			before := s.String()
			if err := s.Set(text); err != nil {
				if s.String() != before || !strings.HasPrefix(err.Error(), "allowed: ") || strings.Contains(err.Error(), "\n") {
					t.Fatalf("%s: error %q, %q before, %q after", s.Name, err, before, s.String())
				}
				continue
			}
			if s.String() == "" {
				t.Fatalf("%s: %q is taken for the default", s.Name, text)
			}
			if err := again[k].Set(s.String()); err != nil || again[k].String() != s.String() {
				t.Fatalf("%s: %q is read as %q, which is read as %q, error %v", s.Name, text, s, again[k], err)
			}
		}
	})
}
