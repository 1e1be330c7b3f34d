package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/must"
)

// saveRun fits simulated data into the folder run.
func saveRun(t *testing.T, args ...string) {
	t.Helper()
	simulated(t)
	succeed(t, append(quick("fit", "data/train.csv", "--out", "run"), args...)...)
}

// csvRows are the fields of a CSV file without quotes, the header apart.
func csvRows(t *testing.T, path ...string) (header []string, rows [][]string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, path...)), "\n")
	for _, line := range lines[1:] {
		rows = append(rows, strings.Split(line, ","))
	}
	return strings.Split(lines[0], ","), rows
}

func parseFloat(t *testing.T, text string) float64 {
	t.Helper()
	return must.Get(strconv.ParseFloat(text, 64))(t)
}

// The files of answers agree with the posterior and with each other, and the commands
// with the files.
func TestAnswersAgree(t *testing.T) {
	saveRun(t)
	p := saved(t, "run")
	header, pairs := csvRows(t, "run", "pairs.csv")
	if got := strings.Join(header, ","); got != "first,second,adjacent,direction,weight_mean,wei"+
		"ght_sd,reverse_weight_mean,reverse_weight_sd" {
		t.Errorf("header of pairs.csv: %s", got)
	}
	if len(pairs) != len(p.PairsFrom(0)) {
		t.Errorf("%d lines in pairs.csv, want %d", len(pairs), len(p.PairsFrom(0)))
	}
	for _, row := range pairs {
		i, j := slices.Index(p.Names, row[0]), slices.Index(p.Names, row[1])
		adjacent, direction := parseFloat(t, row[2]), parseFloat(t, row[3])
		if math.Abs(adjacent*direction-p.Probabilities.At(i, j)) > 1e-12 ||
			math.Abs(adjacent*(1-direction)-p.Probabilities.At(j, i)) > 1e-12 {
			t.Errorf("pairs.csv: %v, probabilities %v and %v", row, p.Probabilities.At(i, j),
				p.Probabilities.At(j, i))
		}
	}
	_, edges := csvRows(t, "run", "edges.csv")
	for _, row := range edges {
		if probability, adjacent, direction := parseFloat(t, row[2]), parseFloat(t, row[5]),
			parseFloat(t, row[6]); math.Abs(adjacent*direction-probability) > 1e-12 {
			t.Errorf("edges.csv: %v", row)
		}
	}

	header, rows := csvRows(t, "run", effectsFile)
	if strings.Join(header, ",") != effectsHeader {
		t.Errorf("header of %s: %v", effectsFile, header)
	}
	for _, row := range rows[:5] {
		var got struct {
			Effects []struct {
				From, To                 string
				Mean, SD, Q05, Q50, Q95  float64
				Path, Positive, Negative float64
				InSD                     float64 `json:"mean_in_sd"`
				Curve                    []struct{ Level, Value, Mean float64 }
			}
		}
		out := succeed(t, "effect", "run", "--from", row[0], "--to", row[1], "--json").stdout
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Effects) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		e := got.Effects[0]
		for k, v := range []float64{e.Mean, e.SD, e.Q05, e.Q50, e.Q95, e.Path, e.InSD} {
			if v != parseFloat(t, row[k+2]) {
				t.Errorf("%s of %s on %s: effect says %v, %s %s", header[k+2], row[0], row[1], v,
					effectsFile, row[k+2])
			}
		}
		if math.Abs(e.Positive+e.Negative-e.Path) > 1e-9 || len(e.Curve) != 5 {
			t.Errorf("effect %+v", e)
		}
		first, last := e.Curve[0], e.Curve[4]
		if slope := (last.Mean - first.Mean) /
			(last.Value - first.Value); math.Abs(slope-e.Mean) > 1e-9*(1+math.Abs(e.Mean)) {
			t.Errorf("curve of slope %v, effect %v", slope, e.Mean)
		}
		text := succeed(t, "effect", "run", "--from", row[0], "--to", row[1]).stdout
		for _, want := range []string{"Total effect of " + row[0], "in units of the data",
			"Posterior of the effect", "quantiles of its column", "█",
			fmt.Sprintf("%.2f", e.Path)} {
			if !strings.Contains(text, want) {
				t.Errorf("effect of %s on %s lacks %q:\n%s", row[0], row[1], want, text)
			}
		}
	}
	if got := succeed(t, "effect", "run", "--from", "X1").stdout; strings.Count(got, "\n") != 9 {
		t.Errorf("effects of X1 on the five others:\n%s", got)
	}
}

