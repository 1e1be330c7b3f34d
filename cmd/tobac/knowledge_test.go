package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/must"

	"github.com/google/go-cmp/cmp"
)

// A file says what options say.
func TestKnowledgeFile(t *testing.T) {
	const text = `# what is known
forbid = [["b", "a"], ["a, b", "d"]]
require = [['a', "c"]]
tiers = [
  ["a", "b"],
  ["c"],
]
sinks = ["d"]
sources = ["a"]

[[odds]]
from = "b"
to = "c"
odds = 2.5
[[odds]]
from = "a"
to = "a, b"
odds = 3
`
	names := []string{"a", "b", "c", "d", "a, b"}
	inFolder(t, map[string]string{"k.toml": text,
		"graph.csv": "source,target,weight\na,c,2\n\"a, b\",d,1\n"})
	want := background.Prior{
		Forbidden: []dag.Edge{{From: 1, To: 0}, {From: 4, To: 3}},
		Required:  []dag.Edge{{From: 0, To: 2}}, Tiers: []int{0, 0, 1, -1, -1},
		Sinks: []int{3}, Sources: []int{0},
		Odds: []background.EdgeOdds{{From: 1, To: 2, Odds: 2.5}, {From: 0, To: 4, Odds: 3}},
	}
	for name, k := range map[string]knowledge{
		"file": {file: "k.toml"},
		"options": {forbid: []string{"b,a", `"a, b",d`}, require: []string{"a,c"}, tiers: "a,b; c",
			sinks: []string{"d"}, sources: []string{"a"},
			odds: []string{"b,c=2.5", `a,"a, b"= 3`}},
		// said twice, counted once
		"both": {file: "k.toml", forbid: []string{"b,a"}, sinks: []string{"d"},
			odds: []string{"b,c=2.5"}},
	} {
		var p background.Prior
		if err := k.apply(&p, names); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var p background.Prior
	k := knowledge{file: "graph.csv", require: []string{"b,c"}}
	must.Do(t, k.apply(&p, names))
	if want := []dag.Edge{{From: 0, To: 2}, {From: 4, To: 3},
		{From: 1, To: 2}}; !slices.Equal(p.Required, want) {
		t.Errorf("required edges %v, want %v", p.Required, want)
	}
}

// Faults of a file are located by their line.
func TestKnowledgeFileFaults(t *testing.T) {
	for text, want := range map[string]string{
		"forbid = [[\"a\", " +
			"\"b\"]]\nrequired = []\n": `k.toml: line 2: unknown key "required"; allowed: forbid, require, tiers, sinks, sources, odds, kinds`,
		"# x\n[more]\nforbid = []\n": `k.toml: line 2: unknown key "more"; allowed: forbid, require, tiers, sinks, sources, odds, kinds`,
		"require = [\n  [\"a\", \"b\"],\n  " +
			"[\"b\", \"z\"],\n]\n": `k.toml: line 3, require: unknown column "z"; allowed: "a", "b", "c"`,
		"tiers = [[\"a\"],\n[\"b\", \"q\"]]\n": `k.toml: line 2, tiers: unknown column "q"; allowed: "a", "b", "c"`,
		"tiers = [[\"a\"],\n[\"b\", \"a\"]]\n": `k.toml: line 2, tiers names the column "a" twice`,
		"\nsinks = [\"a\",\n \"y\"]\n":         `k.toml: line 3, sinks: unknown column "y"; allowed: "a", "b", "c"`,
		"sources = \"a\"\n":                    `k.toml: line 1: sources: no list of names; allowed: a list such as ["a", "b"]`,
		"\n\nforbid = [\"a\", \"b\"]\n":        `k.toml: line 3: forbid: no list of lists of names; allowed: lists such as [["a", "b"], ["c", "d"]]`,
		"forbid = [[\"a\", \"b\", \"c\"]]\n":   `k.toml: line 1, forbid: got 3 names, want two, the source and the target of an edge`,
		"forbid = [[\"a\", \"a\"]]\n":          `k.toml: line 1, forbid "a,a"; allowed: two different columns`,
		"odds = [{from = \"a\", to = " +
			"\"b\", odds = 0}]\n": `k.toml: line 1: odds: "a" to "b": odds are 0; allowed: odds from 0.001 to 1000; forbid the edge if you are certain that there is none`,
		"odds = [{from = \"a\", to = " +
			"\"b\", odds = inf}]\n": `k.toml: line 1: odds: "a" to "b": odds are +Inf; allowed: odds from 0.001 to 1000; require the edge if you are certain that there is one`,
		"odds = [{from = \"a\", to = " +
			"\"b\", odds = nan}]\n": `k.toml: line 1: odds: "a" to "b": odds are NaN; allowed: odds from 0.001 to 1000`,
		"odds = [{from = \"a\", to = " +
			"\"b\", ods = 2}]\n": `k.toml: line 1: odds: no list of odds; allowed: a list such as [{from = "a", to = "b", odds = 3}], with these three keys`,
		"[kinds]\na = \"orderd\"\n": `k.toml: line 1: kinds: "a": unknown kind "orderd"; allowed: real, positive, proportion, count, binary, ordered, categorical, censored`,
		"kinds = [\"a\"]\n":         `k.toml: line 1: kinds: no table of kinds; allowed: lines such as stage = "ordered" below [kinds]`,
		"odds = 3\n":                `k.toml: line 1: odds: no list of odds; allowed: a list such as [{from = "a", to = "b", odds = 3}], with these three keys`,
		"sinks = [\"b\"]\nodds = [{from = \"a\",\n " +
			"to = \"w\", odds = 2}]\n": `k.toml: line 3, odds: unknown column "w"; allowed: "a", "b", "c"`,
		"forbid = [[\"a\", \"b\"]\n": `k.toml: line 1: forbid: expected a comma (',') or array terminator (']'), but got end of file`,
		"sinks = []\nsinks = []\n":   `k.toml: line 2: sinks: Key 'sinks' has already been defined.`,
	} {
		inFolder(t, map[string]string{"k.toml": text, "good.csv": badInputs["good.csv"]})
		refuses(t, "fit good.csv --knowledge k.toml", cli.ExitFailed, want)
	}
	inFolder(t, map[string]string{"k.toml": "tiers = [[\"a\"]]\nrequire = [[\"a\", \"b\"]]",
		"good.csv": badInputs["good.csv"]})
	refuses(t, "fit good.csv --knowledge none.toml", cli.ExitFailed,
		"none.toml: no such file or directory")
	refuses(t, "fit good.csv --knowledge k.toml --tiers b;c", cli.ExitUsage,
		"--tiers contradicts --knowledge k.toml, which has tiers too: give them in one place")
	refuses(t, "fit good.csv --knowledge k.toml --forbid a,b", cli.ExitUsage,
		contradiction+"a → b is required, but it is forbidden")
	refuses(t, "order good.csv --knowledge k.toml --set knowledge.sink=a", cli.ExitUsage,
		contradiction+"a → b is required, but a is a sink, which no edge leaves")
}

// Kinds of columns in a file of statements are those of --kind.
func TestKindsOfKnowledge(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b,c\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "%d,%d,%d\n", i%3, (i+i/7)%4, i*i%5)
	}
	inFolder(t, map[string]string{"k.toml": "sinks = [\"c\"]\n[kinds]\na = \"categorical\"\n",
		"t.csv": rows.String()})
	succeed(t, "fit", "t.csv", "--knowledge", "k.toml", "--out", "file", "--quiet")
	succeed(t, "fit", "t.csv", "--set", "knowledge.sink=c", "--kind", "a=categorical", "--out",
		"option", "--quiet")
	if a, b := readFile(t, "file/edges.csv"), readFile(t, "option/edges.csv"); a != b {
		t.Errorf("edges under kinds of a file\n%s, of an option\n%s", a, b)
	}
	refuses(t, "fit t.csv --knowledge k.toml --kind a=ordered", cli.ExitUsage,
		`--kind: "a" is said to be ordered and categorical`)
}

