package svgd_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/schedule"
	"tobac/svgd"
)

// ascend feeds the directions phi to an optimiser of one coordinate and returns
// the positions after each.
func ascend(t *testing.T, o svgd.Optimizer, s *svgd.State, x float64, phi ...float64) []float64 {
	t.Helper()
	path := make([]float64, len(phi))
	for i, p := range phi {
		delta := mat.NewDense(1, 1, []float64{p})
		must.Do(t, o.Update([]*mat.Dense{delta}, s, i))
		x += delta.At(0, 0)
		path[i] = x
	}
	return path
}

func wantSlice(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Errorf("%s[%d] = %.12g, want %.12g", what, i, got[i], want[i])
		}
	}
}

// TestRMSPropReference has the numbers of tobac.md 12.6: descent along gradients
// 2, −0.5, 1e-5, hence ascent along their negatives.
func TestRMSPropReference(t *testing.T) {
	var s svgd.State
	path := ascend(t, svgd.RMSProp{}, &s, 1, -2, 0.5, -1e-5)
	wantSlice(t, "x", path, []float64{0.984188612, 0.988217727, 0.988217642}, 5e-10)
	wantSlice(t, "a", s.Second[0], []float64{0.3465}, 1e-10)
}

// TestEpsilonConvention tells ε inside the root from ε outside: at φ = 1e-4 the
// two first steps of each optimiser differ by more than half.
func TestEpsilonConvention(t *testing.T) {
	const phi = 1e-4
	var s svgd.State
	wantSlice(t, "rmsprop", ascend(t, svgd.RMSProp{}, &s, 0, phi),
		[]float64{0.005 * phi / math.Sqrt(0.1*phi*phi+1e-8)}, 1e-15)
	s = svgd.State{}
	wantSlice(t, "adam", ascend(t, svgd.Adam{Epsilon: 1e-4}, &s, 0, phi),
		[]float64{0.001 * phi / (phi + 1e-4)}, 1e-15)
}

// TestAdamDefinition writes algorithm 1 of Kingma and Ba out with sums instead
// of recursions.
func TestAdamDefinition(t *testing.T) {
	phi := []float64{1, -2, 0.5, 0.25, 3}
	var s svgd.State
	path := ascend(t, svgd.Adam{}, &s, 1, phi...)
	x, want := 1.0, make([]float64, len(phi))
	for c := range phi {
		var a, v, wa, wv float64
		for i := 0; i <= c; i++ {
			ka, kv := math.Pow(0.9, float64(c-i)), math.Pow(0.999, float64(c-i))
			a, v = a+ka*phi[i], v+kv*phi[i]*phi[i]
			wa, wv = wa+ka, wv+kv
		}
		x += 0.001 * (a / wa) / (math.Sqrt(v/wv) + 1e-8)
		want[c] = x
	}
	wantSlice(t, "x", path, want, 1e-14)
}

func TestSGD(t *testing.T) {
	var s svgd.State
	wantSlice(t, "x", ascend(t, svgd.SGD{StepSize: 0.5}, &s, 1, 2, -4), []float64{2, 0}, 0)
	if diff := cmp.Diff(svgd.State{Count: 2}, s); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestZeroValuesAreDefaults(t *testing.T) {
	phi := []float64{1, -2, 0.5}
	for _, c := range []struct {
		name           string
		zero, explicit svgd.Optimizer
	}{
		{"sgd", svgd.SGD{}, svgd.SGD{StepSize: 0.005}},
		{"rmsprop", svgd.RMSProp{}, svgd.RMSProp{StepSize: 0.005, Decay: 0.9, Epsilon: 1e-8}},
		{"adam", svgd.Adam{}, svgd.Adam{StepSize: 0.001, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}},
		{"scheduled", svgd.Scheduled{}, svgd.RMSProp{}},
	} {
		var a, b svgd.State
		if diff := cmp.Diff(ascend(t, c.explicit, &b, 0, phi...),
			ascend(t, c.zero, &a, 0, phi...)); diff != "" {
			t.Errorf("%s (-explicit +zero):\n%s", c.name, diff)
		}
	}
}

// TestEveryOptimizerClimbs brings each optimiser to the top of −½Σ λ(x−1)².
func TestEveryOptimizerClimbs(t *testing.T) {
	lambda := []float64{0.5, 1, 4}
	for _, c := range []struct {
		name      string
		optimizer svgd.Optimizer
	}{
		{"sgd", svgd.SGD{StepSize: 0.1}},
		{"rmsprop", svgd.Scheduled{Optimizer: svgd.RMSProp{StepSize: 0.05},
			Factor: schedule.Ramp{From: 1, Start: 200, End: 2000}}},
		{"adam", svgd.Adam{StepSize: 0.05}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, delta := []float64{-1, 3, 0}, mat.NewDense(1, 3, nil)
			var s svgd.State
			for step := range 2000 {
				for i := range x {
					delta.Set(0, i, -lambda[i]*(x[i]-1))
				}
				must.Do(t, c.optimizer.Update([]*mat.Dense{delta}, &s, step))
				for i := range x {
					x[i] += delta.At(0, i)
				}
			}
			wantSlice(t, "x", x, []float64{1, 1, 1}, 1e-4)
		})
	}
}