// Predictions are the draws' expected values averaged by their weights, and move by the
// effect with the value that is set.
func TestPredict(t *testing.T) {
	saveRun(t)
	type prediction struct {
		Warnings    []string
		Predictions []struct {
			Column   string
			Expected struct{ Mean, SD, Q05, Q95 float64 }
			New      struct{ Mean, SD, Q05, Q95 float64 } `json:"new_observation"`
		}
	}
	at := func(args ...string) (p prediction) {
		t.Helper()
		must.Do(t, json.Unmarshal(
			[]byte(succeed(t, append([]string{"predict", "run", "--json"}, args...)...).stdout),
			&p))
		return p
	}
	one, two := at("--do", "X1=0.25"), at("--do", "X1=1.25")
	for k, p := range one.Predictions {
		if p.Column == "X1" || p.Expected.Q05 > p.Expected.Mean || p.New.Q95 <= p.Expected.Q95 ||
			p.New.SD <= p.Expected.SD || p.New.Mean != p.Expected.Mean {
			t.Errorf("prediction %+v", p)
		}
		var e struct{ Effects []struct{ Mean float64 } }
		must.Do(t, json.Unmarshal([]byte(succeed(t, "effect", "run", "--from", "X1", "--to",
			p.Column, "--json").stdout), &e))
		if slope := two.Predictions[k].Expected.Mean -
			p.Expected.Mean; math.Abs(slope-e.Effects[0].Mean) > 1e-9 {
			t.Errorf("%s moves by %v, effect %v", p.Column, slope, e.Effects[0].Mean)
		}
	}
	lines := strings.Split(
		strings.TrimSpace(succeed(t, "predict", "run", "--do", "X1=0.25", "--rows").stdout), "\n")
	if len(lines) != 1001 || lines[0] != "weight,X0,X1,X2,X3,X4,X5" {
		t.Fatalf("%d rows after %q", len(lines)-1, lines[0])
	}
	sum, total := 0.0, 0.0
	for _, line := range lines[1:] {
		f := strings.Split(line, ",")
		w := parseFloat(t, f[0])
		total += w
		sum += w * parseFloat(t, f[1])
		if f[2] != "0.25" {
			t.Fatalf("row %q: X1 is set to 0.25", line)
		}
	}
	if want := one.Predictions[0].Expected.Mean; math.Abs(total-1) > 1e-9 ||
		math.Abs(sum-want) > 1e-9 {
		t.Errorf("rows of the weight %v with the mean %v, want %v", total, sum, want)
	}
	got := succeed(t, "predict", "run", "--do", "X1=1000", "--do", "X2=0")
	if !strings.Contains(got.stderr, "tobac: warning: X1 = 1000 is outside the range of the") ||
		strings.Contains(got.stderr, "X2 =") {
		t.Errorf("warnings %q", got.stderr)
	}
	for _, want := range []string{"do X1 = 1000, X2 = 0", "E if nothing is set",
		"90 % of a new observation", "draws, effective sample size "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("prediction lacks %q:\n%s", want, got.stdout)
		}
	}
	if w := at("--do", "X1=1000").Warnings; len(w) != 1 {
		t.Errorf("warnings %q", w)
	}
	if got := succeed(t, "predict", "run").stdout; !strings.Contains(got, "nothing is set") ||
		strings.Contains(got, "E if nothing") {
		t.Errorf("prediction without --do:\n%s", got)
	}
}

