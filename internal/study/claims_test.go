package study_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/study"
	"tobac/metrics"
)

// invented makes outcomes of studies out of three numbers of each line: what a cell finds follows
// from the run alone.
func invented(t *testing.T, studies []study.Study,
	of func(name string, run int, plus bool) (eshd, auroc, negLL float64)) *study.Results {
	t.Helper()
	cells := study.Cells(studies)
	outputs := make([][]byte, len(cells))
	seconds := make([]float64, len(cells))
	run := map[string]int{}
	for _, s := range studies {
		for _, section := range s.Sections {
			for r, d := range section.Data {
				run[d.Name] = r
			}
		}
	}
	for i, c := range cells {
		view := func(plus bool) *study.View {
			eshd, auroc, negLL := of(c.Method.Name, run[c.Data.Name], plus)
			return &study.View{
				Edges: &metrics.EdgeReport{ESHD: metrics.Number(eshd),
					AUROCWithDiagonal: metrics.Number(auroc)},
				Draws:         &metrics.Report{NegLL: metrics.Number(negLL)},
				Probabilities: []float64{0, 1, 0, 0}, Calibration: make([]study.Bin, 10),
			}
		}
		o := study.Outcome{Edges: 1, Variables: 2, HeldOutRows: 10,
			TrueEdges: []dag.Edge{{From: 0, To: 1}}, Names: []string{"a", "b"},
			Violated: metrics.Number(run[c.Data.Name] % 2)}
		if c.Method.Name == "tobac-score" {
			o.Violated = metrics.Number(5 * run[c.Data.Name])
		}
		o.Listed = view(false)
		if strings.HasPrefix(c.Method.Name, "tobac") || c.Method.Name == "dibs" {
			o.Empirical, o.Mixture = view(false), view(true)
		}
		outputs[i] = must.Get(json.Marshal(o))(t)
	}
	return must.Get(study.Collect(studies, outputs, make([]string, len(cells)), seconds))(t)
}

// verdicts of the five claims.
func verdicts(r *study.Results) (all []study.Verdict) {
	for _, c := range r.Claims() {
		all = append(all, c.Verdict())
	}
	return all
}

// Claims hold on numbers that agree with them, do not on numbers that contradict one part, and are
// open where the runs scatter or are too few.
func TestClaims(t *testing.T) {
	studies := all(t, study.Options{Runs: 6, Seed: 1})
	agreeing := func(name string, run int, plus bool) (eshd, auroc, negLL float64) {
		noise := []float64{0, 0.3, -0.2, 0.1, -0.3, 0.2}[run]
		eshd, auroc, negLL = 10+noise, 0.9, 100
		switch name {
		case "dibs":
			eshd, auroc, negLL = 20+10*noise, 0.8, 200
		case "tobac-score":
			eshd += 20 * noise
		case "bcd", "gfn":
			eshd, auroc = 30+noise, 0.7
		}
		if plus {
			eshd, auroc, negLL = eshd-2, auroc-0.04+0.001*noise, negLL-10
		}
		return eshd, auroc, negLL
	}
	r := invented(t, studies, agreeing)
	for i, v := range verdicts(r) {
		// The numbers are the same at every size, so that nothing drifts apart or gets worse with
		// more rows.
		if want := []study.Verdict{study.Holds, study.Holds, study.Undecided, study.Holds,
			study.Holds}[i]; v != want {
			for _, p := range r.Claims()[i].Parts {
				t.Logf("%s: %s (%s)", p.Text, p.Verdict, p.Numbers)
			}
			t.Errorf("claim %d: got %q, want %q", i+1, v, want)
		}
	}
	if p := r.Claims()[0].Parts[4]; !strings.Contains(p.Text,
		"AUROC with diagonal of TOBAC, EqVar is at most 0.05 below that of DiBS") ||
		!strings.HasPrefix(p.Numbers, "0.9 against 0.8, difference 0.1 ±") {
		t.Errorf("a part with a margin reads %q: %s", p.Text, p.Numbers)
	}
	// Where some cells are missing, the figures are of the data sets that both lines have.
	partial := invented(t, studies,
		func(name string, run int, plus bool) (eshd, auroc, negLL float64) {
			if eshd, auroc, negLL = agreeing(name, run, plus); name == "dibs" && run > 1 {
				return math.NaN(), auroc, negLL
			}
			return eshd, auroc, negLL
		})
	if p := partial.Claims()[0].Parts[0]; !strings.HasPrefix(p.Numbers,
		"10.15 against 21.5, difference -11.3 ±") {
		t.Errorf("%s, of the two data sets that both have: %s", p.Text, p.Numbers)
	}
	contradicting := func(name string, run int, plus bool) (eshd, auroc, negLL float64) {
		if name == "dibs" {
			return 5 + 0.1*float64(run), 0.95, 50
		}
		return agreeing(name, run, plus)
	}
	for i, v := range verdicts(invented(t, studies, contradicting))[:3] {
		if v != study.Fails {
			t.Errorf("claim %d: got %q where DiBS is better", i+1, v)
		}
	}
	for i, v := range verdicts(invented(t, all(t, study.Options{Runs: 1, Seed: 1}), agreeing)) {
		if v != study.Undecided {
			t.Errorf("claim %d: got %q from a single run", i+1, v)
		}
	}
	some := must.Get(study.Only(studies, []string{"empty"}))(t)
	for i, v := range verdicts(invented(t, some, agreeing)) {
		if v != study.NotCovered {
			t.Errorf("claim %d: got %q without a method of the paper", i+1, v)
		}
	}
}

// The tables: means with standard errors, differences in pairs, agreement with what was published.
func TestTables(t *testing.T) {
	studies := all(t, study.Options{Runs: 5, Seed: 1})[:1]
	r := invented(t, studies, func(name string, run int, plus bool) (eshd, auroc, negLL float64) {
		if name == study.Baseline {
			return 15.5 + float64(run)/10, 0.6, 100
		}
		return 17 + float64(run)/10, 0.5, math.NaN()
	})
	var text bytes.Buffer
	d, drawings := r.Document(study.About{Command: "tobac reproduce table1", Version: "v",
		Machine: "m", Date: "d"})
	if len(drawings) != 5 {
		t.Errorf("%d pictures, want 5: no learning curves were invented, and Neg.LL has none",
			len(drawings))
	}
	must.Do(t, d.WriteMarkdown(&text))
	for _, want := range []string{
		"| TOBAC | 15.6 ± 0.42 | 15.6 ± 0.30 | 15.7 ± 0.16 | yes (0.7) |",
		"| DiBS | 15.9 ± 0.41 | 15.9 ± 0.14 | 17.2 ± 0.16 | no (8.",
		"| DiBS | 5 | 1.500 ± 0.000 | -0.100 ± 0.000 | – |",
		"| empty graph | 5 | 17.2 ± 0.07 |",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no line %q in\n%s", want, text.String())
		}
	}
}
