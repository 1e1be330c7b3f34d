package bench_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/bench"
	"tobac/metrics"
	"tobac/posterior"
)

// A table has a row for each method of each section, with means over its problems.
func TestWriteMarkdown(t *testing.T) {
	outcome := func(method string, eshd, auroc float64) bench.Outcome {
		return bench.Outcome{Method: method, Seconds: 2, Listed: &metrics.EdgeReport{
			ESHD: metrics.Number(eshd), AUROC: metrics.Number(auroc), SkeletonAUROC: 1, LogScore: 0.5,
		}}
	}
	var got bytes.Buffer
	if err := bench.WriteMarkdown(&got, []bench.Section{
		{Problems: "one", Outcomes: []bench.Outcome{outcome("a", 3, 0.5), outcome("b", 4, 0.75)}},
		{Problems: "two", Outcomes: []bench.Outcome{outcome("a", 3, 0.5), outcome("a", 5, 0.7)}},
	}); err != nil {
		t.Fatal(err)
	}
	want := `| data | method | E-SHD | AUROC | skeleton AUROC | log score | seconds |
| --- | --- | --- | --- | --- | --- | --- |
| one | a | 3.0 | 0.500 | 1.000 | 0.500 | 2.0 |
| one | b | 4.0 | 0.750 | 1.000 | 0.500 | 2.0 |
| two | a | 4.0 ± 1.41 | 0.600 ± 0.141 | 1.000 ± 0.000 | 0.500 ± 0.000 | 2.0 ± 0.00 |
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// What there is of a posterior is judged: edge probabilities alone, and independent draws
// without their reweighting by density, which may be unknown.
func TestJudgeWhatThereIs(t *testing.T) {
	truth := graph(t, 2, [2]int{0, 1})
	p := &posterior.Posterior{Names: []string{"a", "b"}}
	p.Probabilities = mat.NewDense(2, 2, []float64{0, 0.75, 0.25, 0})
	o, err := (&bench.Fitted{Posterior: p}).Judge(truth)
	if err != nil {
		t.Fatal(err)
	}
	if o.Listed.ESHD != 0.25 || o.Empirical != nil || o.Mixture != nil {
		t.Errorf("probabilities alone: got E-SHD %v, reports %v and %v, want 0.25, none and none", o.Listed.ESHD, o.Empirical, o.Mixture)
	}
	p.Kind, p.Draws = posterior.Draws, []posterior.Draw{{Graph: truth}, {Graph: graph(t, 2)}}
	if o, err = (&bench.Fitted{Posterior: p}).Judge(truth); err != nil {
		t.Fatal(err)
	}
	if o.Empirical == nil || o.Empirical.ESHD != 0.5 || o.Mixture != nil {
		t.Errorf("draws: got reports %v and %v, want an E-SHD of 0.5 and no mixture", o.Empirical, o.Mixture)
	}
	var table bytes.Buffer
	if err := bench.WriteTable(&table, []bench.Outcome{o}); err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(table.Bytes(), []byte("\n")); lines != 2 {
		t.Errorf("got %d lines, want the head and one:\n%s", lines, table.String())
	}
}
