package main

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/engines"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachFlag calls f for every flag of every command, but for --help.
func eachFlag(f func(command *cobra.Command, flag *pflag.Flag)) {
	for _, command := range newRoot().Commands() {
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Name != "help" {
				f(command, flag)
			}
		})
	}
}

// An empty text, which is what a variable of a shell that is not set leaves, is wrong usage for
// every option and every argument: it never means that nothing was given.
func TestEmptyArguments(t *testing.T) {
	inFolder(t, badInputs)
	arguments := map[string][]string{"fit": {"good.csv"}, "check": {"good.csv"},
		"order": {"good.csv"}, "convert": {"cycle.csv", "-"}, "eval": {"."}, "compare": {".", "."},
		"effect":  {"."},
		"predict": {"."}, "report": {"."}, "man": {"man"}, "simulate": {}, "reproduce": {"table1"},
		"version": {}}
	wrong := func(words ...string) {
		t.Helper()
		before := tree(t)
		got := runTobac(t, words...)
		if got.code != cli.ExitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.HasPrefix(got.stderr, "tobac: ") {
			t.Errorf("tobac %q: %+v, want wrong usage in one line", words, got)
		}
		if tree(t) != before {
			t.Errorf("tobac %q wrote files", words)
		}
	}
	for name, given := range arguments {
		for k := range given {
			for _, empty := range []string{"", " ", "\t\n"} {
				words := append([]string{name}, given...)
				words[k+1] = empty
				wrong(words...)
			}
		}
	}
	eachFlag(func(command *cobra.Command, flag *pflag.Flag) {
		given, listed := arguments[command.Name()]
		if !listed {
			t.Errorf("the command %s is not among those of the test", command.Name())
		}
		if flag.NoOptDefVal != "" { // a truth value: --flag= has none either
			wrong(append(append([]string{command.Name()}, given...), "--"+flag.Name+"=")...)
			return
		}
		for _, empty := range []string{"", "  "} {
			wrong(append(append([]string{command.Name()}, given...), "--"+flag.Name, empty)...)
		}
	})
}

// Numbers are decimal, finite and within bounds that a refusal states.
func TestNumbersOfOptions(t *testing.T) {
	never := []string{"-1", "1e300x", "1e400", "NaN", "Inf", "-inf", "1_1", "0x10", "0x1p4", "0b1",
		"0o7", "1,5", "½", "१", "18446744073709551616"}
	eachFlag(func(command *cobra.Command, flag *pflag.Flag) {
		var refused []string
		switch kind := flag.Value.Type(); {
		case kind == "N" && flag.Name == "seed":
			refused = append(never, "1.5", "+")
		case kind == "N,N,...":
			refused = slices.DeleteFunc(slices.Clone(never), func(text string) bool {
				return text == "1,5"
			})
		case kind == "N":
			refused = append(never, "1e300", "1.0", "2147483648", "9223372036854775807")
		case kind == "FRACTION", kind == "P":
			refused = append(never, "1", "2147483648", "1e300")
		case kind == "X":
			refused = slices.Concat(never[:len(never)-1], []string{"0", "-0", "1e-400"})
		default:
			return
		}
		for _, text := range refused {
			err := flag.Value.Set(text)
			if err == nil || !strings.HasPrefix(err.Error(), "allowed: ") {
				t.Errorf("tobac %s --%s %s: %v, want what is allowed", command.Name(), flag.Name,
					text, err)
			}
			if bounded := flag.Value.Type() == "N"; err != nil && bounded &&
				!strings.Contains(err.Error(), " to ") {
				t.Errorf("tobac %s --%s: %q states no bound", command.Name(), flag.Name, err)
			}
		}
	})
	inFolder(t, badInputs)
	for args, want := range map[string]string{
		"fit good.csv --set " +
			"knowledge.odds=a,b=1_1": `--set knowledge.odds=a,b=1_1: "1_1" is not a number; allowed: odds from 0.001 to 1000`,
		"fit good.csv --set " +
			"knowledge.odds=a,b=0x1p-2": `--set knowledge.odds=a,b=0x1p-2: "0x1p-2" is not a number; allowed: odds from 0.001 to 1000`,
		"check good.csv --set data.rows=0x1": `data.rows: "0x1" is not a row or a range of rows; allowed: such as 5, 2-101 or 200-, counted from 1 below the header, separated by commas`,
		"fit good.csv --model ffn --set ffn.hidden=" + strings.Repeat("1,", 100) +
			"1": `--set ffn.hidden=` + strings.Repeat("1,", 100) +
			`1: allowed: whole numbers from 1 to 10000, separated by commas, at most 100 of them`,
	} {
		refuses(t, args, cli.ExitUsage, want)
	}
}

