package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/internal/parallel"
	"tobac/ordering"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// The help text of each command names every option, and each option says what
// it does.
func TestHelp(t *testing.T) {
	usages := map[string]string{}
	for _, cmd := range newRoot().Commands() {
		t.Run(cmd.Name(), func(t *testing.T) {
			text := succeed(t, cmd.Name(), "--help").stdout
			if cmd.Name() != "help" &&
				!strings.HasPrefix(succeed(t, "help", cmd.Name()).stdout, text) {
				t.Error("help and --help differ")
			}
			if n := strings.Count(text, "\n"); n > 60 {
				t.Errorf("%d lines, want at most 60", n)
			}
			for line := range strings.Lines(text) {
				if utf8.RuneCountInString(line) > 100 {
					t.Errorf("line of more than 100 columns: %q", line)
				}
			}
			text = strings.Join(strings.Fields(text), " ")
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if usage, known := usages[f.Name]; known && usage != f.Usage {
					t.Errorf("--%s means %q, elsewhere %q", f.Name, f.Usage, usage)
				}
				if slices.Contains([]string{"quiet", "json", "force", "truth", "heldout", "edited"},
					f.Name) {
					usages[f.Name] = f.Usage
				}
				if !strings.Contains(text, "--"+f.Name) || f.Usage == "" ||
					!strings.Contains(text, f.Usage) {
					t.Errorf("help lacks --%s or its explanation %q", f.Name, f.Usage)
				}
			})
		})
	}
	if got := succeed(t); !strings.Contains(got.stdout, "Commands:") {
		t.Errorf("no command: %q", got.stdout)
	}
}

func TestVersion(t *testing.T) {
	got := succeed(t, "version").stdout
	if !regexp.MustCompile(`^tobac \S+ go\S+ \w+/\w+\n$`).MatchString(got) {
		t.Errorf("version is %q", got)
	}
}

func TestOrder(t *testing.T) {
	inFolder(t, map[string]string{"data.csv": "big,\"a, b\",5\n9,1,2\n-8,1.5,4\n7,2,3\n-6,1,4\n9" +
		",1.2,1\n"})
	got := succeed(t, "order", "data.csv", "--method", "variance")
	if want := "\"a, b\",\"5\",big\n"; got.stdout != want || got.stderr != "" {
		t.Errorf("order is %q with warnings %q, want %q without", got.stdout, got.stderr, want)
	}
	line := strings.TrimSpace(got.stdout)
	names, err := delimited.Fields(line, "order")
	if err != nil || strings.Join(names, "|") != "a, b|5|big" {
		t.Errorf("the line reads back as %q, %v", names, err)
	}
	succeed(t, quick("fit", "data.csv", "--order", line)...)
}

// Warnings name columns, whichever warning it is.
func TestWarningsNameColumns(t *testing.T) {
	names := []string{"left", "right", "flat"}
	result := must.Get(ordering.MethodVariance.Order(t.Context(),
		mat.NewDense(4, 3, []float64{1, -1, 3, 2, -2, 3, 3, -3, 3, 7, -7, 3}), nil, 1))(t)
	got := strings.Join(result.Sentences(names), "\n")
	for _, want := range []string{`column "flat" is constant`,
		`columns "left" and "right" tie at position 2`} {
		if !strings.Contains(got, want) {
			t.Errorf("warnings lack %q:\n%s", want, got)
		}
	}
}

func TestSimulate(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, "simulate", "--vars", "8", "--edges-per-node", "1.5", "--samples", "20",
		"--seed", "4", "--noise-variance", "0.2", "--out", "a")
	succeed(t, "simulate", "--vars", "8", "--edges-per-node", "1.5", "--samples", "20", "--seed",
		"4", "--noise-variance", "0.2", "--out", "b")
	for _, name := range []string{"train.csv", "heldout.csv", "graph.csv"} {
		if readFile(t, "a", name) != readFile(t, "b", name) {
			t.Errorf("%s differs between two calls", name)
		}
	}
	if !strings.Contains(got.stdout, "expected 12") {
		t.Errorf("standard output lacks the 12 expected edges: %q", got.stdout)
	}
	for _, name := range []string{"train.csv", "heldout.csv"} {
		x := must.Get(dataset.ReadFile(filepath.Join("a", name)))(t)
		if n, d := x.X.Dims(); n != 20 || d != 8 {
			t.Errorf("%s is %d×%d, want 20×8", name, n, d)
		}
	}
	f := must.Get(os.Open("a/graph.csv"))(t)
	defer f.Close()
	g, weights := must.Two(dag.ReadEdges(f, "graph.csv",
		[]string{"X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7"}))(t)
	if !g.Acyclic() || weights == nil {
		t.Errorf("graph.csv: acyclic %t, weights %v", g.Acyclic(), weights)
	}
}

