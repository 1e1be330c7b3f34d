package gorgonia_test

import (
	"log"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/autograd/internal/evaltest"
)

var engines = []ad.Engine{ad.Compiled, ad.Reference, gorgonia.Tape}

func nodes(n ...*ad.Node) []*ad.Node { return n }

// Helpers that the tests of autograd share.
var (
	normals, sizeOf, room, feeds = evaltest.Normals, evaltest.SizeOf, evaltest.Room,
		evaltest.Feeds
	eval, compare, mismatch, sameBits = evaltest.Eval, evaltest.Compare, evaltest.Mismatch,
		evaltest.SameBits
)

func runEngines(t *testing.T, inputs, outputs []*ad.Node, x [][]float64,
	tolerance float64) [][]float64 {
	t.Helper()
	return evaltest.RunEngines(t, engines, inputs, outputs, x, tolerance)
}

// run evaluates the outputs of an example once.
func run(inputs, outputs []*ad.Node, at ...[]float64) [][]float64 {
	ev, err := ad.NewEvaluator(inputs, outputs, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	dst := room(outputs)
	if err := ev.Eval(dst, feeds(at)); err != nil {
		log.Fatal(err)
	}
	return dst
}
