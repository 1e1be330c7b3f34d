package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
	_ "tobac/internal/rapidseed"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// What run.toml says gives the same files again, from another folder too, and
// another one like itself.
func TestConfigRepeatsARun(t *testing.T) {
	for k, args := range []string{
		"data/train.csv --heldout data/heldout.csv --truth data/graph.csv --seed 7",
		"data/train.csv --engine svgd --order ./eqvar --forbid X0,X1 --require X2,X3 --forbid " +
			"X4,X5 --set steps=20 --set steps=30",
		"data/train.csv --model ffn --set ffn.hidden=3,2 --set ffn.bias=false --set " +
			"data.standardize=true --holdout 0.25 --set svgd.step-size=1e-3 --order eqvar",
		"--engine svgd --set recipe=paper --set data.transform=normal-scores --seed " +
			"18446744073709551615 --prior odds.csv",
		"data/train.csv --engine mcmc --model linear --set iterations=200 --set warm-up=100 " +
			"--tiers X0,X1;X2",
	} {
		t.Run(args, func(t *testing.T) {
			simulated(t)
			writeInputs(t)
			succeed(t, append(quick(append([]string{"fit"}, strings.Fields(args)...)...), "--out",
				"first")...)
			text := readFile(t, "first", cli.ConfigFile)
			if err := toml.Unmarshal([]byte(text), &map[string]any{}); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			for _, unwanted := range []string{"\nout", "\nworkers", "\nconfig"} {
				if strings.Contains(text, unwanted) {
					t.Errorf("%s has the option %q, which is no part of the run:\n%s",
						cli.ConfigFile, unwanted, text)
				}
			}
			// Defaults are those of what took part in the fit.
			for _, topic := range []string{"svgd", "dibs", "mcmc", "bcd", "tempering", "ffn",
				"imputation"} {
				used := map[int][]string{1: {"svgd"}, 2: {"svgd", "ffn"}, 3: {"svgd"},
					4: {"mcmc"}}[k]
				if got, want := strings.Contains(text, "\n# "+topic+"."),
					slices.Contains(used, topic); got != want {
					t.Errorf("defaults of %s are listed: %v, want %v:\n%s", topic, got, want, text)
				}
			}
			succeed(t, "fit", "--config", "first/"+cli.ConfigFile, "--out", "second", "--workers",
				"3", "--set", "results.report=false")
			same(t, "first", "second")
			// From another folder, whose file has paths of its own.
			must.Do(t, os.MkdirAll("elsewhere/deep", 0o777))
			t.Chdir("elsewhere")
			succeed(t, "fit", "--config", "../second/"+cli.ConfigFile, "--out", "deep/third",
				"--set", "results.report=false")
			t.Chdir("..")
			same(t, "first", "elsewhere/deep/third")
			succeed(t, "fit", "--config", "elsewhere/deep/third/"+cli.ConfigFile, "--out", "fourth",
				"--set", "results.report=false")
			if diff := cmp.Diff(text, readFile(t, "fourth", cli.ConfigFile)); diff != "" {
				t.Errorf("%s of the repeated run (-first +fourth):\n%s", cli.ConfigFile, diff)
			}
			if k > 0 {
				return
			}
			// The command line comes first.
			succeed(t, "fit", "--config", "first/"+cli.ConfigFile, "--seed", "8", "--out", "other",
				"--set", "results.report=false")
			if !strings.Contains(readFile(t, "other", cli.ConfigFile), "\nseed = 8\n") {
				t.Error("--seed on the command line was not taken")
			}
		})
	}
}

