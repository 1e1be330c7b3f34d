package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/effects"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/must"
	"tobac/posterior"

	"github.com/spf13/pflag"
)

// FuzzNames: a file of names, such as --order takes, is read as names that are the same when they
// are written as one line and read again, or refused in one line that begins with the path.
func FuzzNames(f *testing.F) {
	for _, text := range []string{"a,b,c\n", "\"a,b\"\n c\n\nd", "", "a;b\r\nc;d", "\"open", "\xff",
		"1,2,3", ",,\n", "\"x\ny\",z"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "names")
		read := func(data []byte) ([]string, error) {
			must.Do(t, os.WriteFile(path, data, 0o600))
			return readNames(path)
		}
		names, err := read(data)
		if err != nil {
			if m := cli.Message(err); !strings.HasPrefix(m, path) || strings.Contains(m, "\n") {
				t.Fatalf("error %q", m)
			}
			return
		}
		if len(names) == 0 {
			return
		}
		if again, err := read([]byte(cli.JoinNames(names))); err != nil ||
			!slices.Equal(names, again) {
			t.Fatalf("%q written as %q is read as %q, error %v", names, cli.JoinNames(names), again,
				err)
		}
	})
}

// FuzzSummary: of a summary that is read, every member of its configuration is told, but for two,
// and nothing else.
func FuzzSummary(f *testing.F) {
	for _, text := range []string{
		`{"config":{"data":"x","seed":1,"versions":{"tobac":"v"},"workers":3}}`, `{}`,
		`{"config":null}`, `{"config":{"model":"","a":[1,{"b":2}]}}`, `{"config":3}`, `[]`, "",
		`{"config":{"x":1,"x":2}}`, `{"warnings":null,"config":{}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readSummary(text)
		if err != nil {
			if s != nil && len(s.settings) > 0 {
				t.Fatalf("settings %v beside the error %v", s.settings, err)
			}
			return
		}
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(s.Config, &members); err != nil {
			t.Fatalf("the configuration %s is read, and is no object: %v", s.Config, err)
		}
		told := map[string]bool{}
		for _, fact := range s.settings {
			told[fact.Name] = true
		}
		for name := range members {
			if !told[strings.ReplaceAll(name, "_", "-")] && name != "versions" &&
				name != "workers" {
				t.Fatalf("%q of %s is not told", name, s.Config)
			}
			delete(told, strings.ReplaceAll(name, "_", "-"))
		}
		if len(told) > 0 {
			t.Fatalf("%v told of %s", told, s.Config)
		}
	})
}

// FuzzEffectsRoundTrip: effects that are read are the same when they are written and read again.
func FuzzEffectsRoundTrip(f *testing.F) {
	for _, text := range []string{effectsHeader + "\na,b,1.5,0.1,1,1.5,2,1,0.5\nb,a,1,,,,,1,\n",
		effectsHeader + "\n\"b,\"\"\",a,-1e300,0,0,0,0,1e-300,\n", effectsHeader + "\n"} {
		f.Add([]byte(text))
	}
	names := []string{"a", "b", `b,"`}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := readEffects(bytes.NewReader(data), "effects.csv", names)
		if err != nil {
			return
		}
		saved :=
			&result{Result: &tobac.Result{Outcome: engine.Outcome{
				Posterior: &posterior.Posterior{Names: names}}}, answers: answers{effects: all}}
		var written bytes.Buffer
		must.Do(t, saved.writeEffects(&written))
		again, err := readEffects(&written, "again.csv", names)
		numbers := func(e effects.Effect) []float64 {
			return []float64{float64(e.From), float64(e.To), e.Mean, e.SD, e.Q05, e.Q50, e.Q95,
				e.Path, e.InSD}
		}
		if err != nil || !slices.EqualFunc(all, again, func(a, b effects.Effect) bool {
			return slices.EqualFunc(numbers(a), numbers(b), func(v, w float64) bool {
				return v == w || math.IsNaN(v) && math.IsNaN(w)
			})
		}) {
			t.Fatalf("%v is written, and read as %v, error %v", all, again, err)
		}
	})
}

// FuzzConfigRoundTrip: options that a file gives are the same when they are written as run.toml and
// read again.
func FuzzConfigRoundTrip(f *testing.F) {
	for _, seed := range []string{"seed = 1", "data = \"x\"\nforbid = [\"a,b\", 'c,d']",
		"model = 'bge'\n[prior]\nedges-per-node = 1.5e0",
		"linear.noise-variance = 0.1\nmodel = \"linear\"\n[svgd]\nsamples = 0x10"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		apply := func(text string) (*cli.CommandLine, bool) {
			o := newFitOptions()
			fitCommand(o)
			options, _, err := cli.ParseConfig(text, o.command)
			if err != nil {
				return nil, false
			}
			return o.command, o.command.SetAll(options, ".", o.assign,
				func(_ cli.Option, err error) error { return err }) == nil
		}
		c, ok := apply(text)
		if !ok {
			return
		}
		var written strings.Builder
		must.Do(t, c.WriteConfig(&written, ".", func(string) bool { return true }))
		again, ok := apply(written.String())
		if !ok {
			t.Fatalf("%q is written as\n%s\nwhich is refused", text, written.String())
		}
		c.Visit(func(flag *pflag.Flag) {
			if cli.Marked(flag, cli.MarkOutside) {
				return
			}
			if got := again.Lookup(flag.Name).Value.String(); got != flag.Value.String() {
				t.Fatalf("--%s is %q, and %q after\n%s", flag.Name, flag.Value, got,
					written.String())
			}
		})
	})
}
