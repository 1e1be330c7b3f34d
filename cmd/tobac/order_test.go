package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// Every method is there under its name, in order, fit and the help text.
func TestOrderMethods(t *testing.T) {
	simulated(t)
	help := succeed(t, "order", "--help").stdout
	for _, name := range []string{"eqvar", "eqvar-bu", "npvar", "score", "variance"} {
		got := succeed(t, "order", "data/train.csv", "--method", name)
		names := must.Get(delimited.Fields(strings.TrimSpace(got.stdout), "order"))(t)
		if _, err :=
			ordering.ByNames(names, []string{"X0", "X1", "X2", "X3", "X4", "X5"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("help lacks %s", name)
		}
		orderer, err := parseOrder(name, nil)
		if method, ok := orderer.(ordering.Method); err != nil || !ok || method.String() != name {
			t.Errorf("fit --order %s selects %v, %v", name, orderer, err)
		}
	}
	if len(ordering.Methods()) != 5 {
		t.Errorf("methods %v: name the new ones in the help text", ordering.Methods())
	}
}

// The table has a line per method, with the violated edges of the true graph,
// and how far the data give the order away.
func TestOrderAll(t *testing.T) {
	simulated(t)
	got := succeed(t, "order", "data/train.csv", "--all", "--truth", "data/graph.csv")
	lines := strings.Split(got.stdout, "\n")
	if want := regexp.MustCompile(
		`^method +violated edges +smallest gap +seconds +order$`); !want.MatchString(lines[0]) {
		t.Errorf("header %q", lines[0])
	}
	for i, m := range ordering.Methods() {
		line := lines[1+i]
		want := regexp.MustCompile(`^` + m.String() +
			` +\d+ of \d+ \(\d+ %\) +\S+ +\d+\.\d{3} +(X\d,){5}X\d$`)
		if !want.MatchString(line) {
			t.Errorf("line %q", line)
		}
		if order := strings.TrimSpace(succeed(t, "order", "data/train.csv", "--method",
			m.String()).stdout); !strings.HasSuffix(line, " "+order) {
			t.Errorf("line %q, but --engine %v gives %s", line, m, order)
		}
	}
	if !regexp.MustCompile(
		`\nA random order violates [\d.]+ of the \d+ edges on average\.\nVarsortability [01]\.\d\d, R²-sortability [01]\.\d\d\.\n$`).MatchString(got.stdout) {
		t.Errorf("below the table: %q", got.stdout)
	}
	plain := succeed(t, "order", "data/train.csv", "--all").stdout
	if strings.Contains(plain, "violated") || strings.Contains(plain, "sortability") ||
		len(strings.Split(plain, "\n")) != 7 {
		t.Errorf("without truth: %q", plain)
	}
}

// A method that fails has its reason in the table; if all do, so does the
// command.
func TestOrderAllFailures(t *testing.T) {
	inFolder(t, map[string]string{
		"few.csv":   "a,b,c\n1,2,3\n2,5,3\n4,6,1\n",
		"graph.csv": "source,target\na,b\n",
		"empty.csv": "source,target\n",
		"one.csv":   "a,b\n1,2\n",
	})
	got := succeed(t, "order", "few.csv", "--all", "--truth", "graph.csv").stdout
	for _, want := range []string{
		`eqvar +- +- +[0-9]+\.[0-9]+ +failed: too few rows: 3 rows of 3 columns, eqvar top-down needs at least 4; give more rows or another order`,
		`npvar +- +- +[0-9]+\.[0-9]+ +failed: too few rows: 3 rows of 3 columns, npvar, pygam needs at least 4; give more rows or another order`,
		`score +\d of 1 `,
		`R²-sortability unknown \(too few rows: `,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("table lacks %q:\n%s", want, got)
		}
	}
	if got := succeed(t, "order", "few.csv", "--all", "--truth",
		"empty.csv").stdout; !strings.Contains(got, "0 of 0 ") ||
		strings.Contains(got, "sortability") {
		t.Errorf("graph without edges:\n%s", got)
	}
	for _, row := range []struct {
		args string
		code int
		want string
	}{
		{"order one.csv --all", cli.ExitFailed,
			"tobac: one.csv: got a single row, want at least 2"},
		{"order few.csv --all --method score", cli.ExitUsage,
			"tobac: --all and --method contradict each other\n"},
		{"order few.csv --truth graph.csv", cli.ExitUsage,
			"tobac: --truth is for the table of --all\n"},
		{"order few.csv --all --truth one.csv", cli.ExitFailed, "tobac: one.csv"},
	} {
		if got := runTobac(t, strings.Fields(row.args)...); got.code != row.code ||
			!strings.HasPrefix(got.stderr, row.want) || got.stdout != "" {
			t.Errorf("tobac %s: %+v, want exit %d and %q", row.args, got, row.code, row.want)
		}
	}
}

// An estimator that takes long does not keep an interrupted command from ending.
func TestOrderInterrupted(t *testing.T) {
	simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runWith(t, ctx, "", "order", "data/train.csv",
		"--all"); got.code != cli.ExitInterrupted || got.stderr != "tobac: interrupted\n" ||
		got.stdout != "" {
		t.Errorf("tobac order --all: %+v", got)
	}
	forever := waiting(make(chan struct{}))
	defer close(forever)
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := findOrder(ctx, forever, mat.NewDense(1, 1, nil), nil); err != cli.ErrInterrupted {
		t.Errorf("an estimator that does not return: %v", err)
	}
}

// waiting is an Orderer that returns when the channel is closed.
type waiting chan struct{}

func (w waiting) Order(context.Context, mat.Matrix, *ordering.Precedence,
	int) (*ordering.Result, error) {
	<-w
	return nil, nil
}