// Options that nothing would read are refused, with the reason.
func TestUnusedOptions(t *testing.T) {
	for args, want := range map[string]string{
		"--set mcmc.chains=3": "mcmc.chains has no effect: the engine " +
			"is exact, which 5 rows of 3 columns take; --engine mcmc takes it",
		"--set mcmc.warm-up=3": "mcmc.warm-up has no effect: the engine " +
			"is exact, which 5 rows of 3 columns take; --engine mcmc takes it",
		"--set prior.max-parents=1 --set svgd.steps=4": "svgd.steps has no effect: the engine is " +
			"exact, which 5 rows of 3 columns take; --engine svgd takes it",
		"--model mixed --beside svgd": "--beside svgd contradicts --model " +
			"mixed, which has no likelihood that SVGD could differentiate",
		"--set prior.max-parents=1 --beside svgd": "--beside svgd contradicts prior.max-parents, " +
			"a bound that svgd does not take",
		"--engine svgd --beside svgd": "--beside svgd contradicts the engine " +
			"svgd: particles are compared with results of the engines exact and mcmc",
		"--engine exact --set order.count=3": "order.count has no effect: the engine " +
			"is exact; --engine svgd samples under several orders",
		"--engine mcmc --set svgd.particles=3": "svgd.particles has no effect: the engine is " +
			"mcmc; --engine svgd takes it",
		"--set imputation.tables=3": "imputation.tables has no effect: --missing " +
			"impute completes tables",
		"--missing drop --set imputation.rounds=3": "imputation.rounds has no effect: --missing " +
			"impute completes tables",
		"--set data.sheet=2": "data.sheet: means nothing here: " +
			"good.csv is a text separated by commas, which takes data.delimiter, data.comment, " +
			"data.skip, data.header, data.names",
		"--columns a,b --drop c": "--drop: names the column 3 (c), which " +
			"--columns leaves out",
		"--columns a,b --kind c=categorical": "--kind: names the column 3 (c), which " +
			"--columns leaves out",
		"--drop c --set data.ordinal=c=1<3<5<8<9": "data.ordinal: names the column 3 (c), which " +
			"--drop leaves out",
	} {
		inFolder(t, badInputs)
		refuses(t, "fit good.csv "+args, cli.ExitUsage, want)
	}
	inFolder(t, badInputs)
	for _, s := range engines.All() {
		e := s.Engine()
		for _, s := range e.Settings() {
			if name := e.Name() + "." + s.Name; s.Type() == "N" {
				refuses(t, "fit good.csv --engine exact --set "+name+"=3", cli.ExitUsage,
					name+" has no effect: the engine is exact; --engine "+e.Name()+" takes it")
				break
			}
		}
	}
	refuses(t, "fit good.csv --out --json", cli.ExitUsage,
		`--out "--json": allowed: any text that is not empty and does not begin with --, as options do; ./--name is a path`)
	refuses(t, "convert cycle.csv - --to dot --force", cli.ExitUsage,
		"--force contradicts the output -: standard output replaces no file")
	succeed(t, "fit", "good.csv", "--engine", "exact", "--out", "run", "--set",
		"results.report=false", "--quiet")
	refuses(t, "eval run --heldout good.csv --data good.csv", cli.ExitUsage,
		"--data names the variables of results of other programs; those in run have names")
}