// Standardising changes no answer of a model that does not depend on units.
func TestAnswersOfStandardisedColumns(t *testing.T) {
	simulated(t)
	var tables [2]string
	for k, args := range [][]string{{"--out", "plain"},
		{"--out", "scaled", "--set", "data.standardize=true"}} {
		succeed(t, append(quick("fit", "data/train.csv", "--model", "bge", "--engine", "exact"),
			args...)...)
		tables[k] = succeed(t, "predict", args[1], "--do", "X1=0.5", "--json").stdout
	}
	var all [2]struct {
		Predictions []struct {
			Expected struct{ Mean, SD float64 }
		}
	}
	for k := range all {
		must.Do(t, json.Unmarshal([]byte(tables[k]), &all[k]))
	}
	for k, p := range all[0].Predictions {
		q := all[1].Predictions[k]
		if math.Abs(p.Expected.Mean-q.Expected.Mean) > 1e-6 ||
			math.Abs(p.Expected.SD-q.Expected.SD) > 1e-6 {
			t.Errorf("prediction %+v, of standardised columns %+v", p, q)
		}
	}
}

// Particles have means without ±, graphs alone no answers.
func TestAnswersWithoutSpread(t *testing.T) {
	saveRun(t, "--engine", "svgd", "--set", "svgd.steps=100", "--set", "order.count=2")
	for _, args := range [][]string{{"effect", "run", "--from", "X1", "--to", "X2"},
		{"predict", "run", "--do", "X1=0"}} {
		if got := succeed(t, args...).stdout; strings.Contains(got, "±") ||
			strings.Contains(got, "interval") ||
			!strings.Contains(got, "not a posterior standard deviation") {
			t.Errorf("%v of particles:\n%s", args, got)
		}
	}
	_, rows := csvRows(t, "run", effectsFile)
	for _, row := range rows {
		if row[2] == "" || row[3]+row[4]+row[5]+row[6] != "" {
			t.Errorf("effect of particles %v", row)
		}
	}
	saveRun(t, "--engine", "svgd", "--model", "bge", "--set", "svgd.steps=20", "--set",
		"order.count=2")
	if _, err := os.Stat("run/" + effectsFile); err == nil {
		t.Error("effects of graphs alone")
	}
	for _, args := range [][]string{{"effect", "run", "--from", "X1"}, {"predict", "run"}} {
		if got := runTobac(t, args...); got.code != cli.ExitFailed ||
			!strings.Contains(got.stderr, "no parameters") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestAnswerFaults(t *testing.T) {
	saveRun(t)
	must.Do(t, os.Mkdir("empty", 0o777))
	must.Do(t, os.Mkdir("broken", 0o777))
	for name, text := range map[string]string{particlesFile: readFile(t, "run", particlesFile),
		"summary.json": "{"} {
		must.Do(t, os.WriteFile("broken/"+name, []byte(text), 0o644))
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"effect run", cli.ExitUsage, "tobac effect needs --from A, the column that is set"},
		{"effect", cli.ExitUsage,
			"tobac effect takes one folder written by tobac fit --out, got none"},
		{"effect run --from a", cli.ExitUsage,
			`--from: no column is named "a"; allowed: "X0", "X1"`},
		{"effect run --from X1 --to a", cli.ExitUsage,
			`--to: no column is named "a"; allowed: "X0", "X1"`},
		{"effect run --from X1 --to X1", cli.ExitUsage, "--from and --to are the same column"},
		{"effect none --from X1", cli.ExitFailed,
			"none: no such file or directory; allowed: a folder written by tobac fit --out"},
		{"effect data/train.csv --from X1", cli.ExitFailed,
			"data/train.csv: a file; allowed: a folder written by tobac fit --out"},
		{"effect empty --from X1", cli.ExitFailed,
			"empty: no particles.json in it; allowed: a folder written by tobac fit --out"},
		{"effect broken --from X1", cli.ExitFailed,
			"broken/summary.json: unexpected end of JSON input"},
		{"predict run --do X1", cli.ExitUsage, `--do "X1": no value; allowed: COLUMN=VALUE`},
		{"predict run --do X1=a", cli.ExitUsage,
			`--do "X1=a": the value is "a"; allowed: numbers of magnitude up to 1e+50`},
		{"predict run --do X1=NaN", cli.ExitUsage,
			`--do "X1=NaN": the value is "NaN"; allowed: numbers of magnitude up to 1e+50`},
		// its square is infinite
		{"predict run --do X1=1e200", cli.ExitUsage,
			`--do "X1=1e200": the value is "1e200"; allowed: numbers of magnitude up to 1e+50`},
		{"predict run --do X1=1 --do X1=2", cli.ExitUsage, `--do sets "X1" twice`},
		{"predict run --do Y=1", cli.ExitUsage, `--do: no column is named "Y"; allowed:`},
		{"predict run --do X0=1 --do X1=1 --do X2=1 --do X3=1 --do X4=1 --do X5=1", cli.ExitUsage,
			"--do sets every column, which leaves nothing to predict"},
		{"predict run --rows --json", cli.ExitUsage, "--rows and --json contradict each other"},
	} {
		got := runTobac(t, strings.Fields(c.args)...)
		if got.code != c.code || !strings.HasPrefix(got.stderr, "tobac: "+c.want) ||
			got.stdout != "" {
			t.Errorf("tobac %s: %+v, want %d and %q", c.args, got, c.code, c.want)
		}
	}
}

// The report begins with the pairs and the verdict, which says what is conditional on one order, in
// five sentences or, with --details, in those of summary.json. It has 40 lines at most.
func TestVerdictIsPrinted(t *testing.T) {
	simulated(t)
	for _, args := range []string{"", "--engine exact --model linear --order X0,X1,X2,X3,X4,X5",
		"--engine svgd --order eqvar"} {
		got := succeed(t,
			quick(append([]string{"fit", "data/train.csv", "--details", "--out", "run"},
				strings.Fields(args)...)...)...)
		_, verdict, found := strings.Cut(got.stdout, "\nVerdict\n")
		verdict, rest, basis := strings.Cut(verdict, "\n\n")
		if !found || !basis || !strings.HasPrefix(got.stdout, "Pairs") ||
			!strings.HasPrefix(rest, "data ") {
			t.Fatalf("the report is not pairs, verdict, data:\n%s", got.stdout)
		}
		short := succeed(t,
			quick(append([]string{"fit", "data/train.csv"}, strings.Fields(args)...)...)...).stdout
		_, brief, _ := strings.Cut(short, "\nVerdict\n")
		brief, _, _ = strings.Cut(brief, "\n\n")
		if lines, sentences := strings.Count(short, "\n"),
			strings.Count(brief, "      - "); lines > 40 || sentences > mostSentences ||
			sentences < 3 {
			t.Errorf("%d lines, %d sentences of the verdict:\n%s", lines, sentences, short)
		}
		s := parse(t, readFile(t, "run", "summary.json"))
		words := strings.Join(strings.Fields(verdict), " ")
		for _, sentence := range at(s, "verdict", "sentences").([]any) {
			if !strings.Contains(words, "- "+strings.Join(strings.Fields(sentence.(string)), " ")) {
				t.Errorf("screen lacks %q:\n%s", sentence, verdict)
			}
		}
		if conditional := strings.Contains(args, "--order"); strings.HasPrefix(got.stdout,
			"Pairs given the order ") != conditional ||
			strings.Contains(words, "conditional on the order") != conditional {
			t.Errorf("%s: conditional %v\n%s", args, conditional, got.stdout)
		}
	}
}

// A report of ten columns has 40 lines at most where nothing is certain too: few rows in which one
// factor moves every column, a little or much.
func TestUncertainReport(t *testing.T) {
	for name, noise := range map[string]float64{"tight": 0.5, "loose": 1.5} {
		rng := rand.New(rand.NewPCG(12, 5))
		text := "a,b,c,d,e,f,g,h,i,j\n"
		for range 14 {
			factor := rng.NormFloat64()
			var row []string
			for range 10 {
				row = append(row, fmt.Sprintf("%.4f", factor+noise*rng.NormFloat64()))
			}
			text += strings.Join(row, ",") + "\n"
		}
		inFolder(t, map[string]string{"table.csv": text})
		got := succeed(t, "fit", "table.csv", "--beside", "none", "--out", "run").stdout
		if lines := strings.Count(got, "\n"); lines > 40 ||
			!strings.Contains(got, "less probable pairs") {
			t.Errorf("%s: %d lines, want at most 40:\n%s", name, lines, got)
		}
	}
}

// FuzzReadEffects: any bytes give effects of variables, or an error with its place.
func FuzzReadEffects(f *testing.F) {
	for _, text := range []string{effectsHeader + "\na,b,1.5,0.1,1,1.5,2,1,0.5\nb,a,1,,,,,1,\n",
		effectsHeader + "\na,c,1,1,1,1,1,1,1\n", "from,to\n", "",
		effectsHeader + "\na,b,x,,,,,,\n"} {
		f.Add([]byte(text))
	}
	names := []string{"a", "b"}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := readEffects(bytes.NewReader(data), "effects.csv", names)
		if err != nil {
			if located := new(delimited.Error); !errors.As(err, &located) {
				t.Fatalf("error is a %T: %v", err, err)
			}
			return
		}
		for _, e := range all {
			if e.From < 0 || e.From > 1 || e.To < 0 || e.To > 1 {
				t.Fatalf("effect %+v", e)
			}
		}
	})
}

