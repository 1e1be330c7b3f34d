package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/graphfile"
	"tobac/internal/must"
)

var damages = flag.Int("damages", 50,
	"flipped bits in every file that is read back, and a tenth of it truncations")

// damaged calls try with copies of a text in each of which one bit is flipped, and with
// beginnings of it.
func damaged(text []byte, try func(what string, text []byte)) {
	rng := rand.New(rand.NewPCG(14, 1))
	for range *damages {
		at, bit := rng.IntN(len(text)), rng.IntN(8)
		changed := bytes.Clone(text)
		changed[at] ^= 1 << bit
		try(fmt.Sprintf("bit %d of byte %d", bit, at), changed)
	}
	for range *damages / 10 {
		n := rng.IntN(len(text))
		try(fmt.Sprintf("the first %d bytes", n), text[:n])
	}
}

// Checkpoints of every method and engine that has them are refused with any bit flipped
// and cut anywhere, in a line that names the file.
func TestDamagedCheckpoints(t *testing.T) {
	for _, row := range []struct{ name, args string }{
		{"svgd", "--engine svgd --order eqvar"},
		{"svgd under several orders", "--engine svgd --set order.count=3 --set steps=10"},
		{"dibs", "--engine dibs"},
		{"bge", "--engine svgd --order eqvar --model bge"},
		{"networks", "--order eqvar --model ffn"},
		{"calibrated", "--engine svgd --set recipe=calibrated --model linear --order eqvar"},
		{"chains", fewIterations},
		{"bcd", trainings["bcd"]},
		{"gflownet", trainings["gflownet"]},
	} {
		t.Run(row.name, func(t *testing.T) {
			simulated(t)
			succeed(t, quick(append([]string{"fit", "data/train.csv", "--checkpoint", "state"},
				strings.Fields(row.args)...)...)...)
			text := []byte(readFile(t, "state"))
			must.Get(parseCheckpoint(text))(t)
			reasons := map[string]int{}
			damaged(text, func(what string, text []byte) {
				must.Do(t, os.WriteFile("harmed", text, 0o600))
				k, err := readCheckpoint("harmed")
				switch {
				case k != nil || err == nil:
					t.Fatalf("%s: accepted", what)
				case errors.Is(err, file.ErrSeal):
					reasons["damaged"]++
				case strings.Contains(err.Error(), "not a checkpoint written by"):
					reasons["no checkpoint"]++
				case strings.Contains(err.Error(), "another version of tobac, or is damaged"):
					reasons["another form"]++
				default:
					t.Fatalf("%s: %v", what, err)
				}
			})
			t.Logf("%d bytes: %v", len(text), reasons)
		})
	}
}

// A reader is a command that reads files of a run, and gives what it found in them.
type reader struct {
	name  string
	files []string
	read  func() (string, error)
}

// readers are all commands that read the folder run, without the command lines: cobra keeps
// each that it ever completed.
func readers() []reader {
	asJSON := func(v any, err error) (string, error) {
		var text bytes.Buffer
		err = errors.Join(err, cli.WriteJSON(&text, v))
		return text.String(), err
	}
	converted := func(name string) func() (string, error) {
		return func() (string, error) {
			o := &convertOptions{given: func(string) bool { return false }}
			in := "run/" + name
			g, err := o.read(&in, nil)
			if err != nil {
				return "", err
			}
			var text strings.Builder
			err = graphfile.NetworkX.Write(&text, g)
			return text.String(), err
		}
	}
	return []reader{
		{"eval", []string{particlesFile}, func() (string, error) {
			return asJSON((&evalOptions{truth: "data/graph.csv",
				heldout: "data/heldout.csv"}).judge(context.Background(), "run", nil, io.Discard))
		}},
		{"effect", []string{particlesFile, summaryFile}, func() (string, error) {
			r, err := readRun("run", false)
			if err != nil {
				return "", err
			}
			a, err := newEffectAnswer(r, "X0", "")
			if err != nil {
				return "", err
			}
			return asJSON(a.json(), nil)
		}},
		{"predict", []string{particlesFile, summaryFile}, func() (string, error) {
			r, err := readRun("run", false)
			if err != nil {
				return "", err
			}
			settings := []effects.Setting{{Var: 0, Value: 1.5}}
			all, err := r.effects.Do(settings)
			return asJSON(r.predictionJSON(settings, all, nil), err)
		}},
		{"report", []string{particlesFile, summaryFile, effectsFile, cli.ConfigFile},
			func() (string, error) {
				files, err := file.OpenFolder("run", false)
				if err != nil {
					return "", err
				}
				c, err := storedContent(files, "run", "", "")
				if err != nil {
					return "", err
				}
				return fmt.Sprint(c.Title, c.Names, c.Marginals.Probabilities.RawMatrix().Data,
					c.Settings, c.Facts, c.Verdict, c.Warnings, c.Effects, c.Command, c.Fit, c.SD,
					c.Metrics, c.Convergence), nil
			}},
		{"fit --config", []string{cli.ConfigFile}, func() (string, error) {
			o := newFitOptions()
			fitCommand(o)
			err := o.command.ReadConfig("run/"+cli.ConfigFile, o.assign)
			return fmt.Sprintf("%s %+v", o.command.Data, o.command.Given("run")), err
		}},
		{"convert", []string{"edges.csv"}, converted("edges.csv")},
		{"convert of the consensus", []string{"consensus.csv"}, converted("consensus.csv")},
		{"convert of a picture's graph", []string{"consensus.dot"}, converted("consensus.dot")},
		{"the truth", []string{"consensus.csv"}, func() (string, error) {
			g, _, err :=
				readGraph("run/consensus.csv", []string{"X0", "X1", "X2", "X3", "X4", "X5"})
			return fmt.Sprint(g), err
		}},
		{"eval of edges", []string{"edges.csv"}, func() (string, error) {
			return asJSON((&evalOptions{truth: "data/graph.csv", data: "data/train.csv"}).judge(
				context.Background(), "run/edges.csv", nil, io.Discard))
		}},
	}
}

