package main

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// badInputs are files for TestBadInput.
var badInputs = map[string]string{
	"good.csv":     "a,b,c\n1,2,3\n3,4,8\n5,1,1\n2,2,9\n4,7,5\n",
	"empty.csv":    "",
	"header.csv":   "a,b\n",
	"ragged.csv":   "a,b\n1,2\n3\n4,5\n5,1\n",
	"text.csv":     "a,b\n1,2\n3,high\n",
	"nan.csv":      "a,b\n1,2\n3,NaN\n4,1\n5,3\n2,7\n4,4\n1,1\n",
	"inf.csv":      "a,b\n-Inf,2\n3,4\n",
	"huge.csv":     "a,b\n1e999,2\n3,4\n",
	"missing.csv":  "a,b\n1,2\n3,\n4,4\n",
	"twice.csv":    "a,a\n1,2\n3,4\n",
	"constant.csv": "a,b,c\n1,2,7\n3,4,7\n5,1,7\n2,2,7\n4,7,7\n",
	"copy.csv":     "a,b,c\n1,2,1\n3,4,3\n5,1,5\n2,2,2\n4,7,4\n",
	"few.csv":      "a,b,c\n1,2,3\n3,4,8\n",
	"row.csv":      "a,b\n1,2\n",
	"column.csv":   "a\n1\n2\n",
	"two.csv":      "a,b\n1,2\n3,9\n4,5\n",
	"other.csv":    "a,b,x\n1,2,3\n",
	"cycle.csv":    "source,target\na,b\nb,c\nc,a\n",
	"stranger.csv": "source,target\na,z\n",
	"noedges.csv":  "a,b,c\n",
	"short.txt":    "a\nb\n",
	"repeated.txt": "a,b,a",
}