// A damaged posterior is named as such; package posterior tests every fault.
func TestEvalOfDamagedPosterior(t *testing.T) {
	const whole = `{"version":2,"names":["a","b"],"kind":"particles","marginals":{"probabilities":[[0,1],[0,0]]},` +
		`"draws":[{"edges":[[0,1]],"log_weight":0,"log_prior":-1,"log_likelihood":-1}]}`
	replace := func(old, with string) string { return strings.Replace(whole, old, with, 1) }
	for _, c := range []struct {
		name, text, want string
	}{
		{"whole", whole, ""},
		{"empty", "", "the text ends early"},
		{"cut short", whole[:40], "kind: the text ends early"},
		{"version 1", replace(`"version":2,`, ""),
			`begins with "names", want "version": not a posterior that tobac wrote, or an older one: fit again`},
		{"edge", replace(`[[0,1]],"log`, `[[0,2]],"log`),
			"draw 1: edge 0 is 0 -> 2, want vertices from 0 to 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, map[string]string{"particles.json": c.text,
				"truth.csv": "source,target\na,b\n"})
			got := runTobac(t, "eval", "--truth", "truth.csv", ".")
			if c.want == "" {
				if got.code != cli.ExitDone {
					t.Errorf("got %+v", got)
				}
				return
			}
			if want := "tobac: particles.json: " + c.want + "\n"; got.code != cli.ExitFailed ||
				got.stderr != want {
				t.Errorf("got exit %d and %q, want %d and %q", got.code, got.stderr, cli.ExitFailed,
					want)
			}
		})
	}
}

// Only held-out data, no truth: the metrics against a graph are null.
func TestEvalHeldoutOnly(t *testing.T) {
	simulated(t)
	succeed(t, sampled("fit", "data/train.csv", "--out", "run")...)
	got := parse(t, succeed(t, "eval", "--heldout", "data/heldout.csv", "run").stdout)
	if _, ok := at(got, "metrics", "mixture", "neg_ll").(float64); !ok ||
		at(got, "metrics", "mixture", "eshd") != nil {
		t.Errorf("metrics of the mixture: %v", at(got, "metrics", "mixture"))
	}
}

// unlinked are the modules that go.mod requires for tests, and for autograd/gorgonia, which the
// program does not import.
var unlinked = []string{
	"codeberg.org/sbinet/npyio", "github.com/google/go-cmp", "golang.org/x/net",
	"pgregory.net/rapid",
	"github.com/chewxy/hm", "gorgonia.org/gorgonia", "gorgonia.org/tensor",
}

// The licences that the program prints name every module that go.mod requires, except for those it
// does not link, and have the texts.
func TestLicences(t *testing.T) {
	got := succeed(t, "version", "--licences").stdout
	for _, text := range []string{"Permission is hereby granted, free of charge",
		"Redistribution and use in source and binary forms", "Apache License",
		"SIL OPEN FONT LICENSE", "Go's standard library BSD-3-Clause"} {
		if !strings.Contains(got, text) {
			t.Errorf("no %q", text)
		}
	}
	mod := must.Get(os.ReadFile("../../go.mod"))(t)
	direct, _, _ := strings.Cut(string(mod), ")")
	_, direct, _ = strings.Cut(direct, "(")
	for line := range strings.Lines(direct) {
		words := strings.Fields(line)
		if len(words) == 2 && !slices.Contains(unlinked, words[0]) &&
			!strings.Contains(got, "\n"+words[0]+" "+words[1]+" ") {
			t.Errorf("no licence of %s %s; go run ./licences ../../cmd/tobac/licences.txt, in "+
				"internal/gen", words[0], words[1])
		}
	}
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		cause error
		err   error
		want  int
	}{
		{nil, errors.New("failed"), cli.ExitFailed},
		{nil, fmt.Errorf("wrapped: %w", cli.Usagef("wrong")), cli.ExitUsage},
		{&cli.SignalError{Signal: os.Interrupt}, cli.Interruptedf("interrupted"), 130},
		{context.DeadlineExceeded, cli.Interruptedf("interrupted"), 130},
		{&cli.SignalError{Signal: syscall.SIGTERM},
			fmt.Errorf("wrapped: %w", cli.Interruptedf("interrupted")), 143},
		// the state is lost
		{&cli.SignalError{Signal: syscall.SIGTERM}, errors.New("the disk is full"), cli.ExitFailed},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.cause != nil {
			cancel(c.cause)
		}
		if got := cli.ExitStatus(ctx, c.err); got != c.want {
			t.Errorf("%v after %v: status %d, want %d", c.err, c.cause, got, c.want)
		}
		cancel(nil)
	}
}

// A panic, in this goroutine or in a loop of several, is one line with its place.
func TestPanicIsOneLine(t *testing.T) {
	var none []int
	for name, do := range map[string]func() error{
		"here": func() error { return fmt.Errorf("never: %d", none[len(os.Args)+5]) },
		"there": func() error {
			return parallel.For(t.Context(), 4, 2, func(k int) error {
				return fmt.Errorf("never: %d", none[k+5])
			})
		},
		"with lines": func() error { panic("two\nlines") },
	} {
		err := cli.Guarded(do)
		want := regexp.MustCompile(
			`^internal error at tobac/commands_test\.go:\d+: .+; please report this line, the command and "tobac version" to the maintainers$`)
		if err == nil || !want.MatchString(cli.Message(err)) {
			t.Errorf("%s: %q", name, cli.Message(err))
		}
		if cli.ExitStatus(t.Context(), err) != cli.ExitFailed {
			t.Errorf("%s: status %d", name, cli.ExitStatus(t.Context(), err))
		}
	}
}

// The name of every public package of the module is left out in front of an error.
func TestWithoutPackage(t *testing.T) {
	folders, err := filepath.Glob("../../*/doc.go")
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d packages, %v", len(folders), err)
	}
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		// which are no libraries of this module
		if got := cli.WithoutPackage(name + ": tobac: text"); got != "text" && name != "bench" &&
			name != "beam" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