// Every file of a run that a command reads back is refused with any bit flipped and cut
// anywhere, with the reason; a manifest with such a fault lets through at most the same
// result.
func TestDamagedResults(t *testing.T) {
	simulated(t)
	succeed(t, sampled("fit", "data/train.csv", "--truth", "data/graph.csv", "--set",
		"svgd.steps=10", "--out", "run")...)
	refused, harmless := map[string]int{}, map[string]int{}
	for _, r := range readers() {
		want, err := r.read()
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		for _, name := range append(r.files, file.Manifest) {
			path := filepath.Join("run", name)
			whole := []byte(readFile(t, path))
			damaged(whole, func(what string, text []byte) {
				must.Do(t, os.WriteFile(path, text, 0o600))
				got, err := r.read()
				switch {
				case err != nil && (strings.Contains(err.Error(), file.ErrUnproven.Error()) ||
					name == file.Manifest && strings.Contains(err.Error(), "run/")):
					refused[name]++
				case err != nil:
					t.Fatalf("%s, %s of %s: refused for another reason: %v", r.name, what, path,
						err)
				case name == file.Manifest && got == want:
					harmless[name]++
				default:
					t.Fatalf("%s, %s of %s: accepted", r.name, what, path)
				}
			})
			must.Do(t, os.WriteFile(path, whole, 0o600))
		}
		if got, err := r.read(); err != nil || got != want {
			t.Fatalf("%s: the restored files give another result, error %v", r.name, err)
		}
	}
	t.Logf("refused %v, harmless %v", refused, harmless)
}

// A file of one run among those of another is refused, with the manifest and without it
// where the files say of which run they are; --edited reads all the same.
func TestFilesOfTwoRuns(t *testing.T) {
	simulated(t)
	for name, seed := range map[string]string{"run": "1", "other": "2"} {
		succeed(t, sampled("fit", "data/train.csv", "--set", "svgd.steps=5", "--seed", seed,
			"--out", name)...)
	}
	mine, others := parse(t, readFile(t, "run/summary.json"))["run"],
		parse(t, readFile(t, "other/summary.json"))["run"]
	if mine == others || saved(t, "run").Run != mine ||
		parse(t, readFile(t, "run", file.Manifest))["run"] != mine ||
		!strings.Contains(readFile(t, "run", cli.ConfigFile),
			fmt.Sprintf("\n# Id of the run: %v\n", mine)) {
		t.Errorf("the runs have the ids %v and %v, the posterior %v", mine, others,
			saved(t, "run").Run)
	}
	swap := func(name string) (restore func()) {
		text := readFile(t, "run", name)
		must.Do(t, os.WriteFile("run/"+name, []byte(readFile(t, "other", name)), 0o600))
		return func() {
			must.Do(t, os.WriteFile("run/"+name, []byte(text), 0o600))
		}
	}
	for _, r := range readers() {
		for _, name := range r.files {
			restore := swap(name)
			if _, err := r.read(); (err == nil) != (readFile(t, "run", name) == readFile(t, "other",
				name)) && !errors.Is(err, file.ErrUnproven) &&
				!strings.Contains(err.Error(), file.ErrUnproven.Error()) {
				t.Errorf("%s with %s of another run: %v", r.name, name, err)
			}
			restore()
		}
	}
	restore := swap(file.Manifest)
	refuses(t, "effect run --from X0", cli.ExitFailed, "run/particles.json: not what the run "+
		"wrote: its SHA-256 is not that in run/tobac.json: it was changed, the disk fails, or a "+
		"run was killed while it put its files here; fit again, or give --edited to read the "+
		"folder as it is")
	restore()
	must.Do(t, os.Remove("run/"+file.Manifest))
	succeed(t, "effect", "run", "--from", "X0")
	swap(summaryFile)
	want := fmt.Sprintf("run/summary.json: not what the run wrote: it is of the run %v, "+
		"run/particles.json of the run %v; fit again, or give --edited to read the folder as it is",
		others, mine)
	for _, args := range []string{"effect run --from X0", "predict run", "report run"} {
		refuses(t, args, cli.ExitFailed, want)
	}
	for _, args := range []string{"effect run --from X0 --edited", "predict run --edited",
		"report run --edited --force", "eval run --edited --truth data/graph.csv"} {
		succeed(t, strings.Fields(args)...)
	}
}