// tobac order obeys, whatever the data say: a reversed chain of tiers, a source and a
// sink, with each method, in resamples, and in the table of all.
func TestOrderWithKnowledge(t *testing.T) {
	simulated(t)
	position := func(line string) map[string]int {
		names := must.Get(delimited.Fields(strings.TrimSpace(line), "order"))(t)
		at := map[string]int{}
		for c, name := range names {
			at[name] = c
		}
		return at
	}
	known := strings.Fields("--tiers X5,X3;X0,X1;X2,X4 --require X1,X0 --set knowledge.sink=X2")
	check := func(line string) {
		t.Helper()
		at := position(line)
		for _, pair := range []string{"X5 X0", "X3 X0", "X5 X1", "X3 X1", "X0 X2", "X1 X4", "X1 X0",
			"X4 X2"} {
			if i, j, _ := strings.Cut(pair, " "); len(at) != 6 || at[i] > at[j] {
				t.Errorf("order %q has %s after %s", strings.TrimSpace(line), i, j)
			}
		}
	}
	for _, method := range []string{"eqvar", "eqvar-bu", "npvar", "score", "variance"} {
		check(succeed(t,
			append([]string{"order", "data/train.csv", "--method", method}, known...)...).stdout)
	}
	resampled := succeed(t,
		append([]string{"order", "data/train.csv", "--bootstrap", "8"}, known...)...).stdout
	for line := range strings.Lines(resampled) {
		if f := strings.Fields(line); len(f) == 3 && strings.Count(f[2], ",") == 5 {
			check(f[2])
		}
	}
	for line := range strings.Lines(
		succeed(t, append([]string{"order", "data/train.csv", "--all"}, known...)...).stdout) {
		if f := strings.Fields(line); strings.Count(f[len(f)-1], ",") == 5 {
			check(f[len(f)-1])
		}
	}
}

