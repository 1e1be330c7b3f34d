package svgd_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// outsideError names particles, as models.OutsideError.
type outsideError []int

func (e outsideError) Error() string  { return "outside" }
func (e outsideError) Outside() []int { return e }

// exponential is the density e^(−x) of positive x, in one block.
type exponential struct{}

func (exponential) Score(dst, x []*mat.Dense, _ int) error {
	var outside outsideError
	n, _ := x[0].Dims()
	for i := range n {
		dst[0].Set(i, 0, -1)
		if !(x[0].At(i, 0) > 0) {
			dst[0].Set(i, 0, math.NaN())
			outside = append(outside, i)
		}
	}
	if outside != nil {
		return outside
	}
	return nil
}

// TestOutside: a particle outside of the support ends the run, is kept where it is, or is
// put elsewhere; the others move, and the recorder sees it.
func TestOutside(t *testing.T) {
	start := []float64{3, -2, 1, 5}
	run := func(s svgd.Sampler, steps int) (*mat.Dense, []int, error) {
		x := mat.NewDense(4, 1, slices.Clone(start))
		var seen []int
		s.Target = exponential{}
		s.Recorder = func(st svgd.Stats) {
			if st.Step == 0 {
				seen = slices.Clone(st.Outside)
			}
		}
		return x, seen, s.Run(t.Context(), []*mat.Dense{x}, 0, steps)
	}
	x, _, err := run(svgd.Sampler{}, 1)
	var named outsideError
	if !errors.As(err, &named) || !slices.Equal(named, []int{1}) ||
		!slices.Equal(x.RawMatrix().Data, start) {
		t.Errorf("stopped: got error %v and particles %v", err, x.RawMatrix().Data)
	}
	x, seen, err := run(svgd.Sampler{Outside: svgd.KeepOutside}, 20)
	if err != nil || x.At(1, 0) != -2 || x.At(0, 0) == 3 || !slices.Equal(seen, []int{1}) {
		t.Errorf("kept: got error %v, particles %v, outside %v", err, x.RawMatrix().Data, seen)
	}
	x, seen, err = run(svgd.Sampler{Outside: svgd.RedrawOutside}, 1)
	if err != nil || !(x.At(1, 0) > 0) || !slices.Equal(seen, []int{1}) {
		t.Errorf("redrawn: got error %v, particles %v, outside %v", err, x.RawMatrix().Data, seen)
	}
	x, _, err = run(svgd.Sampler{Outside: svgd.RedrawOutside, Redraw: func(point [][]float64, step,
		particle int) {
		point[0][0] = float64(10*particle + step)
	}}, 1)
	if err != nil || x.At(1, 0) != 10 {
		t.Errorf("redrawn by the caller: got error %v, particles %v", err, x.RawMatrix().Data)
	}
	start = []float64{-1, -2, -3, -4}
	for _, o := range []svgd.Outside{svgd.KeepOutside, svgd.RedrawOutside} {
		if _, _, err := run(svgd.Sampler{Outside: o}, 1); !errors.As(err, &named) {
			t.Errorf("all outside, %v: got error %v, want that of the target", o, err)
		}
	}
}
