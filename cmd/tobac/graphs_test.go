package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/graphfile"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats"
)

// filesWithoutFormats are the names of fitFiles that need neither --formats nor --compare-svgd.
func filesWithoutFormats() []string {
	return slices.DeleteFunc(filesWithoutGaps(), func(name string) bool {
		return name == comparedFile || name == exportPosterior.name ||
			slices.ContainsFunc(exported, func(f graphfile.Format) bool {
				return f != graphfile.DOT && name == export(f).name
			})
	})
}

// The same graph in every format is the same truth, for every command that takes
// one.
func TestTruthInEveryFormat(t *testing.T) {
	inFolder(t, map[string]string{
		"truth.csv": "source,target\na,b\nb,c\n", "p.csv": "a,b,c\n0,0.75,0\n0.25,0,1\n0,0,0\n",
		"rows.csv": "a,b,c\n1,2,1\n2,1,5\n3,5,0\n4,0,2\n5,1,2\n",
	})
	want := succeed(t, "eval", "--truth", "truth.csv", "p.csv").stdout
	ordered := succeed(t, "order", "rows.csv", "--method", "variance").stdout
	for _, f := range graphfile.Formats() {
		name := "graph-" + f.String() + f.Ending()
		text := succeed(t, "convert", "truth.csv", name, "--to", f.String()).stdout
		if text != name+": 3 vertices, 2 edges\n" {
			t.Errorf("%v: convert says %q", f, text)
		}
		if got := succeed(t, "eval", "--truth", name, "p.csv").stdout; got != want {
			t.Errorf("%v: eval says\n%s\nwant\n%s", f, got, want)
		}
		if got := succeed(t, "order", "rows.csv", "--all", "--truth",
			name).stdout; !strings.Contains(got, strings.TrimSpace(ordered)) {
			t.Errorf("%v: order says\n%s", f, got)
		}
	}
}

// A graph with probabilities is what is certain of it: edges of 1, not those of 0, and an error if
// one is between them, as the truth and as what is known, in every format that has probabilities.
func TestUncertainGraphs(t *testing.T) {
	inFolder(t, map[string]string{
		"likely.csv":        "source,target,probability\na,b,1\nb,c,0.01\n",
		"sure.csv":          "source,target,probability\na,b,1\nb,c,0\n",
		"p.csv":             "a,b,c\n0,0.75,0\n0.25,0,1\n0,0,0\n",
		"likely-matrix.csv": "a,b,c\n0,1,0\n0,0,0.01\n0,0,0\n",
		"rows.csv":          "a,b,c\n1,2,1\n2,1,5\n3,5,0\n4,0,2\n5,1,2\n",
	})
	checked := 0
	refused := func(name, keep string) {
		checked++
		want := name +
			`: edge "b" -> "c" has the probability 0.01; allowed: 0 and 1, for what is given is certain; tobac convert ` + name + " OUT.txt --above P keeps the edges above P"
		for _, args := range []string{"eval p.csv --truth ", "order rows.csv --all --truth ",
			"fit rows.csv --knowledge ", "fit rows.csv --truth "} {
			refuses(t, args+name, cli.ExitFailed, want)
		}
		succeed(t, "convert", name, keep, "--above", "0.5")
		succeed(t, "eval", "p.csv", "--truth", keep)
	}
	refused("likely-matrix.csv", "kept.txt")
	for _, f := range graphfile.Formats() {
		name := "graph-" + f.String() + f.Ending()
		if got := succeed(t, "convert", "likely.csv", "likely-"+name, "--to",
			f.String()); !strings.Contains(got.stderr, "no probabilities") {
			refused("likely-"+name, "kept-"+f.String()+".txt")
			succeed(t, "convert", "sure.csv", "sure-"+name, "--to", f.String())
			if got := succeed(t, "order", "rows.csv", "--method", "variance", "--knowledge",
				"sure-"+name, "--require", "c,b"); got.stdout == "" {
				t.Errorf("%v: b -> c is required", f)
			}
		}
	}
	if checked < 8 {
		t.Errorf("%d formats", checked)
	}
}

