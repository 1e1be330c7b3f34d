package priors

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"
)

// The terms of a prior with known odds sum to its log probability, are the same as numbers, and
// differ from those without by the log odds of the edges that there are.
func TestInformedTerms(t *testing.T) {
	const d = 3
	plain := models.ErdosRenyi(0.3)
	odds := []float64{0, 0.5, -2, 0, 0, 1.25, 0, 0, 0}
	g := dag.New(d)
	g.Set(0, 2, true)
	g.Set(1, 2, true)
	for _, logOdds := range [][]float64{nil, odds} {
		p := informed{ModularPrior: plain, logOdds: logOdds}
		b := autograd.NewBuilder("prior")
		x := b.Input("g", autograd.Shape{d, d})
		run := must.Get(autograd.NewEvaluator([]*autograd.Node{x},
			[]*autograd.Node{p.LogProb(x), p.Terms(x)}, autograd.Options{}))(t)
		defer run.Close()
		whole, terms := make([]float64, 1), make([]float64, d)
		must.Do(t, run.Eval([][]float64{whole, terms},
			[]autograd.Feed{{Data: g.Matrix().RawMatrix().Data}}))
		sum := 0.0
		for j, got := range terms {
			want := plain.Term(d, j, g.Parents(j))
			for _, i := range g.Parents(j) {
				if logOdds != nil {
					want += logOdds[i*d+j]
				}
			}
			if number := p.Term(d, j, g.Parents(j)); !(math.Abs(got-want) <= 1e-12 &&
				math.Abs(number-want) <= 1e-12) {
				t.Errorf("log odds %v: term %d is %v, as a number %v, want %v", logOdds, j, got,
					number, want)
			}
			sum += got
		}
		if !(math.Abs(whole[0]-sum) <= 1e-12) {
			t.Errorf("log odds %v: log probability %v, terms sum to %v", logOdds, whole[0], sum)
		}
	}
}