// What is missing, damaged or changed on purpose is said, and what can be done.
func TestUnprovenFolders(t *testing.T) {
	simulated(t)
	succeed(t, "fit", "data/train.csv", "--engine", "exact", "--set", "results.report=false",
		"--out", "run")
	const todo = "; fit again, or give --edited to read the folder as it is"
	for _, row := range []struct {
		name, args, want string
		harm             func() error
	}{
		{particlesFile, "eval run --truth data/graph.csv", "run/particles.json: not what the run " +
			"wrote: it is missing, and run/tobac.json lists it" + todo, func() error {
			return os.Remove("run/" + particlesFile)
		}},
		{effectsFile, "report run",
			"run/effects.csv: not what the run wrote: it is missing, and run/tobac.json lists it" +
				todo, func() error { return os.Remove("run/" + effectsFile) }},
		{file.Manifest, "predict run", "run/tobac.json: not what the run wrote: it is damaged, " +
			"and what lies beside it cannot be checked" + todo, func() error {
			return os.WriteFile("run/"+file.Manifest, []byte("{"), 0o600)
		}},
		{file.Manifest, "predict run",
			"run/particles.json: not what the run wrote: run/tobac.json does not list it" + todo,
			func() error {
				return os.WriteFile("run/"+file.Manifest,
					[]byte(strings.Replace(readFile(t, "run", file.Manifest), particlesFile,
						"particles_json", 1)), 0o600)
			}},
		{cli.ConfigFile, "fit --config run/run.toml", "run/run.toml: not what the run wrote: its " +
			"SHA-256 is not that in run/tobac.json; write it again, or give it another name if " +
			"it was changed on purpose", func() error {
			return os.WriteFile("run/"+cli.ConfigFile, []byte("seed = 3\n"), 0o600)
		}},
	} {
		whole := readFile(t, "run", row.name)
		must.Do(t, row.harm())
		refuses(t, row.args, cli.ExitFailed, row.want)
		must.Do(t, os.WriteFile("run/"+row.name, []byte(whole), 0o600))
	}
	// A copy under another name is the user's.
	if err := os.WriteFile("run/mine.toml", []byte(readFile(t, "run", cli.ConfigFile)+"seed = 3\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	succeed(t, "fit", "--config", "run/mine.toml", "--quiet")
}

// The files of a folder are those of one run, figures included: a run without them takes
// those of an earlier one away, and one that cannot replace a picture writes nothing.
func TestFiguresBelongToTheRun(t *testing.T) {
	simulated(t)
	args := []string{"fit", "data/train.csv", "--engine", "exact", "--quiet", "--out", "run"}
	succeed(t, args...)
	for _, name := range inFigures(t, "run") {
		if sum := at(parse(t, readFile(t, "run", file.Manifest)), "files",
			filepath.ToSlash(name)); sum == nil {
			t.Errorf("%s is not listed", name)
		}
	}
	succeed(t, append(args, "--set", "results.report=false", "--seed", "2")...)
	if left := listing(t, "run"); slices.Contains(left, figuresFolder) ||
		slices.Contains(left, reportFile) {
		t.Errorf("a run without a report left %v", left)
	}
	must.Do(t, os.Mkdir("run/"+figuresFolder, 0o777))
	must.Do(t, os.WriteFile("run/figures/graph.svg", []byte("mine"), 0o600))
	refuses(t, strings.Join(args, " "), cli.ExitUsage, "run/figures/graph.svg: was not written "+
		"by tobac, or was changed since, and is not overwritten; choose another folder, move "+
		"what you want to keep, or give --force")
	refuses(t, "report run", cli.ExitUsage, "run/figures/graph.svg: was not written by tobac, or "+
		"was changed since, and is not overwritten; choose another folder, move what you want to "+
		"keep, or give --force")
}
