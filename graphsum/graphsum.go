package graphsum

import (
	"context"
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/internal/exact"
	"tobac/score"
)

// Sets is the number of sets of parents of all d variables, d·2^(d−1).
func Sets(d int) int { return d << (d - 1) }

// parents are those of set number s of variable j: bit k stands for variable k if k < j, and else
// for k + 1.
func parents(d, j, s int) []int {
	var out []int
	for k := range d - 1 {
		if s>>k&1 == 1 {
			if k < j {
				out = append(out, k)
			} else {
				out = append(out, k+1)
			}
		}
	}
	return out
}

// Scores is the vector of log scores that [LogSum] takes, from a function of a variable and its
// parents.
func Scores(d int, f func(j int, parents []int) *autograd.Node) *autograd.Node {
	var all []*autograd.Node
	for j := range d {
		for s := range 1 << (d - 1) {
			all = append(all, f(j, parents(d, j, s)))
		}
	}
	return autograd.Vector(all[0], all[1:]...)
}

// Most is the greatest number of variables.
const Most = 10

// variables is d of a vector of scores.
func variables(in []autograd.Shape) (int, error) {
	if len(in[0]) == 1 {
		for d := 1; d <= Most; d++ {
			if Sets(d) == in[0][0] {
				return d, nil
			}
		}
	}
	return 0, fmt.Errorf(
		"scores of shape %v, want a vector of d·2^(d−1) for d from 1 to %d variables",
		in[0],
		Most,
	)
}

// graphs is the posterior over graphs given scores.
func graphs(scores []float64) (*exact.Graphs, int, error) {
	d, err := variables([]autograd.Shape{{len(scores)}})
	if err != nil {
		return nil, 0, err
	}
	for e, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, 0, fmt.Errorf(
				"the score of parents %v of variable %d is %v",
				parents(d, e>>(d-1), e&(1<<(d-1)-1)),
				e>>(d-1),
				v,
			)
		}
	}
	table := score.NewFunc(d, func(j int, of []int) float64 {
		s := 0
		for _, k := range of {
			if k > j {
				k--
			}
			s |= 1 << k
		}
		return scores[j<<(d-1)|s]
	})
	ctx := context.Background() // an evaluation is not cancelled inside
	p, err := exact.New(ctx, table, score.Uniform(d), exact.Options{Workers: 1})
	if err != nil {
		return nil, 0, err
	}
	o, err := p.Orders(ctx)
	if err != nil {
		return nil, 0, err
	}
	g, err := o.Graphs(ctx)
	return g, d, err
}

var logSum, sets, edges *autograd.Primitive

func init() {
	scalar := func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
		_, err := variables(in)
		return autograd.Shape{}, err
	}
	same := func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
		_, err := variables(in)
		return in[0], err
	}
	square := func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
		d, err := variables(in)
		return autograd.Shape{d, d}, err
	}
	sets = &autograd.Primitive{Name: "sets of parents", Shape: same,
		Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
			_ []autograd.Shape) error {
			g, d, err := graphs(in[0])
			if err != nil {
				return err
			}
			for j := range d {
				copy(out[j<<(d-1):], g.ParentSets(j))
			}
			return nil
		}}
	logSum = &autograd.Primitive{Name: "sum over graphs", Shape: scalar,
		Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
			_ []autograd.Shape) error {
			g, _, err := graphs(in[0])
			if err == nil {
				out[0] = g.LogEvidence()
			}
			return err
		}, VJP: func(y, ct *autograd.Node) []*autograd.Node {
			return []*autograd.Node{sets.Apply(autograd.Attr{}, y.Operands()[0]).Mul(ct)}
		}}
	edges = &autograd.Primitive{Name: "edges", Shape: square,
		Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
			_ []autograd.Shape) error {
			g, d, err := graphs(in[0])
			if err != nil {
				return err
			}
			m := g.Edges()
			for i := range d {
				copy(out[i*d:], m.RawRowView(i))
			}
			return nil
		}}
}

// LogSum is ln Σ_G Π_j exp q(j, pa_G(j)) over all acyclic graphs, for scores in the order of
// [Scores]. It has a first derivative, not a second one. −∞ rules a set out.
func LogSum(scores *autograd.Node) *autograd.Node { return logSum.Apply(autograd.Attr{}, scores) }

// Edges are the posterior probabilities of edges given the scores, d×d, from the row's variable
// to the column's. They have no derivative.
func Edges(scores *autograd.Node) *autograd.Node { return edges.Apply(autograd.Attr{}, scores) }

// Gaussian are the scores of linear equations with normal noise for the columns of x, n×d: the
// marginal likelihoods of score.BGe on raw columns with mean 0, α_μ = 1 and α_λ = d + 2, which
// are those of the columns' density. Markov equivalent graphs have the same
// sum of scores.
func Gaussian(x *autograd.Node) *autograd.Node {
	n, d := x.Shape()[0], x.Shape()[1]
	rows, mean := float64(n), x.Mean(0)
	centred := x.Sub(mean)
	t := 0.5 // α_μ(α_λ − d − 1)/(α_μ + 1)
	r := centred.T().
		MatMul(centred).
		Add(x.Builder().Identity(d).Scale(t)).
		Add(mean.Outer(mean).Scale(rows / (rows + 1)))
	determinants := map[int]*autograd.Node{0: x.Builder().Scalar(0)}
	of := func(set int) *autograd.Node {
		if determinants[set] == nil {
			var at []int
			for i := range d {
				for j := range d {
					if set>>i&1 == 1 && set>>j&1 == 1 {
						at = append(at, i*d+j)
					}
				}
			}
			k := int(math.Sqrt(float64(len(at))))
			determinants[set] = r.Gather(at, autograd.Shape{k, k}).LogDet()
		}
		return determinants[set]
	}
	lambda := float64(d + 2)
	return Scores(d, func(j int, parents []int) *autograd.Node {
		set, p := 0, float64(len(parents))
		for _, k := range parents {
			set |= 1 << k
		}
		above, _ := math.Lgamma((rows + lambda - float64(d) + p + 1) / 2)
		below, _ := math.Lgamma((lambda - float64(d) + p + 1) / 2)
		constant := math.Log(1/(rows+1))/2 + above - below - rows/2*math.Log(
			math.Pi,
		) + (lambda-float64(d)+2*p+1)/2*math.Log(t)
		inner := of(set)
		rest := of(set | 1<<j).Sub(inner)
		return inner.Scale(-0.5).
			Sub(rest.Scale((rows + lambda - float64(d) + p + 1) / 2)).
			AddScalar(constant)
	})
}
