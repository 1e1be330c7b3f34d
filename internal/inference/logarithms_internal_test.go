package inference

import (
	"context"
	"math"
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/must"
)

// What is recorded is what the table has.
func TestRecordedSupport(t *testing.T) {
	if testing.Short() {
		t.Skip("fits all equations of two parents")
	}
	data, _ := must.Two(dataset.Sachs())(t)
	p := &engine.Problem{Data: data, Workers: 2}
	p.Report = func(engine.Progress) {}
	got := must.Get(LogSupport(context.Background(), p))(t)
	logs := must.Get(data.Log())(t)
	want, err := logSupport(context.Background(), p, logs)
	if _, ok := recordedSupport[dataset.Digest(nil, data.X)]; err != nil || !ok ||
		math.Abs(got-want) > 0.01 {
		t.Errorf("recorded %v, computed %v for %s: %v", got, want, dataset.Digest(nil, data.X), err)
	}
}