func TestScheduledUsesStepNumber(t *testing.T) {
	o := svgd.Scheduled{Optimizer: svgd.SGD{StepSize: 1}, Factor: schedule.Growth(1)}
	delta := mat.NewDense(1, 1, []float64{2})
	if err := o.Update([]*mat.Dense{delta}, new(svgd.State), 7); err != nil ||
		delta.At(0, 0) != 14 {
		t.Errorf("increment %v, error %v, want 14", delta.At(0, 0), err)
	}
}

func TestStateJSON(t *testing.T) {
	s := svgd.State{
		Count:  3,
		First:  [][]float64{{math.Copysign(0, -1), 0.1, math.Pi}},
		Second: [][]float64{{math.SmallestNonzeroFloat64, math.MaxFloat64, 1.0 / 3}},
	}
	text := must.Get(json.Marshal(s))(t)
	var back svgd.State
	must.Do(t, json.Unmarshal(text, &back))
	bits := cmp.Transformer("bits", math.Float64bits)
	if diff := cmp.Diff(s, back, bits); diff != "" {
		t.Errorf("through JSON (-want +got):\n%s", diff)
	}
	copied := s.Clone()
	copied.First[0][1], copied.Second[0][1] = 5, 5
	if diff := cmp.Diff(back, s, bits); diff != "" {
		t.Errorf("clone shares memory (-want +got):\n%s", diff)
	}
}

func TestStateMismatch(t *testing.T) {
	delta := gaussianBlocks(1, 2, 3)
	for _, c := range []struct {
		name      string
		optimizer svgd.Optimizer
		state     svgd.State
		want      string
	}{
		{"blocks", svgd.RMSProp{}, svgd.State{Count: 1, Second: [][]float64{{1}, {1}}},
			"optimizer state does not fit: moment of 2 blocks, want 1"},
		{"entries", svgd.RMSProp{}, svgd.State{Count: 1, Second: [][]float64{{1}}},
			"optimizer state does not fit: moment of block 0 has 1 entries, want 2×3"},
		{"other optimizer", svgd.Adam{},
			svgd.State{Count: 4, Second: [][]float64{make([]float64, 6)}},
			"optimizer state does not fit: moment missing after 4 updates by another optimizer"},
		{"inside a schedule", svgd.Scheduled{}, svgd.State{Count: 4},
			"optimizer state does not fit: moment missing after 4 updates by another optimizer"},
	} {
		err := c.optimizer.Update(delta, &c.state, 0)
		if !errors.Is(err, svgd.ErrState) || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

func TestSettingsPanic(t *testing.T) {
	for _, c := range []struct {
		want      string
		optimizer svgd.Optimizer
	}{
		{"svgd: step size -1 is not positive", svgd.SGD{StepSize: -1}},
		{"svgd: step size NaN is not positive", svgd.RMSProp{StepSize: math.NaN()}},
		{"svgd: decay 1 is not below 1", svgd.RMSProp{Decay: 1}},
		{"svgd: epsilon -1 is not positive", svgd.Adam{Epsilon: -1}},
		{"svgd: beta2 2 is not below 1", svgd.Adam{Beta2: 2}},
	} {
		wantPanic(t, c.want, func() {
			_ = c.optimizer.Update(gaussianBlocks(1, 1, 1), new(svgd.State), 0)
		})
	}
}