func TestBadInput(t *testing.T) {
	const (
		failed = cli.ExitFailed
		usage  = cli.ExitUsage
	)
	for _, c := range []struct {
		name string
		args string
		code int
		want string // standard error without "tobac: " and the line end
	}{
		{"missing file", "fit no.csv", failed, `no.csv: no such file or directory`},
		{"folder for a file", "fit .", failed,
			`.: is a folder; allowed: a text table, a workbook (.xlsx), a Parquet file, a NumPy file (.npy, .npz), or one of these compressed by gzip or bzip2`},
		{"empty file", "fit empty.csv", failed, `empty.csv: file is empty`},
		{"header only", "fit header.csv", failed,
			`header.csv: header without any row of data after it`},
		{"ragged rows", "fit ragged.csv", failed,
			`ragged.csv: line 3: got 1 value, want 2 as elsewhere; --set data.rows=1,3-4 leaves out such rows; data.delimiter and data.comment say how lines are read`},
		{"text", "fit text.csv", failed,
			`text.csv: column 2 (b): 1 of 2 values is not a finite number: "high" on line 3; --set data.missing-code=high counts as missing, --drop b leaves the column out`},
		{"NaN", "fit nan.csv", failed,
			`nan.csv: missing values in 1 row of 7: 1 in column 2 (b) spelled "NaN"; --missing drop leaves out 1 row and keeps 6, --missing impute completes them`},
		{"Inf", "fit inf.csv", failed,
			`inf.csv: column 1 (a): 1 of 2 values is not a finite number: "-Inf" on line 2 (infinite); --set data.missing-code=-Inf counts as missing, --drop a leaves the column out`},
		{"overflow", "fit huge.csv", failed,
			`huge.csv: column 1 (a): 1 of 2 values is not a finite number: "1e999" on line 2 (beyond the range of numbers); --set data.missing-code=1e999 counts as missing, --drop a leaves the column out`},
		{"missing value", "fit missing.csv", failed,
			`missing.csv: missing values in 1 row of 3: 1 in column 2 (b); --missing impute completes them, --missing drop keeps only 2 rows`},
		{"duplicate names", "fit twice.csv", failed,
			`twice.csv: columns 1 and 2 are both named a; --drop 2 leaves the second out, --set data.names=a,b,... gives other names`},
		{"constant column", "fit constant.csv", failed,
			`constant.csv: column 3 (c) is constant: every value is 7; --set data.dependent=drop or --drop c leaves it out`},
		{"constant column, EqVar", "fit constant.csv --order eqvar", failed,
			`constant.csv: column 3 (c) is constant: every value is 7; --set data.dependent=drop or --drop c leaves it out`},
		{"constant column, order", "order constant.csv", failed,
			`constant.csv: column 3 (c) is constant: every value is 7; --set data.dependent=drop or --drop c leaves it out`},
		{"constant column, standardised", "fit constant.csv --set data.standardize=true", failed,
			`constant.csv: column 3 (c) is constant: every value is 7; --set data.dependent=drop or --drop c leaves it out`},
		{"dependent column", "fit copy.csv --order eqvar", failed,
			`copy.csv: column 3 (c) is a copy of column 1 (a); --set data.dependent=drop leaves out the last column of each dependence`},
		{"fewer rows than variables, EqVar", "fit few.csv --order eqvar", failed,
			`few.csv: too few rows: 2 rows of 3 columns, eqvar top-down needs at least 4; give more rows or another order`},
		{"one row", "fit row.csv", failed, `row.csv: got a single row, want at least 2`},
		{"one column", "fit column.csv", failed,
			`column.csv: got a single column, want at least 2: one variable has no edges to infer`},

		{"order lacks names", "fit good.csv --order short.txt", failed,
			`short.txt: missing "c"`},
		{"order repeats a name", "fit good.csv --order repeated.txt", failed,
			`repeated.txt: repeated "a" at positions 1 and 3; missing "c"`},
		{"order with unknown names", "fit good.csv --order a,b,C", usage,
			`--order: unknown "C" at position 3 (did you mean "c"?); missing "c"`},
		{"order without meaning", "fit good.csv --order EqVal", usage,
			`--order "EqVal" is neither a method nor a file; did you mean eqvar?; allowed: eqvar, variance, eqvar-bu, npvar, score, the path of a file with the names of the columns, or the names themselves separated by commas`},
		{"order with a stray quote", `fit good.csv --order a,"b,c`, usage,
			`--order: quote is never closed; allowed: quotes around a whole field, doubled inside it ("")`},
		{"order from an empty file", "fit good.csv --order empty.csv", failed,
			`empty.csv: file is empty`},

		{"truth with a cycle", "fit good.csv --truth cycle.csv", failed,
			`cycle.csv: graph has a cycle: "a" -> "b" -> "c" -> "a"`},
		{"truth with unknown names", "fit good.csv --truth stranger.csv", failed,
			`stranger.csv: line 2: unknown vertex "z"; allowed: "a", "b", "c"`},
		{"truth that is no edge list", "fit good.csv --truth noedges.csv", failed,
			`noedges.csv: line 1: header is "a,b,c"; allowed: "source,target", "from,to", "cause,effect" or "parent,child", perhaps among other columns`},
		{"truth missing", "fit good.csv --truth no.csv", failed,
			`no.csv: no such file or directory`},
		{"held-out rows of other columns", "fit good.csv --heldout other.csv", failed,
			`other.csv: no column is named "c"; allowed: "a", "b", "x"`},
		{"held-out rows missing", "fit good.csv --heldout no.csv", failed,
			`no.csv: no such file or directory`},

		{"no particles", "fit --set svgd.particles=0", usage,
			`--set svgd.particles=0: allowed: whole numbers from 1 to 100000`},
		{"negative steps", "fit --set svgd.steps=-3", usage,
			`--set svgd.steps=-3: allowed: whole numbers from 1 to 1000000000`},
		{"half a sample", "fit --set svgd.samples=1.5", usage,
			`--set svgd.samples=1.5: allowed: whole numbers from 1 to 1000000`},
		{"no workers", "fit --workers 0", usage,
			`--workers "0": allowed: whole numbers from 1 to 4096`},
		{"negative seed", "fit --seed -1", usage,
			`--seed "-1": allowed: whole numbers from 0 to 18446744073709551615`},
		{"no noise", "fit --set linear.noise-variance=0", usage,
			`--set linear.noise-variance=0: allowed: finite numbers above 0`},
		{"infinite noise", "fit --set linear.noise-variance=inf", usage,
			`--set linear.noise-variance=inf: allowed: finite numbers above 0`},
		{"negative edges", "fit --set prior.edges-per-node=-1", usage,
			`--set prior.edges-per-node=-1: allowed: finite numbers above 0`},
		{"everything held out", "fit --holdout 1", usage,
			`--holdout "1": allowed: numbers above 0 and below 1`},
		{"nothing left for training", "fit good.csv --holdout 0.9", usage,
			`--holdout: held-out fraction 0.9 of 5 rows leaves 0 for training and 5 held out, want at least one of each`},
		{"one row left for training", "fit good.csv --holdout 0.8 --order variance", failed,
			`good.csv: got 1 row, want at least 2`},
		{"unknown recipe", "fit --set svgd.recipe=best", usage,
			`--set svgd.recipe=best: allowed: default, paper, calibrated`},
		{"unknown estimator", "fit --set svgd.estimator=Joint", usage,
			`--set svgd.estimator=Joint: allowed: joint, nodewise; did you mean joint?`},
		{"unknown truth value", "fit --set data.standardize=maybe", usage,
			`--set data.standardize=maybe: allowed: true, false`},
		{"option without value", "fit --holdout", usage, `--holdout needs a value`},
		{"edge probability of one", "fit good.csv --set prior.edges-per-node=1", usage,
			`prior.edges-per-node: edges per node 1 on 3 variables makes the edge probability 1; want 0 < edges per node < 1`},
		{"edge probability above one by the recipe", "fit two.csv --engine svgd --set recipe=paper",
			usage,
			`--engine svgd: edges per node 2 on 2 variables makes the edge probability 4; want 0 < edges per node < 0.5`},
		{"held out twice", "fit good.csv --holdout 0.2 --heldout good.csv", usage,
			`--holdout and --heldout contradict each other: rows are held out of the data, or come from a file`},
		{"two data files", "fit good.csv two.csv", usage,
			`tobac fit takes at most one data file, got "good.csv", "two.csv"`},
		{"unknown option", "fit --epochs 3", usage,
			`unknown option --epochs; tobac fit --help lists the options`},
		{"unknown short option", "fit -x", usage,
			`unknown option -x; tobac fit --help lists the options`},
		{"unknown command", "fitt", usage,
			`unknown command "fitt"; did you mean fit?; allowed: check, compare, completion, convert, effect, eval, fit, help, man, order, predict, report, reproduce, simulate, version`},
		{"help for an unknown command", "help fitt", usage,
			`no command or topic is called "fitt"; did you mean fit?; tobac help lists them`},
		{"too many workers", "fit good.csv --workers 100000000", usage,
			`--workers "100000000": allowed: whole numbers from 1 to 4096`},
		{"noise too small for float64", "fit good.csv --set linear.noise-variance=1e-300 --model " +
			"linear --engine svgd --order eqvar", failed, "warning: a noise variance of 1e-300 " +
			"is a small part of the variance of every column, at least 2: scale the columns, or " +
			"leave the noise variance to be inferred\ntobac: " +
			`good.csv: stopped after 0 of 1000 steps: numbers left the range of float64; the noise variance 1e-300 is too small for column "c", whose variance is 8.96`},

		{"output folder is a file", "fit good.csv --out good.csv", failed,
			`good.csv: is a file; allowed: the path of a folder, which is created if it does not exist`},
		{"output folder inside a file", "fit good.csv --out good.csv/run", failed,
			`good.csv/run: not a directory; allowed: the path of a folder, which is created if it does not exist`},

		{"order without data", "order", usage, `tobac order takes one data file, got none`},
		{"unknown method", "order good.csv --method golem", usage,
			`--method "golem": allowed: eqvar, variance, eqvar-bu, npvar, score`},

		{"simulate without folder", "simulate", usage,
			`tobac simulate needs --out DIR, the folder for its files`},
		{"simulate with an argument", "simulate there", usage,
			`tobac simulate takes no arguments, got "there"`},
		{"simulate one variable", "simulate --vars 1 --out s", usage,
			`--vars "1": allowed: whole numbers from 2 to 5000`},
		{"simulate nothing", "simulate --samples 0 --out s", usage,
			`--samples "0": allowed: whole numbers from 1 to 100000000`},
		{"simulate too much", "simulate --samples 6000000 --out s", usage,
			`--samples 6000000 of --vars 20 are too many; allowed: up to 100000000 numbers in a table`},
		{"simulate an edge probability above one", "simulate --vars 4 --out s", usage,
			`--edges-per-node: 2 edges per node among 4 variables make the edge probability 2e/(d-1) = 1.333; allowed: below 1, that is fewer than 1.5 edges per node or more than 5 variables`},
		{"simulate into a file", "simulate --out good.csv", failed,
			`good.csv: is a file; allowed: the path of a folder, which is created if it does not exist`},

		{"eval without folder", "eval --truth cycle.csv", usage,
			`tobac eval takes one folder or file, got none`},
		{"eval against nothing", "eval .", usage,
			`tobac eval needs --exact, --truth GRAPH.csv or --heldout FILE`},
		{"eval of a folder without posterior", "eval --truth cycle.csv .", failed,
			`.: no particles.json in it, and not a folder of adjacency matrices: column.csv: 3 lines of 1 values; allowed: a square matrix, with or without a line of names before it and a name in front of each line`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, badInputs)
			refuses(t, c.args, c.code, c.want)
		})
	}
}