// writeInputs makes an order in a file that is named like a method, and a prior
// for the embedded data.
func writeInputs(t *testing.T) {
	t.Helper()
	names := "praf,pmek,plcg,PIP2,PIP3,p44/42,pakts473,PKA,PKC,P38,pjnk"
	rows := names + "\n" + strings.Repeat(strings.Repeat("0.3,", 10)+"0.3\n", 11)
	for name, text := range map[string]string{"eqvar": "X0,X1,X2,X3,X4,X5\n", "odds.csv": rows} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

// same compares the results in two folders, those apart that say when and how they
// were made.
func same(t *testing.T, a, b string) {
	t.Helper()
	compared := 0
	for _, name := range listing(t, a) {
		if name == "summary.json" || name == cli.ConfigFile || name == file.Manifest ||
			strings.HasSuffix(name, ".html") {
			continue
		}
		compared++
		if readFile(t, a, name) != readFile(t, b, name) {
			t.Errorf("%s differs between %s and %s", name, a, b)
		}
	}
	if compared < 4 {
		t.Errorf("%d files compared, want all results", compared)
	}
}

// A file of options that cannot be used is one line that names the line of the
// file.
func TestBadConfig(t *testing.T) {
	simulated(t)
	for text, want := range map[string]string{
		"seed = 1\nstep = 3\n":                    `line 2: unknown option "step"; tobac fit --help lists the options, which stand here without dashes, tobac help the topics with settings`,
		"\n\n\"no such\" = 3\n":                   `line 3: unknown option "no such"; tobac fit --help lists the options, which stand here without dashes, tobac help the topics with settings`,
		"seed = 1\n[banana]\nsteps = 3\n":         `line 2: unknown option "banana"; tobac fit --help lists the options, which stand here without dashes, tobac help the topics with settings`,
		"[seed]\nsteps = 3\n":                     `line 1: seed has a value of another kind; allowed: a text, a number, true or false, or for an option that may be repeated an array of them`,
		"seed = [[1]]\n":                          `line 1: seed has a value of another kind; allowed: a text, a number, true or false, or for an option that may be repeated an array of them`,
		"seed = []\n":                             `line 1: seed has a value of another kind; allowed: a text, a number, true or false, or for an option that may be repeated an array of them`,
		"seed = 2026-11-22\n":                     `line 1: seed has a value of another kind; allowed: a text, a number, true or false, or for an option that may be repeated an array of them`,
		"data = 3\n":                              `line 1: data is not a text; allowed: the path of the data`,
		"# comment\nseed = -1\n":                  `line 2: --seed "-1": allowed: whole numbers from 0 to 18446744073709551615`,
		"model = \"lineer\"\n":                    `line 1: --model "lineer": allowed: auto, linear, linear-unequal (or bge), linear-nongaussian, additive, smooth, gp, bdeu, mixed, latent-normal, generalised, ffn; did you mean linear?`,
		"resume = \"x\"\n":                        `line 1: resume stands on the command line only: a file of options names no places to write to`,
		"seed = 1\nout = \"../home\"\n":           `line 2: out stands on the command line only`,
		"force = true\n":                          `line 1: force stands on the command line only`,
		"checkpoint = \"../home/x\"\n":            `line 1: checkpoint stands on the command line only`,
		"config = \"x\"\n":                        `line 1: config stands on the command line only`,
		"":                                        `has no setting; allowed: a file of options, such as run.toml of a run`,
		"# data: x\n":                             `has no setting; `,
		"seed = 1\n":                              `names no data, nor does the command line; allowed: data = "FILE", data = "sachs (embedded)", or a file on the command line`,
		"seed = 1\nseed = 2\n":                    `line 2: Key 'seed' has already been defined.`,
		"seed = \n":                               `line 1: `,
		"seed = 1\n\xff = 2\n":                    `line 2: `,
		"data = \"data/train.csv\"\nffn.hidden=3": `ffn.hidden has no effect: the model is auto; --model ffn takes it`,
		"hidden = 3\n":                            `line 1: hidden is a setting of ffn, and stands in a table: [ffn]`,
		"[svgd]\nparticle = 3\n":                  `line 2: unknown option "svgd.particle"; did you mean svgd.particles?`,
		"seed=1\n[svgd]\nparticles = 0\n":         `line 3: svgd.particles = 0: allowed: whole numbers from 1 to 100000`,
	} {
		must.Do(t, os.WriteFile("run.toml", []byte(text), 0o644))
		got := runTobac(t, "fit", "--config", "run.toml")
		if !strings.HasPrefix(want, "ffn.hidden") {
			want = "run.toml: " + want
		}
		if got.code != cli.ExitUsage || !strings.HasPrefix(got.stderr, "tobac: "+want) ||
			strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%q:\n got %+v\nwant %s", text, got, want)
		}
	}
	refuses(t, "fit --config no.toml", cli.ExitFailed, "no.toml: no such file or directory")
	refuses(t, "fit --config data", cli.ExitFailed,
		"data: is a folder; allowed: a file of options, such as run.toml of a run")
}

// A text that is nested so deeply that reading it would take all memory is refused; what stands in
// strings and comments counts for nothing.
func TestNesting(t *testing.T) {
	for text, want := range map[string]string{
		"\n" + strings.Repeat("[", 1e6): "line 2: nested more than 100 deep",
		strings.Repeat("x={", 2e5):      "line 1: nested more than 100 deep",
		"[" + strings.Repeat("a.", 2e5) +
			"a]": "line 1: nested more than 100 deep",
		"data = \"\"\"x\"\"\"\"\" " + strings.Repeat("[",
			1e4): "line 1: nested more than 100 deep",
		"data = '''\n\"''' " + strings.Repeat("[",
			1e4): "line 2: nested more than 100 deep",
		"data = \"\\\"" + strings.Repeat("[.", 1e4) + "\" # " + strings.Repeat("[.", 1e4): "",
		"data = '''" + strings.Repeat("[.\n", 1e4) + "'''":                                "",
		"forbid = [[\"a.b.c\", \"d\"]]\nodds = [1.5, 2.5]\n":                              "",
	} {
		_, err := cli.DecodeTOML(text, &map[string]any{})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%.40q: error %s, want %q", text, cli.InBrief(got), want)
		}
	}
}

