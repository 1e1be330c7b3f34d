package bcd_test

import (
	"reflect"
	"strings"
	"testing"

	"tobac/internal/bcd"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

func TestSchedule(t *testing.T) {
	s := bcd.Annealed()
	for step, want := range map[int]float64{0: 30, 4999: 30, 5000: 10, 9999: 10, 10000: 1,
		20000: .5, 59999: .5, 60000: .25, 99999: .25, 100000: .25} {
		if got := s.At(step, 100000); got != want {
			t.Errorf("temperature %v at step %d, want %v", got, step, want)
		}
	}
	for _, text := range []string{"30:0.05,10:0.1,1:0.2,0.5:0.6,0.25:1", "0.2:1"} {
		got, err := bcd.ParseSchedule(text)
		if err != nil || got.String() != text {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	if got, err := bcd.ParseSchedule("0.2"); err != nil ||
		!reflect.DeepEqual(got, bcd.Constant(.2)) {
		t.Errorf("0.2 is read as %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"": "TEMPERATURE:UNTIL", "1:.5": "want 1", "1:.5,2:.4,3:1": "stage 2 ends at 0.4",
		"0:1": "temperature 0 of stage 1", "NaN": "temperature NaN", "1;2": "TEMPERATURE:UNTIL",
	} {
		if _, err := bcd.ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestEdgeRuleText(t *testing.T) {
	for text, want := range map[string]string{"0.25": "units:0.25", "largest": "largest:0.3",
		"signs": "signs:0.95", "signs:0.8": "signs:0.8", "columns": "columns:0.3"} {
		got, err := bcd.ParseEdgeRule(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %v, %v, want %s", text, got, err, want)
			continue
		}
		if again, err := bcd.ParseEdgeRule(got.String()); err != nil || again.String() != want {
			t.Errorf("%s is read as %v, %v", got, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "want a number or columns", "sign": "want a number or columns",
		"signs:": "behind the colon", "signs:0.4": "above 0.5", "largest:1": "below 1",
		"-1": "above 0", "0": "above 0", "units:NaN": "above 0",
	} {
		if _, err := bcd.ParseEdgeRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

// The rules on two draws of three variables.
func TestEdgeRules(t *testing.T) {
	for text, want := range map[string][2][]float64{
		"units:0.3":   {{0, 2, .4, 0, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0, 0, 0, 0}},
		"largest:0.3": {{0, 2, 0, 0, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0, 0, 0, 0}},
		"signs:0.95":  {{0, 0, .4, 0, 0, .1, 0, 0, 0}, {0, 0, .2, 0, 0, 0, 0, .3, 0}},
	} {
		rule := must.Get(bcd.ParseEdgeRule(text))(t)
		first := mat.NewDense(3, 3, []float64{0, 2, .4, 0, 0, .1, 0, 0, 0})
		second := mat.NewDense(3, 3, []float64{0, -1, .2, 0, 0, 0, 0, .3, 0})
		bcd.ApplyEdges(rule, []*mat.Dense{first, second})
		near(t, text, first.RawMatrix().Data, want[0][:], 0)
		near(t, text, second.RawMatrix().Data, want[1][:], 0)
	}
}

func TestDefaults(t *testing.T) {
	s := bcd.Settings{}.WithDefaults(100, 20)
	want := "steps 20000, batch 64, learning rate 0.001, L2 0, temperature " +
		"30:0.05,10:0.1,1:0.2,0.5:0.6,0.25:1, horseshoe scale 0.1579400566050436, 3 starts"
	if got := s.String(); got != want || s.Draws != 1000 || s.EvaluationTemperature != 0.25 ||
		s.TraceEvery != 400 {
		t.Errorf("defaults\n%s\nwant\n%s", got, want)
	}
	p := bcd.Paper().WithDefaults(100, 20)
	want = "steps 30000, batch 256, learning rate 0.001, L2 1, temperature 0.2:1, horseshoe " +
		"scale 0.011764705882352941"
	if got := p.String(); got != want || p.EvaluationTemperature != 1 ||
		p.Edges.String() != "units:0.3" {
		t.Errorf("paper\n%s\nwant\n%s", got, want)
	}
	if !reflect.DeepEqual(p, p.WithDefaults(100, 20)) {
		t.Error("defaults are filled in differently the second time")
	}
}