// tree lists everything below the current folder.
func tree(t *testing.T) string {
	t.Helper()
	var paths []string
	must.Do(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	}))
	return strings.Join(paths, "\n")
}

// A table of 1,000 columns says what it would need, and can be ordered.
func TestThousandColumns(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		for j := range 1000 {
			if j > 0 {
				text.WriteByte(',')
			}
			fmt.Fprint(&text, (i+1)*(j+3)%(17+i))
		}
		text.WriteByte('\n')
	}
	inFolder(t, map[string]string{"wide.csv": text.String()})
	before := debug.SetMemoryLimit(8 << 30)
	defer debug.SetMemoryLimit(before)
	got := runTobac(t, quick("fit", "wide.csv", "--order", "variance")...)
	const want = "tobac: wide.csv: this needs about # of memory (# for the compiled program), " +
		"and # are available (GOMEMLIMIT); would fit: variables up #"
	if text := regexp.MustCompile(`[\d.]+ [GM]B|to \d+\n`).ReplaceAllString(got.stderr,
		"#"); got.code != cli.ExitFailed || text != want {
		t.Errorf("got exit %d and %q, want %d and %q", got.code, text, cli.ExitFailed, want)
	}
	if names := strings.Split(succeed(t, "order", "wide.csv", "--method", "variance").stdout,
		","); len(names) != 1000 {
		t.Errorf("order has %d names, want 1000", len(names))
	}
}

func TestTwoColumns(t *testing.T) {
	inFolder(t, map[string]string{"two.csv": badInputs["two.csv"]})
	got := succeed(t, quick("fit", "two.csv", "--json")...)
	if got := parse(t, got.stdout)["edges_per_node"]; math.Abs(got.(float64)-0.25) > 1e-12 {
		t.Errorf("two variables: %v edges per node, want 0.25", got)
	}
}
