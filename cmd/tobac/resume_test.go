package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
	"tobac/internal/vector"
)

// A checkpoint of another version of the program is resumed with a warning, which the
// results have too.
func TestCheckpointOfAnotherVersion(t *testing.T) {
	simulated(t)
	defer func(former string) { cli.Release = former }(cli.Release)
	cli.Release = "0.9.0"
	succeed(t, sampled("fit", "data/train.csv", "--set", "svgd.steps=5", "--checkpoint",
		"state")...)
	cli.Release = "1.0.0"
	got := succeed(t, "fit", "--resume", "state", "--out", "run")
	const want = "state was written by tobac 0.9.0 (go1."
	if !strings.Contains(got.stderr, "tobac: warning: "+want) ||
		!strings.Contains(readFile(t, "run/summary.json"), want) {
		t.Errorf("no warning in\n%s", got.stderr)
	}
}

// kernelModels are those of which a checkpoint is resumed with other kernels.
var kernelModels = []string{"linear", "bge", "ffn"}

// withSteps is a run of a model.
func withSteps(steps, model string, more ...string) []string {
	return append([]string{"fit", "data/train.csv", "--set", "results.report=false", "--engine",
		"svgd", "--order", "eqvar", "--set", "svgd.particles=6", "--set", "svgd.samples=8",
		"--model", model, "--set", "svgd.steps=" + steps}, more...)
}

// TestKernelsHelper makes checkpoints in a process of its own, with the kernels that its
// environment names.
func TestKernelsHelper(t *testing.T) {
	dir := os.Getenv("CHECKPOINT_DIR")
	if dir == "" {
		t.Skip("runs as a process of TestCheckpointOfOtherKernels")
	}
	t.Chdir(dir)
	for _, model := range kernelModels {
		succeed(t, withSteps("15", model, "--checkpoint", model+".state")...)
	}
}

// A checkpoint that was made with kernels of other bits is refused, with the set that
// continues it; one of kernels with the same bits goes on to the bits of a run that was not
// interrupted.
func TestCheckpointOfOtherKernels(t *testing.T) {
	mine, err := vector.Default()
	if err != nil {
		t.Skip(err)
	}
	for _, set := range vector.Available() {
		t.Run(set.String(), func(t *testing.T) {
			simulated(t)
			dir := must.Get(os.Getwd())(t)
			helper := exec.Command(os.Args[0], "-test.run=^TestKernelsHelper$")
			helper.Env = append(os.Environ(), "CHECKPOINT_DIR="+dir, "TOBAC_KERNELS="+set.String())
			if out, err := helper.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			was, is := set.Arithmetic(), mine.Arithmetic()
			at := strings.LastIndex(was, " ") + 1
			for _, model := range kernelModels {
				state := model + ".state"
				if was != is {
					refuses(t, "fit --resume "+state, cli.ExitFailed,
						state+": was made with the arithmetic "+was+", this run has "+is+
							", which gives other bits; to continue: TOBAC_KERNELS="+was[at:]+
							" tobac fit --resume "+state)
					continue
				}
				succeed(t, withSteps("30", model, "--out", model)...)
				succeed(t, "fit", "--resume", state, "--set", "svgd.steps=30", "--out", "resumed")
				if readFile(t, model, particlesFile) != readFile(t, "resumed", particlesFile) {
					t.Errorf("%s: the resumed run has other particles", model)
				}
			}
		})
	}
	for _, row := range [][2]string{
		{"float64 pdp11 portable", "resume it where it was made, or start anew without --resume"},
		{mine.Arithmetic() + "9", "resume it where it was made, or start anew without --resume"},
	} {
		if err := otherArithmetic("state", row[0],
			mine.Arithmetic()); !strings.HasSuffix(err.Error(), row[1]) {
			t.Errorf("of %s: %v", row[0], err)
		}
	}
}

// A checkpoint that somebody has sent writes its state to itself, and results into its own folder
// at most: it neither replaces files of others nor names other places.
func TestForeignCheckpoint(t *testing.T) {
	simulated(t)
	succeed(t, sampled("fit", "data/train.csv", "--set", "svgd.steps=5", "--checkpoint",
		"sent/state", "--out", "sent/run")...)
	honest := readFile(t, "sent/state")
	plain := must.Get(file.Unseal([]byte(honest)))(t)
	const home = "source,target\n"
	for _, c := range []struct{ options, want string }{
		{
			`{"name":"checkpoint","texts":["../home/edges.csv"]},{"name":"resume","texts":["../home/edges.csv"]},{"name":"config","texts":["../home/edges.csv"]},{"name":"force","texts":["true"]}`, ""},
		{`{"name":"out","texts":["../home"]},{"name":"force","texts":["true"]}`, "../home"},
		{`{"name":"out","texts":["run","../home"]}`, "../home"},
		{`{"name":"out","texts":["HERE/home"]}`, "HERE/home"},
		{`{"name":"out","texts":["inside"]},{"name":"force","texts":["true"]}`, "inside"},
	} {
		inFolder(t, map[string]string{"home/edges.csv": home, "sent/inside/edges.csv": home,
			"data/train.csv": readFile(t, "data/train.csv")})
		here := must.Get(os.Getwd())(t)
		content := strings.Replace(string(plain), `{"name":"out","texts":["run"]}`,
			strings.ReplaceAll(c.options, "HERE", here), 1)
		write := file.Sealed(func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		})
		must.Do(t, file.Write("sent/state", write))
		switch place := strings.ReplaceAll(strings.Replace(c.want, "../", "", 1), "HERE",
			here); place {
		case "":
			succeed(t, "fit", "--resume", "sent/state")
		case "inside":
			refuses(t, "fit --resume sent/state", cli.ExitUsage, "sent/inside: holds other "+
				"things than results of tobac (edges.csv, no valid tobac.json); choose a new or "+
				"empty folder, or give --force")
		default:
			refuses(t, "fit --resume sent/state", cli.ExitUsage, "sent/state: its results go to "+
				place+", outside the folder of the checkpoint; to write there: tobac fit "+
				"--resume sent/state --out "+place)
		}
		if got := readFile(t, "home/edges.csv") + readFile(t, "sent/inside/edges.csv"); got != home+
			home || len(listing(t, "home")) != 1 {
			t.Errorf("%s: there are %q and %v", c.options, got, listing(t, "home"))
		}
	}
}

// The command that goes on says what the checkpoint does not.
func TestResumeCommand(t *testing.T) {
	for args, want := range map[string]string{
		"--out run":              "tobac fit --resume run.d/state --out run",
		"--out run.d/run":        "tobac fit --resume run.d/state",
		"--out /x --force":       "tobac fit --resume run.d/state --out /x --force",
		"--seed 3 --force=false": "tobac fit --resume run.d/state",
	} {
		cmd := newFit()
		must.Do(t, cmd.ParseFlags(strings.Fields(args)))
		if got := resumeWith(&cli.CommandLine{Flags: cmd.Flags()}, "run.d/state"); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
