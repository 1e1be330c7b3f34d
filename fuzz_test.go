package tobac_test

import (
	"strings"
	"testing"

	"tobac"
	"tobac/internal/engines"
	"tobac/setting"
)

// FuzzSettings: every setting takes a text and gives one back that stands for the same value, or
// says in one line what is allowed and stays as it is.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"", "1", "0", "-3", "0.05", "1e309", "NaN", "0x10", "1_000",
		"exact", "EXACT", "nodewise", "reparam", "frequency", "eqvar", "9223372036854775808",
		"sparse", " 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all, again []*setting.Setting
		for k, e := range engines.All() {
			c, d := tobac.Config{Engine: e}, tobac.Config{Engine: engines.All()[k]}
			all, again = append(all, c.Settings()...), append(again, d.Settings()...)
		}
		for k, s := range all {
			before := s.String()
			if err := s.Set(text); err != nil {
				if s.String() != before || !strings.HasPrefix(err.Error(), "allowed: ") ||
					strings.Contains(err.Error(), "\n") {
					t.Fatalf("%s: error %q, %q before, %q after", s.Name, err, before, s.String())
				}
				continue
			}
			if s.String() == "" && text == s.Default {
				continue
			}
			if s.String() == "" {
				t.Fatalf("%s: %q is taken for the default", s.Name, text)
			}
			if err := again[k].Set(s.String()); err != nil || again[k].String() != s.String() {
				t.Fatalf("%s: %q is read as %q, which is read as %q, error %v", s.Name, text, s,
					again[k], err)
			}
		}
	})
}
