package gaussian

import (
	"context"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// A place of an optimiser's path.
type place struct {
	x, grad []float64 // of the log density
	log     float64
}

// climb follows L-BFGS upwards from x, and returns the places of its major iterations.
func (e *evaluator) climb(
	ctx context.Context,
	x []float64,
	iterations, memory int,
) ([]place, error) {
	var failure error
	var path recorder
	value := func(grad, x []float64) float64 {
		if failure != nil {
			clear(grad)
			return math.Inf(1)
		}
		l, err := e.at(grad, x)
		if err != nil {
			failure = err
		}
		if failure == nil {
			failure = context.Cause(ctx)
		}
		for i := range grad {
			grad[i] = -grad[i]
		}
		return -l
	}
	scratch := make([]float64, len(x))
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return value(scratch, x) },
		Grad: func(grad, x []float64) { value(grad, x) },
		Status: func() (optimize.Status, error) {
			if failure != nil {
				return optimize.Failure, failure
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{
		GradientThreshold: 1e-7,
		MajorIterations:   iterations,
		Recorder:          &path,
		Converger: &optimize.FunctionConverge{
			Absolute:   1e-10,
			Relative:   1e-12,
			Iterations: 5,
		},
	}
	// a line search that fails at the limit of precision ends the path there
	_, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{Store: memory})
	if failure != nil {
		return nil, failure
	}
	if len(path) == 0 {
		return nil, err
	}
	return path, nil
}

// A recorder keeps the places of major iterations.
type recorder []place

func (r *recorder) Init() error { return nil }

func (r *recorder) Record(at *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	switch op {
	case optimize.InitIteration, optimize.MajorIteration, optimize.PostIteration:
	default:
		return nil
	}
	if at.Gradient == nil {
		return nil
	}
	p := place{append([]float64(nil), at.X...), make([]float64, len(at.X)), -at.F}
	for i, g := range at.Gradient {
		p.grad[i] = -g
	}
	*r = append(*r, p)
	return nil
}
