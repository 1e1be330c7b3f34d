package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// Nothing of the user's is overwritten: not the truth and the data in the folder
// of the results, not a file that is named like a result, not an edited result.
func TestNothingOfTheUsersIsOverwritten(t *testing.T) {
	const never = "which is never overwritten; choose another place for the results"
	const foreign = "was not written by tobac, or was changed since, and is not overwritten; " +
		"choose another folder, move what you want to keep, or give --force"
	simulated(t)
	copyFile := func(from, to string) {
		must.Do(t, os.WriteFile(to, []byte(readFile(t, from)), 0o644))
	}
	// The truth is read from the folder of the results and stays.
	truth := readFile(t, "data/graph.csv")
	succeed(t, "fit", "data/train.csv", "--engine", "exact", "--truth", "data/graph.csv",
		"--heldout", "data/heldout.csv", "--out", "data")
	if readFile(t, "data/graph.csv") != truth {
		t.Fatal("the truth was overwritten")
	}
	// its own files
	succeed(t, "simulate", "--vars", "6", "--edges-per-node", "1", "--samples", "60", "--out",
		"data")
	copyFile("data/train.csv", "edges.csv")
	copyFile("data/train.csv", "summary.json")
	copyFile("data/graph.csv", "consensus.csv")
	edges, consensus := filepath.Join(".", "edges.csv"), filepath.Join(".", "consensus.csv")
	for args, want := range map[string]string{
		"edges.csv":           edges + ": is the data, " + never,
		"edges.csv --force":   edges + ": is the data, " + never,
		"./data/../edges.csv": edges + ": is the data, " + never,
		"data/train.csv --truth consensus.csv --force": consensus +
			": is an input, given as --truth, " + never,
		"data/train.csv --heldout edges.csv": edges +
			": is an input, given as --heldout, " + never,
		"data/train.csv --truth consensus.csv --out data " +
			"--checkpoint data/graph.csv": "data/graph.csv: is not a checkpoint, and is not " +
			"overwritten; choose another file for --checkpoint, or give --force",
		"data/train.csv --truth data/graph.csv --checkpoint " +
			"data/graph.csv --out data": "data/graph.csv: is an input, given as --truth, " + never,
	} {
		if !strings.Contains(args, "--out") {
			args += " --out ."
		}
		refuses(t, "fit "+args, cli.ExitFailed, want)
	}
	const occupied = ".: holds other things than results of tobac (consensus.csv, data, " +
		"edges.csv and 1 more, no valid tobac.json); choose a new or empty folder, or give --force"
	// whatever their files are called
	for _, args := range []string{"fit data/train.csv --out .",
		"simulate --vars 4 --edges-per-node 1 --samples 5 --out .", "man ."} {
		refuses(t, args, cli.ExitUsage, occupied)
	}
	refuses(t, "simulate --out data --seed 2 --vars 5000 --samples 100000", cli.ExitUsage,
		"--samples 100000 of --vars 5000 are too many; allowed: up to 100000000 numbers in a table")
	succeed(t, "fit", "data/train.csv", "--engine", "exact", "--out", ".", "--force")
	if readFile(t, "edges.csv") != readFile(t, "data/edges.csv") {
		t.Error("--force did not replace the files")
	}
	// A result that the user edited is the user's.
	must.Do(t, os.WriteFile("edges.csv", []byte("source,target,probability\n"), 0o644))
	refuses(t, "fit data/train.csv --engine exact --out .", cli.ExitUsage, "edges.csv: "+foreign)
	must.Do(t, os.WriteFile("data/heldout.csv", []byte("mine\n"), 0o644))
	refuses(t, "simulate --out data", cli.ExitUsage, "data/heldout.csv: "+foreign)
	succeed(t, "simulate", "--out", "data", "--force")
}

// A file of options is an input too, also by another name.
func TestConfigIsNotOverwritten(t *testing.T) {
	simulated(t)
	succeed(t, "fit", "data/train.csv", "--engine", "exact", "--out", "run")
	if err := os.Symlink(filepath.Join("run", cli.ConfigFile), "link.toml"); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	for _, name := range []string{"run/" + cli.ConfigFile, "link.toml"} {
		refuses(t, "fit data/train.csv --config "+name+" --out run", cli.ExitFailed,
			"run/run.toml: is an input, given as --config, which is never overwritten; choose "+
				"another place for the results")
	}
}