// A text survives run.toml, whatever is in it, for every kind of option and
// number of repetitions.
func TestConfigRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		build := func() (*pflag.FlagSet, *[]string) {
			f := pflag.NewFlagSet("test", pflag.ContinueOnError)
			f.SortFlags = false
			var list []string
			f.Var(&cli.Several{Values: &list}, "several", "")
			for k, kind := range []string{"N", "X", "bool", "FRACTION", "text", "a|b|FILE"} {
				f.Var(cli.PlainText(new(string), kind), fmt.Sprint("one-", k), "")
			}
			cli.Record(f)
			return f, &list
		}
		value := rapid.OneOf(rapid.String().Filter(func(v string) bool {
			return !cli.Blank(v) && !strings.HasPrefix(v, "--")
		}), rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,5})?(e[0-9]{1,3})?`),
			rapid.SampledFrom([]string{"true", "1", "NaN", "-inf", "\"", "'''", "\\n", "\x7f\x00"}))
		f, list := build()
		f.VisitAll(func(flag *pflag.Flag) {
			for range rapid.IntRange(0, 3).Draw(t, "times") {
				v := strings.ToValidUTF8(value.Draw(t, "value"), "?")
				must.Do(t, f.Set(flag.Name, v))
			}
		})
		c := &cli.CommandLine{Flags: f}
		var b strings.Builder
		must.Do(t, c.WriteConfig(&b, ".", func(string) bool { return true }))
		g, again := build()
		options, _, err := cli.ParseConfig(b.String(), &cli.CommandLine{Flags: g})
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		d := &cli.CommandLine{Flags: g}
		for _, o := range options {
			must.Do(t, d.Set(o, "."))
		}
		if !slices.Equal(*list, *again) {
			t.Errorf("got %q, want %q from\n%s", *again, *list, b.String())
		}
		f.VisitAll(func(flag *pflag.Flag) {
			got, want := g.Lookup(flag.Name).Value.String(), flag.Value.String()
			// numbers in any spelling
			if kind := flag.Value.Type(); cli.TomlValue(got, kind) != cli.TomlValue(want, kind) {
				t.Errorf("--%s: got %q, want %q from\n%s", flag.Name, got, want, b.String())
			}
		})
	})
}

// Whatever bytes a file of options has, reading it ends with options or an error
// of one line.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "seed = 1", "data = \"x\"\nforbid = [\"a,b\", 'c,d']",
		"[a.b]\nc = 1", "seed = 0x10\nmodel='''x'''", "\xef\xbb\xbfseed=1", "seed = {a = 1}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := newFitOptions()
		fitCommand(o)
		if _, _, err := cli.ParseConfig(text, o.command); err != nil &&
			(cli.Message(err) == "" || strings.Contains(cli.Message(err), "\n")) {
			t.Errorf("error %q", err)
		}
	})
}

// Whatever bytes a checkpoint has, reading it ends with a checkpoint or an error
// that names the file.
func FuzzCheckpoint(f *testing.F) {
	seal := func(t must.Test, text string) string {
		var b strings.Builder
		must.Do(t, file.Sealed(func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})(&b))
		return b.String()
	}
	for _, seed := range []string{"", "{}", `{"format":"tobac checkpoint 1"}`,
		`{"format":"tobac checkpoint 2"}`,
		`{"format":"tobac checkpoint 2","options":[{"name":"x","texts":null}],"snapshot":{"step":-1}}`, `{"format":"tobac checkpoint 99","snapshot":{}}`} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, sealed bool) {
		path := filepath.Join(t.TempDir(), "state")
		if sealed {
			text = seal(t, text)
		}
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		k, err := readCheckpoint(path)
		if (err == nil) == (k == nil) || err != nil && !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%+v, error %v", k, err)
		}
		if k != nil {
			o := newFitOptions()
			fitCommand(o)
			if err := k.recall(o.command, path, o.assign); err != nil &&
				strings.Contains(cli.Message(err), "\n") {
				t.Errorf("error %q", err)
			}
		}
	})
}
