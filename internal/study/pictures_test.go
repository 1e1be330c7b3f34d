package study_test

import (
	"context"
	"strings"
	"testing"

	"tobac/internal/must"
	"tobac/internal/study"
)

// stoodIn are results in which the outcome of the graph without edges stands for that of every
// method on the same data.
func stoodIn(t *testing.T, studies []study.Study) *study.Results {
	t.Helper()
	empty := map[string][]byte{}
	cells := study.Cells(studies)
	for _, c := range cells {
		if c.Method.Kind != study.EmptyKind {
			continue
		}
		output := must.Get(study.Functions()[study.JobKind](context.Background(), c.Job()))(t)
		empty[c.Data.Name] = output
	}
	outputs := make([][]byte, len(cells))
	for i, c := range cells {
		outputs[i] = empty[c.Data.Name]
	}
	return must.Get(study.Collect(studies, outputs, make([]string, len(cells)),
		make([]float64, len(cells))))(t)
}

// Every picture of every study, with a line for each method, is drawn, with names that are not cut,
// short ones of panels, methods in the sequence of the tables, and in the legend the kinds that it
// has.
func TestPictures(t *testing.T) {
	r := stoodIn(t, all(t, study.Options{Runs: 1, Seed: 1}))
	want := map[string][]string{
		"size-eshd": {">d = 10, n = 100<", ">d = 20, n = 100<", ">d = 50, n = 100<",
			">d = 10, n = 500<", ">graph without edges<"},
		"linear-eshd": {">linear data, d = 20, n = 100<", ">40 expected edges<",
			">80 expected edges<", ">TOBAC<", ">baselines<"},
		"nonlinear-eshd": {">40 expected edges<", ">80 expected edges<"},
		"order-eshd": {">TOBAC, EqVar<", ">TOBAC, NPVar<", ">TOBAC, NPVar as released<",
			">TOBAC, SCORE<", ">TOBAC<", ">baselines<"},
	}
	for _, s := range r.Studies {
		drawings, notes := r.Drawings(s)
		if len(notes) > 0 {
			t.Errorf("%s: %q", s.Name, notes)
		}
		for _, d := range drawings {
			svg := string(d.Figure.SVG(d.Name))
			if strings.Contains(svg, "…") {
				t.Errorf("%s: a text is cut", d.Name)
			}
			for _, text := range want[d.Name] {
				if !strings.Contains(svg, text) {
					t.Errorf("%s: lacks %s", d.Name, text)
				}
			}
			if d.Name == "order-eshd" && strings.Contains(svg, ">other methods of the paper<") {
				t.Errorf("%s: the legend has a kind of methods that is not drawn", d.Name)
			}
			delete(want, d.Name)
			if d.Name != "size-eshd" {
				continue
			}
			for before, methods := 0, []string{"EqVar, stepwise BIC", "exact, true order",
				"exact, all orders", "Markov chains",
				"this program&#39;s default"}; len(methods) > 0; methods = methods[1:] {
				at := strings.Index(svg, ">"+methods[0]+"<")
				if at < before {
					t.Errorf("%s: %s is missing, or stands before its place", d.Name, methods[0])
				}
				before = at
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not drawn: %v", want)
	}
}

// A row of Table I that differs from the published one by more than two standard errors has its
// reason below the table, where there is one.
func TestReasonsOfTableI(t *testing.T) {
	s := must.Get(study.New(study.TableOne, study.Options{Runs: 5, Seed: 1}))(t)
	beside, ok := stoodIn(t, []study.Study{s}).BesidePublished()
	if !ok {
		t.Fatal("no table")
	}
	// of graphs without edges: E-SHD 17 and AUROC 0.5, without spread
	for k, p := range study.TableI() {
		differs := strings.HasPrefix(beside.Rows[k][4], "no") ||
			strings.HasPrefix(beside.Rows[k][8], "no")
		if strings.HasSuffix(p.Row, "+") { // a single graph has no mixture
			continue
		}
		if differs != (p.Row != "empty") {
			t.Errorf("%s: %q and %q", p.Method, beside.Rows[k][4], beside.Rows[k][8])
		}
		if p.Reason != "" && !strings.Contains(beside.Note, p.Method+": "+p.Reason) {
			t.Errorf("%s: no reason in %q", p.Method, beside.Note)
		}
	}
	s = must.Get(study.New(study.TableOne, study.Options{Runs: 4, Seed: 1}))(t)
	if few, _ := stoodIn(t, []study.Study{s}).BesidePublished(); strings.Contains(few.Note,
		"released program") {
		t.Errorf("a reason where too few runs decide: %q", few.Note)
	}
}