// The functions of a fit under Gaussian processes are saved: they give the same effects again, and
// predictions.
func TestEffectsOfProcesses(t *testing.T) {
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "4", "--edges-per-node", "1", "--samples", "40", "--out",
		"data")
	succeed(t, "fit", "data/train.csv", "--model", "gp", "--set", "prior.max-parents=2", "--engine",
		"exact", "--set", "results.report=false", "--out", "run")
	_, rows := csvRows(t, "run", effectsFile)
	row := rows[0]
	var got struct {
		Effects []struct{ Mean, SD, Q05, Q95, Path float64 }
	}
	must.Do(t, json.Unmarshal([]byte(succeed(t, "effect", "run", "--from", row[0], "--to", row[1],
		"--json").stdout), &got))
	for k, v := range []float64{got.Effects[0].Mean, got.Effects[0].SD, got.Effects[0].Q05} {
		if v != parseFloat(t, row[2+k]) {
			t.Errorf("effect %+v, %s has %v", got.Effects[0], effectsFile, row)
		}
	}
	if text := succeed(t, "effect", "run", "--from", row[0]).stdout; !strings.Contains(text,
		"90 % interval") || !strings.Contains(text, "above 0") {
		t.Errorf("effects:\n%s", text)
	}
	var free struct {
		Predictions []struct {
			Column string
			Mean   struct{ Mean float64 }
		}
	}
	must.Do(t, json.Unmarshal([]byte(succeed(t, "predict", "run", "--json").stdout),
		&free))
	names, data := csvRows(t, "data", "train.csv")
	for _, p := range free.Predictions {
		column := slices.Index(names, p.Column)
		mean, square := 0.0, 0.0
		for _, row := range data {
			v := parseFloat(t, row[column]) / float64(len(data))
			mean, square = mean+v, square+v*v*float64(len(data))
		}
		if math.Abs(p.Mean.Mean-mean) > 0.3*math.Sqrt(square-mean*mean) {
			t.Errorf("nothing set: %s has the mean %v, expected %v", p.Column, mean, p.Mean.Mean)
		}
	}
	refuses(t, "predict run --do X0=1 --do X0=2", cli.ExitUsage, `--do sets "X0" twice`)
	must.Do(t, os.WriteFile("run/"+functionsFile, []byte("{}"), 0o644))
	if got := runTobac(t, "predict", "run"); got.code != cli.ExitFailed ||
		!strings.Contains(got.stderr, "run/"+functionsFile) {
		t.Errorf("predict: %+v", got)
	}
	// A consensus graph with undirected edges is no truth.
	must.Do(t, os.WriteFile("partly.csv", []byte("source,target,type\nX0,X1,->\nX1,X2,--\n"),
		0o644))
	refuses(t, "eval --truth partly.csv run", cli.ExitFailed,
		`partly.csv: 1 edge without direction ("X1" -- "X2"); allowed: a graph in which every edge has one`)
}