// The report and the files say what was known, by name, and which edges were given
// rather than found.
func TestKnowledgeIsReported(t *testing.T) {
	simulated(t)
	if report :=
		succeed(t, quick(
			strings.Fields(
				"fit data/train.csv --engine exact --out plain")...)...).stdout; strings.Contains(
		report, "known") {
		t.Errorf("nothing is known:\n%s", report)
	}
	report := succeed(t, quick(strings.Fields("fit data/train.csv --engine exact --details "+
		"--require X0,X3 --forbid X1,X2 --set knowledge.sink=X5 --set knowledge.source=X4 --set "+
		"knowledge.odds=X1,X5=4 --out run")...)...).stdout
	joined := strings.Join(strings.Fields(report), " ")
	for _, want := range []string{"1 edge forbidden; 1 edge required; 1 sink; 1 source; other " +
		"odds of 1 edge",
		"known required: X0 → X3 forbidden: X1 → X2 no edge leaves X5 no edge enters X4 prior " +
			"odds: X1 → X5 × 4 in all, 1 edge required and 11 excluded",
		"known: given before, not found in the data"} {
		if !strings.Contains(joined, want) {
			t.Errorf("report lacks %q:\n%s", want, report)
		}
	}
	edges, directions := 0, 0
	for line := range strings.Lines(report) {
		switch f := strings.Fields(line); {
		case len(f) > 4 && f[len(f)-1] == "edge" && strings.HasPrefix(f[0], "X"):
			if edges++; f[0] != "X0" || f[2] != "X3" {
				t.Errorf("line %q", line)
			}
		case len(f) > 3 && f[len(f)-1] == "direction" && strings.Contains(line, "→"):
			directions++
		}
	}
	if edges != 1 || directions < 5 {
		t.Errorf("%d edges and %d directions are marked:\n%s", edges, directions, report)
	}
	for line := range strings.Lines(readFile(t, "run/edges.csv")) {
		fixed := strings.HasSuffix(strings.TrimSpace(line), ",1")
		if fixed != strings.HasPrefix(line, "X0,X3,1,") {
			t.Errorf("edges.csv: %q", line)
		}
	}
	got, ok := at(parse(t, readFile(t, "run/summary.json")), "knowledge").(map[string]any)
	edge := func(source, target string) map[string]any {
		return map[string]any{"source": source, "target": target}
	}
	odds := edge("X1", "X5")
	odds["odds"] = 4.0
	want := map[string]any{"required": []any{edge("X0", "X3")},
		"forbidden": []any{edge("X1", "X2")}, "sinks": []any{"X5"}, "sources": []any{"X4"},
		"odds": []any{odds}, "fixed": []any{edge("X0", "X3")}, "impossible_edges": 11.0}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("knowledge in summary.json (-want +got):\n%s", diff)
	}
	if plain := parse(t, readFile(t, "plain/summary.json")); plain["knowledge"] != nil {
		t.Errorf("knowledge %v of a run without", plain["knowledge"])
	}
}

// Whatever a file holds, there are statements or an error of one line that names it.
func FuzzKnowledge(f *testing.F) {
	for _, text := range []string{
		"", "forbid = [[\"a\", \"b\"]]", "tiers = [[\"a\"], []]\nsinks = [\"c\"]",
		"odds = [{from = \"a\", to = \"b\", odds = 1e-3}]", "[[odds]]\nfrom = 1",
		"forbid = 3", "require = [[\"a\", \"b\"], [\"b\"]]", "\"forbid\" = [[\"\\u0061\", \"b\"]]",
		"a.b = 1", "sinks = [\"\"\"\na\"\"\"]", "Forbid = [['a','b']]", "odds = [{}]",
		"[forbid]\nx=1",
	} {
		f.Add(text)
	}
	names := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseKnowledge(text, "k.toml")
		var p background.Prior
		if err == nil {
			err = s.apply(&p, names)
		}
		if err != nil {
			if m := cli.Message(err); !strings.HasPrefix(m, "k.toml: ") ||
				strings.Contains(m, "\n") {
				t.Errorf("error %q", m)
			}
			return
		}
		if err := p.CheckTogether(names, nil); err != nil &&
			!errors.As(err, new(*background.ContradictionError)) {
			t.Errorf("statements that were read are refused: %v", err)
		}
	})
}

// Where nothing is left to find out about the graph, a run still infers the weights.
func TestEverythingKnown(t *testing.T) {
	simulated(t)
	for _, args := range []string{"", "--engine svgd", "--engine svgd --order eqvar",
		"--engine svgd --order X5,X0,X1,X2,X3,X4", "--engine dibs"} {
		report := succeed(t, quick(strings.Fields("fit data/train.csv --require X0,X1 --tiers "+
			"X5;X0,X1,X2,X3,X4 --set knowledge.sink=X1,X2,X3,X4 --forbid X0,X2 --forbid X0,X3 "+
			"--forbid X0,X4 --set knowledge.source=X0,X2,X3,X4 --forbid X5,X1 "+args)...)...).stdout
		if !strings.Contains(report, "in all, 1 edge required and 29 excluded") ||
			!strings.Contains(report,
				"Consensus graph, pairs adjacent above 1/2: 1 edge directed") {
			t.Errorf("%s:\n%s", args, report)
		}
	}
}