func TestTruthFaults(t *testing.T) {
	files := map[string]string{
		"p.csv": "a,b\n0,0.5\n0,0\n", "x.csv": "X0,X1\n0,0.5\n0,0\n",
		"hidden.dot": "digraph { u -> a; u -> b; a -> b; }", "case.csv": "from,to\nA,b\n",
		"one.csv": "X1,X2\n0,1\n0,0\n", "few.graphml": graphML(`<node id="a"/>`),
		"cpdag.dot": "graph { a -- b }", "pag.txt": "a o-> b\n", "loop.npy": "\x93NUMPY",
		"three.csv": "0,1,0\n0,0,0\n0,0,0\n", "cycle.bif": bif("a", "b") + bif("b", "a"),
		"alone.dot": "digraph { a -> b; u }", "broken.json": "{\n\"nodes\": [\n}",
		"bomb.graphml": `<!DOCTYPE g [<!ENTITY a "aaaa">]><graphml><graph><node id="&a;"/></graph></graphml>`,
	}
	for _, c := range []struct{ name, truth, judged, want string }{
		{"hidden variable", "hidden.dot", "p.csv",
			`hidden.dot: line 1: unknown vertex "u"; allowed: "a", "b"`},
		{"another case", "case.csv", "p.csv",
			`case.csv: line 2: unknown vertex "A", but there is a column "a": names must agree in case and blanks`},
		{"counted from one", "one.csv", "x.csv",
			`one.csv: vertices are counted from X1, columns from X0; allowed: the same names, "X0", "X1"`},
		{"a column is missing", "few.graphml", "p.csv",
			`few.graphml: the graph has no vertex "b"; allowed: a graph with all columns as vertices`},
		{"without direction", "cpdag.dot", "p.csv",
			`cpdag.dot: 1 edge without direction ("a" -- "b"); allowed: a graph in which every edge has one`},
		{"unknown mark", "pag.txt", "p.csv",
			`pag.txt: line 1: edge o-> stands for a hidden common cause, or leaves one open, which no graph on the variables alone can say; allowed: ->, <- and --, with one dash more or not`},
		{"no array", "loop.npy", "p.csv", `loop.npy: not a NumPy file: it does not begin as one`},
		{"too many vertices", "three.csv", "p.csv",
			`three.csv: graph of 3 vertices without names, want 2, one for each column`},
		{"cycle", "cycle.bif", "p.csv", `cycle.bif: graph has a cycle: "a" -> "b" -> "a"`},
		{"broken JSON", "broken.json", "p.csv",
			`broken.json: line 3: faulty JSON: invalid character '}' looking for beginning of value`},
		{"entities", "bomb.graphml", "p.csv",
			`bomb.graphml: line 1: faulty XML: invalid character entity &a;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, files)
			refuses(t, "eval --truth "+c.truth+" "+c.judged, cli.ExitFailed, c.want)
		})
	}
	inFolder(t, files)
	succeed(t, "eval", "--truth", "alone.dot", "p.csv") // u has no edges
}

func graphML(inside string) string {
	return "<graphml>\n<graph edgedefault=\"directed\">\n" + inside + "\n</graph>\n</graphml>\n"
}

// bif is a variable with one parent; two of them make a network.
func bif(name, parent string) string {
	text := "probability ( " + name + " | " + parent + " ) { table 1; }\n"
	if name < parent {
		text = "network n {\n}\nvariable " + name + " { type discrete [ 1 ] { x }; }\nvariable " +
			parent + " { type discrete [ 1 ] { x }; }\n" + text
	}
	return text
}

func TestConvert(t *testing.T) {
	inFolder(t, map[string]string{
		"graph.csv": "source,target,type,probability,weight\na,b,directed,0.9,1.5\nb,c,undirecte" +
			"d,0.6,\n", "b.csv": "a,b\n0,0\n2.5,0\n",
		"edges.csv": "source,target,probability,weight_mean,weight_sd\na,b,0.7,1,\nb,a,0.3,,\n",
		"empty.xyz": "",
	})
	if got := runWith(t, t.Context(), readFile(t, "graph.csv"), "convert", "-", "-", "--to",
		"txt"); got != (invocation{cli.ExitDone,
		"Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. b --- c\n",
		"tobac: warning: txt holds no probabilities, no weights: left out\n"}) {
		t.Errorf("convert - -: %+v", got)
	}
	if got := succeed(t, "convert", "graph.csv",
		"new.dot"); got.stdout != "new.dot: 3 vertices, 2 edges, 1 of them without direction\n" ||
		got.stderr != "" {
		t.Errorf("convert to DOT: %+v", got)
	}
	if got := succeed(t, "convert", "b.csv", "-", "--transpose", "--to",
		"csv").stdout; got != "source,target,weight\na,b,2.5\n" {
		t.Errorf("transposed:\n%s", got)
	}
	if got := succeed(t, "convert", "edges.csv", "-", "--above", "0.5", "--to",
		"csv").stdout; got != "source,target,probability,weight\na,b,0.7,1\n" {
		t.Errorf("above 0.5:\n%s", got)
	}
	if got := succeed(t, "convert", "edges.csv", "-", "--to", "matrix", "--values",
		"probability").stdout; got != ",a,b\na,0,0.7\nb,0.3,0\n" {
		t.Errorf("matrix:\n%s", got)
	}
	if got := succeed(t, "convert", "edges.csv", "-", "--to",
		"matrix"); got.stdout != ",a,b\na,0,1\nb,1,0\n" ||
		got.stderr != "tobac: warning: matrix holds no opposite edges (they become one without "+
			"direction), no probabilities, no weights: left out\n" {
		t.Errorf("matrix of opposite edges: %+v", got)
	}
	refuses(t, "convert graph.csv new.dot", cli.ExitFailed,
		`new.dot: exists already; allowed: another name, or --force to replace it`)
	succeed(t, "convert", "graph.csv", "new.dot", "--force")
	refuses(t, "convert graph.csv out.xyz", cli.ExitUsage,
		`out.xyz: unknown ending; allowed: .csv, .tsv, .txt, .npy, .npz, .json, .graphml, .dot, .bif, or --to FORMAT`)
	refuses(t, "convert graph.csv out.dot --values weight", cli.ExitUsage,
		`--values contradicts --to dot: only matrix and npy hold a single matrix`)
	refuses(t, "convert graph.csv out.npy --values weight", cli.ExitFailed,
		`graph.csv: edge "b" -- "c" has no weight`)
	refuses(t, "convert b.csv out.npy --above 0.5", cli.ExitFailed,
		`b.csv: edge "b" -> "a" has no probability`)
	refuses(t, "convert edges.csv out.bif", cli.ExitFailed,
		`edges.csv: BIF holds acyclic graphs: graph has a cycle: "a" -> "b" -> "a"`)
	refuses(t, "convert graph.csv out.dot --above 1", cli.ExitUsage,
		`--above "1": allowed: numbers from 0 and below 1`)
	refuses(t, "convert empty.xyz out.dot", cli.ExitFailed, `empty.xyz: file is empty`)
	refuses(t, "convert graph.csv", cli.ExitUsage,
		`tobac convert takes a file to read and a file to write, got "graph.csv"`)
}

// A BIF file of a table of categories has tables of probabilities and a direction of every edge of
// the consensus graph; from BIF to BIF they stay.
func TestFitTables(t *testing.T) {
	t.Chdir(t.TempDir())
	var b, gaps strings.Builder
	b.WriteString("rain,wet,slips\n")
	gaps.WriteString("rain,wet,slips\n")
	for i := range 60 {
		wet := [...]string{"no", "some", "much"}[min(2, i%2+i%5/4)]
		slips := map[bool]string{true: "yes", false: "no"}[wet == "much" || i%7 == 0]
		fmt.Fprintf(&b, "%s,%s,%s\n", []string{"dry", "rainy"}[i%2], wet, slips)
		if i%11 == 5 {
			wet = "NA"
		}
		fmt.Fprintf(&gaps, "%s,%s,%s\n", []string{"dry", "rainy"}[i%2], wet, slips)
	}
	for name, text := range map[string]string{"wet.csv": b.String(), "gaps.csv": gaps.String()} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	succeed(t, quick("fit", "wet.csv", "--out", "run", "--set", "results.formats=bif")...)
	succeed(t, quick("fit", "gaps.csv", "--out", "imputed", "--missing", "impute", "--set",
		"results.formats=bif")...)
	succeed(t, "convert", "run/consensus.bif", "again.bif")
	for _, name := range []string{"run/consensus.bif", "again.bif", "imputed/consensus.bif"} {
		g, _ := must.Two(graphfile.ReadFile(name))(t)
		if err := g.Check(); err != nil || len(g.Tables) != 3 || len(g.Edges) == 0 {
			t.Fatalf("%s: tables %v, edges %v, %v", name, g.Tables, g.Edges, err)
		}
		if states := g.Tables[1].States; len(states) != 3 || !slices.Contains(states, "much") {
			t.Errorf("%s: states %q", name, states)
		}
		for v, table := range g.Tables {
			for _, row := range table.Rows {
				if sum := floats.Sum(row); math.Abs(sum-1) > 1e-12 || floats.Min(row) <= 0 {
					t.Errorf("%s: probabilities %v of %s", name, row, g.Names[v])
				}
			}
		}
	}
}

// The files of --formats hold one graph: the consensus, with the edges of unknown
// direction, and the numbers of edges.csv.
func TestFitFormats(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--out", "run", "--set",
		"results.formats=graphml,bif,networkx,npz,txt,dot")...)
	want, _ := must.Two(graphfile.ReadFile("run/consensus.json"))(t)
	if len(want.Names) != 6 || len(want.Edges) == 0 || !want.Has(graphfile.Probability) ||
		!want.Has(graphfile.Weight) {
		t.Errorf("consensus.json holds %+v", want)
	}
	for _, name := range []string{"consensus.graphml", "consensus.bif", "consensus.txt",
		"consensus.dot", "posterior.npz"} {
		got, f, err := graphfile.ReadFile(filepath.Join("run", name))
		if err != nil {
			t.Error(err)
			continue
		}
		on, _, err := got.On(want.Names)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(on.Edges) != len(want.Edges) {
			t.Errorf("%s: %d edges, want %d", name, len(on.Edges), len(want.Edges))
		}
		for _, e := range want.Edges {
			found := false
			for _, g := range on.Edges {
				if f == graphfile.Arrows {
					g.Probability, g.Adjacent, g.Weight, g.WeightSD = e.Probability, e.Adjacent,
						e.Weight, e.WeightSD
				}
				found = found || g == e
			}
			if !found {
				t.Errorf("%s lacks %+v, has %+v", name, e, on.Edges)
			}
		}
	}
	var summary map[string]any
	must.Do(t, json.Unmarshal([]byte(readFile(t, "run/summary.json")), &summary))
	if _, err := os.Stat("run/consensus.txt"); err != nil {
		t.Error(err)
	}
	refuses(t, "fit data/train.csv --set results.formats=graphml", cli.ExitUsage,
		`results.formats names files of --out DIR, which is missing`)
	refuses(t, "fit data/train.csv --set results.formats=svg --out other", cli.ExitUsage,
		`--set results.formats=svg: allowed: graphml, bif, networkx, npz, txt, dot, separated by commas`)
}

// A format that cannot hold the names is refused before the work.
func TestFitFormatsNames(t *testing.T) {
	inFolder(t, map[string]string{"odd.csv": "\"a\x01\",b\n1,2\n2,1\n3,5\n4,0\n"})
	refuses(t, "fit odd.csv --out run --set results.formats=graphml", cli.ExitFailed,
		`results.formats=graphml: XML cannot hold the character U+0001 of the name "a\x01"`)
}
