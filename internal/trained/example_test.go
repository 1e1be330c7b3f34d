package trained_test

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/engine"
	"tobac/engine/flownets"
	"tobac/internal/trained"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// halving is a learner whose loss halves with every step.
type halving struct {
	Taken int
	Loss  float64
}

func (h *halving) Advance(_ context.Context, to int) error {
	for ; h.Taken < to; h.Taken++ {
		h.Loss /= 2
	}
	return nil
}
func (h *halving) Step() int                { return h.Taken }
func (h *halving) Steps() int               { return 10 }
func (h *halving) State() *halving          { return h }
func (h *halving) Restore(s *halving) error { *h = *s; return nil }
func (h *halving) Close()                   {}

// An interrupted training goes on from its state.
func ExampleStage() {
	ctx := context.Background()
	begin := func() *trained.Stage[halving] {
		h := &halving{Loss: 1024}
		point := func() engine.TrainingPoint {
			return engine.TrainingPoint{Step: h.Taken, Quantity: "loss", Value: h.Loss}
		}
		read := func(context.Context) (*engine.Outcome, error) {
			p := &posterior.Posterior{Names: []string{"a", "b"}, Kind: posterior.Draws,
				Draws: []posterior.Draw{{Graph: dag.New(2)}}}
			p.Marginals.Probabilities = mat.NewDense(2, 2, nil)
			return &engine.Outcome{Posterior: p,
				Training: &engine.Training{Trace: []engine.TrainingPoint{point()},
					Distance: math.NaN(), Imbalance: math.NaN()}}, nil
		}
		p := &engine.Problem{Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}
		return &trained.Stage[halving]{Engine: (&flownets.GFlowNet{}).Engine(), Problem: p,
			Learner: h, Point: point, Read: read}
	}
	first, second := begin(), begin()
	if err := first.Advance(ctx, 4); err != nil {
		panic(err)
	}
	_, err := first.Outcome(ctx)
	fmt.Println(err)
	state, err := first.Save()
	if err != nil {
		panic(err)
	}
	fmt.Println(string(state))
	if err := second.Restore(ctx, state); err != nil {
		panic(err)
	}
	if err := second.Advance(ctx, 10); err != nil {
		panic(err)
	}
	fmt.Printf("%+v\n", second.Point())
	// Output:
	// it is read off after step 10
	// {"Taken":4,"Loss":64}
	// {Step:10 Quantity:loss Value:1}
}
