package autograd_test

import (
	"math"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/internal/evaltest"
	_ "tobac/internal/unwritten"
)

// Helpers that the tests of gorgonia share.
var (
	normals, sizeOf, room, feeds = evaltest.Normals, evaltest.SizeOf, evaltest.Room, evaltest.Feeds
	eval, compare, sameBits      = evaltest.Eval, evaltest.Compare, evaltest.SameBits
)

func runEngines(t *testing.T, inputs, outputs []*ad.Node, x [][]float64,
	tolerance float64) [][]float64 {
	t.Helper()
	return evaltest.RunEngines(t, engines, inputs, outputs, x, tolerance)
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}