// Nothing that a terminal would obey reaches it: not from names of files, of columns, or from the
// command line.
func TestNothingObeyed(t *testing.T) {
	const esc, file = "\x1b[31m", "f\x1b]0;x\x07.csv"
	inFolder(t, map[string]string{file: "a" + esc + "x,b\u202ey,\"c\u009b\"\n" +
		strings.TrimPrefix(badInputs["good.csv"], "a,b,c\n")})
	for _, words := range [][]string{
		{"fit", file, "--engine", "exact", "--out", "o" + esc, "--set", "results.report=false"},
		{"fit", file, "--engine", "svgd", "--order", "variance", "--set", "svgd.steps=2"},
		{"check", file}, {"order", file, "--all"},
		{"order", file, "--bootstrap", "3"}, {"effect", "o" + esc, "--from", "a" + esc + "x"},
		{"predict", "o" + esc}, {"simulate", "--out", "s" + esc}, {"man", "m" + esc},
		{"fit", esc}, {esc}, {"fit", "--" + esc}, {"fit", "-" + esc}, {"help", esc},
		{"completion", esc}, {"eval", esc, "--truth", "t"}, {"report", esc}, {"predict", esc},
		{"effect", esc, "--from", "a"},
		{"convert", "in", esc}, {"fit", file, "--truth", esc}, {"fit", file, "--order", esc},
		{"fit", file, "--config", esc}, {"fit", file, "--resume", esc},
		{"fit", file, "--require", esc + ",b"},
		{"fit", file, "--set", "data.sheet=" + esc}, {"fit", file, "--set", "data.rows=" + esc},
		{"fit", file, "--set", "svgd.steps=" + esc}, {"fit", file, "--columns", esc},
		{"fit", file, "--out", file},
	} {
		got := runTobac(t, words...)
		if at := strings.IndexFunc(got.stdout+got.stderr, cli.Obeyed); at >= 0 {
			t.Errorf("tobac %q: %q", words, (got.stdout + got.stderr)[max(0, at-30):at+10])
		}
	}
	// What programs read keeps every byte.
	if got := succeed(t, "order", file).stdout; !strings.Contains(got, "a"+esc+"x") {
		t.Errorf("order printed %q", got)
	}
	var screen bytes.Buffer
	if _, err := (&cli.Printer{To: &screen, Terminal: true}).Write([]byte("é\t" + esc +
		"\u0085\u2066\xff\ufffd\n")); err != nil ||
		screen.String() != "é\t\\x1b[31m\\u0085\\u2066\xff\ufffd\n" {
		t.Errorf("a terminal was given %q, %v", screen.String(), err)
	}
}

// The page has the bounds that the program states.
func TestBoundsPage(t *testing.T) {
	page := readFile(t, "wrong-use.md")
	stated := map[string]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		command := regexp.MustCompile("tobac [a-z]+").FindString(cells[1]) // "": of all
		for _, option := range regexp.MustCompile("`[a-z.-]+`").FindAllString(cells[1], -1) {
			stated[command+strings.Trim(option, "`")] = strings.TrimSpace(cells[2])
		}
	}
	check := func(names []string, flag *pflag.Flag) {
		if flag.Value.Type() != "N" || flag.Name == "seed" {
			return
		}
		want := ""
		for _, name := range names {
			want = cmp.Or(want, stated[name])
		}
		if got := fmt.Sprint(flag.Value.Set("none")); got != "allowed: whole numbers from "+want {
			t.Errorf("%q: %s; the page says %q", names, got, want)
		}
	}
	eachFlag(func(command *cobra.Command, flag *pflag.Flag) {
		check([]string{command.CommandPath() + "--" + flag.Name, "--" + flag.Name}, flag)
	})
	cli.SettingsOf(newFitOptions().topics()).VisitAll(func(flag *pflag.Flag) {
		check([]string{flag.Name, "svgd." + cli.ShortName(flag.Name),
			"mcmc." + cli.ShortName(flag.Name)}, flag)
	})
}
