package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/must"

	"github.com/spf13/pflag"
)

// The shell completes commands, names of options, their choices and files.
func TestCompletion(t *testing.T) {
	inFolder(t, nil)
	for line, want := range map[string]struct {
		directive string // of cobra: 4 no files, 8 endings of files, 16 folders, 0 files
		words     []string
	}{
		"fit --engine ":  {":4", engines.Names()},
		"fit --engine e": {":4", []string{"exact"}},
		"fit --prior ":   {":0", []string{"er", "fair", "sf", "uniform"}},
		"fit --order eq": {":0", []string{"eqvar", "eqvar-bu"}},
		"fit --set data.standardize=": {":6",
			[]string{"data.standardize=true", "data.standardize=false"}},
		"fit --set mcmc.w":    {":6", []string{"mcmc.warm-up="}},
		"fit --json=":         {":4", []string{"true", "false"}},
		"fit --seed ":         {":4", nil},
		"fit --out ":          {":16", nil},
		"fit --heldout ":      {":0", nil},
		"fit --truth ":        {":8", cli.GraphEndings},
		"fit --config ":       {":8", cli.ConfigEndings},
		"fit ":                {":8", cli.TableEndings},
		"fit data.csv ":       {":4", nil},
		"eval ":               {":0", nil},
		"man ":                {":16", nil},
		"simulate ":           {":4", nil},
		"simulate --model f":  {":4", []string{"ffn"}},
		"order x --method va": {":4", []string{"variance"}},
	} {
		words := strings.Split(line, " ")
		got := strings.Split(
			strings.TrimSpace(succeed(t, append([]string{"__complete"}, words...)...).stdout), "\n")
		n := len(got) - 1
		if got[n] != want.directive || !slices.Equal(got[:n], want.words) &&
			len(got[:n])+len(want.words) > 0 {
			t.Errorf("%q completes to %q, want %q and %s", line, got, want.words, want.directive)
		}
	}
	if got := succeed(t, "__complete", "fit", "--inter").stdout; !strings.Contains(got,
		"--interventions") {
		t.Errorf("--inter completes to %q", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := succeed(t, "completion", shell).stdout
		if len(script) < 1000 || !strings.Contains(script, "__complete") {
			t.Errorf("the script for %s is %d bytes", shell, len(script))
		}
		if path, err := exec.LookPath(shell); err == nil && shell != "powershell" {
			must.Do(t, os.WriteFile("script", []byte(script), 0o644))
			if out, err := exec.Command(path, "-n", "script").CombinedOutput(); err != nil {
				t.Errorf("%s does not read its script: %v\n%s", shell, err, out)
			}
		}
	}
	refuses(t, "completion bsh", cli.ExitUsage,
		`unknown shell "bsh"; did you mean bash or zsh?; allowed: bash, fish, powershell, zsh`)
}

// Every flag of tobac fit that is about the process alone is marked so, and no mark
// is of an unknown flag.
func TestMarks(t *testing.T) {
	marks := map[string][]string{}
	newFit().Flags().VisitAll(func(flag *pflag.Flag) {
		for _, m := range []string{cli.MarkOutside, cli.MarkAnytime} {
			if cli.Marked(flag, m) {
				marks[m] = append(marks[m], flag.Name)
			}
		}
	})
	for m, want := range map[string]int{cli.MarkOutside: 9, cli.MarkAnytime: 11} {
		if len(marks[m]) < want {
			t.Errorf("%s marks %v, want at least %d flags", m, marks[m], want)
		}
	}
}

// There is a manual page for every command, with all its options, which the
// system's formatter reads without a warning, and the same at any time.
func TestManualPages(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, "man", "pages")
	if !strings.HasPrefix(got.stdout, filepath.Join("pages", "tobac.1")+" and ") {
		t.Errorf("standard output %q", got.stdout)
	}
	first := readFile(t, "pages", "tobac-fit.1")
	succeed(t, "man", "pages")
	if readFile(t, "pages", "tobac-fit.1") != first {
		t.Error("a page of the same program differs")
	}
	newFit().Flags().VisitAll(func(flag *pflag.Flag) {
		if !strings.Contains(strings.ReplaceAll(first, `\-`, "-"), "--"+flag.Name) {
			t.Errorf("the page of tobac fit lacks --%s", flag.Name)
		}
	})
	groff, err := exec.LookPath("groff")
	for _, name := range []string{"tobac.1", "tobac-fit.1", "tobac-eval.1", "tobac-order.1",
		"tobac-simulate.1", "tobac-completion-bash.1"} {
		text := readFile(t, "pages", name)
		for _, part := range []string{".SH NAME", ".SH SYNOPSIS", strings.TrimSuffix(name, ".1")} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
		if err != nil {
			continue // no formatter here
		}
		if out, err := exec.Command(groff, "-Kutf8", "-Tutf8", "-man", "-ww", "-z",
			filepath.Join("pages", name)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff: %v\n%s", err, out)
		}
	}
	if page := readFile(t, "pages", "tobac-order.1"); !regexp.MustCompile(
		`\n  eqvar +equal noise variances, linear; sources first`).MatchString(page) {
		t.Error("the table of methods is wrapped")
	}
	refuses(t, "man", cli.ExitUsage, "tobac man takes one folder, got none")
}