// A run goes on from its checkpoint alone, wherever both have been moved together,
// and asks for the data where they are gone.
func TestResumeNeedsNothingElse(t *testing.T) {
	simulated(t)
	must.Do(t, os.Mkdir("project", 0o777))
	must.Do(t, os.Rename("data", "project/data"))
	succeed(t, sampled("fit", "project/data/train.csv", "--truth", "project/data/graph.csv",
		"--holdout", "0.2", "--set", "svgd.steps=30", "--checkpoint", "project/state 1", "--out",
		"project/run")...)
	want := readFile(t, "project/run/particles.json")
	resume := func(args ...string) invocation {
		return runTobac(t, append([]string{"fit", "--resume"}, args...)...)
	}
	check := func(got invocation, out string) {
		t.Helper()
		if got.code != cli.ExitDone || readFile(t, out, "particles.json") != want {
			t.Fatalf("resumed: %+v", got)
		}
	}
	check(resume("project/state 1"), "project/run")
	// Moved together.
	must.Do(t, os.Rename("project", "moved"))
	check(resume("moved/state 1"), "moved/run")
	// The checkpoint alone.
	must.Do(t, os.Rename("moved/state 1", "state 1"))
	must.Do(t, os.Rename("moved", "gone"))
	if got := resume("state 1"); got.code != cli.ExitFailed || got.stderr != "tobac: state 1: "+
		"its data are no longer in data/train.csv; give the data file: tobac fit --resume 'state "+
		"1' DATA\n" {
		t.Errorf("without data: %+v", got)
	}
	must.Do(t, os.Rename("gone", "moved"))
	check(resume("state 1", "moved/data/train.csv", "--truth", "moved/data/graph.csv", "--out",
		"new"), "new")
	check(resume("state 1"), "new") // which the checkpoint has learned
	must.Do(t, os.WriteFile("moved/data/train.csv",
		[]byte("X0,X1,X2,X3,X4,X5\n1,2,3,4,5,6\n2,2,3,4,5,7\n3,2,3,1,5,6\n9,2,3,4,8,6\n1,2,8,4,5"+
			",9\n1,7,3,4,5,9\n5,7,3,4,5,9\n1,7,3,4,7,9\n0,7,3,4,5,9\n"), 0o644))
	if got := resume("state 1"); got.code != cli.ExitFailed ||
		!strings.Contains(got.stderr, "state 1: the data have changed since") {
		t.Errorf("with other data: %+v", got)
	}
	got := runWith(t, t.Context(), readFile(t, "moved/data/heldout.csv"),
		sampled("fit", "-", "--checkpoint", "from-stdin", "--set", "svgd.steps=5")...)
	if got.code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	refuses(t, "fit --resume from-stdin", cli.ExitUsage,
		"from-stdin: the data came from standard input: tobac fit --resume from-stdin - < DATA")
	if got := runWith(t, t.Context(), readFile(t, "moved/data/heldout.csv"), "fit", "--resume",
		"from-stdin", "-"); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
}

// Words of the command line are suggested where few letters are wrong.
func TestDidYouMean(t *testing.T) {
	inFolder(t, nil)
	for args, want := range map[string]string{
		"fti":                                `unknown command "fti"; did you mean fit?; allowed: `,
		"fit --standardise":                  `unknown option --standardise; did you mean --set standardize?; tobac fit --help lists the options`,
		"fit --edge-per-node 2":              `unknown option --edge-per-node; did you mean --set edges-per-node?; tobac fit --help lists the options`,
		"fit --bandwidth 2":                  `unknown option --bandwidth; did you mean --set bandwidth-z or --set bandwidth-theta?; tobac fit --help`,
		"fit --banana":                       `unknown option --banana; tobac fit --help lists the options`,
		"fit --engine exakt":                 `--engine "exakt": allowed: auto, exact, mcmc, search, svgd, dibs, bcd, gflownet, tempering; did you mean exact?`,
		"fit --prior fiar":                   `--prior fiar: no such file or directory; did you mean fair?`,
		"order x.csv --method eqvar-up":      `--method "eqvar-up": allowed: `,
		"simulate --out x --model line":      `--model "line": allowed: linear, ffn, sines, products, multiplicative; did you mean linear?`,
		"simulate --out x --prior somethin?": `--prior "somethin?": allowed: er, sf` + "\n",
	} {
		if got := runTobac(t, strings.Fields(args)...); got.code == cli.ExitDone ||
			!strings.HasPrefix(got.stderr, "tobac: "+want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("tobac %s:\n got %q\nwant %q", args, got.stderr, want)
		}
	}
}
