package study_test

import (
	"encoding/json"
	"math"
	"testing"

	"tobac/internal/study"
)

// A cell of networks says how far its posterior is from the reference, which two of them share;
// that of tempering itself is nearest.
func TestNetworksBesideTheirReference(t *testing.T) {
	data := study.SimulatedData(study.Nonlinear, 6, 1, 4, 1, 4)[0]
	shared := study.Functions()[study.JobKind]
	off := map[string]float64{}
	for _, row := range one(t, study.Networks, study.Options{Seed: 1}).Sections[0].Rows {
		if row.Name != "gp-true" && row.Name != "tempering-true" {
			continue
		}
		c := study.Cell{Data: data, Method: row.Method, Seed: 1}
		text, err := shared(t.Context(), c.Job())
		if err != nil {
			t.Fatal(err)
		}
		var o study.Outcome
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		e := o.Exact
		if e == nil || !(math.Abs(float64(e.LogProbDifference)) < 3) {
			t.Fatalf("%s: %+v", row.Name, e)
		}
		off[row.Name] = float64(e.MeanAbsError)
	}
	if !(off["tempering-true"] < 0.02 && off["tempering-true"] < off["gp-true"]) {
		t.Errorf("mean absolute errors %v", off)
	}
}
