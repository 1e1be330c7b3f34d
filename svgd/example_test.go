package svgd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/schedule"
	"tobac/svgd"
)

// normal is a Gaussian target on one block of one coordinate.
type normal struct{ mean, variance float64 }

func (g normal) Score(dst, x []*mat.Dense, _ int) error {
	dst[0].Apply(func(_, _ int, v float64) float64 { return (g.mean - v) / g.variance }, x[0])
	return nil
}

// Fifty particles that start close together around zero spread out as N(3, 4).
func Example() {
	x := []*mat.Dense{mat.NewDense(50, 1, nil)}
	for i := range 50 {
		x[0].Set(i, 0, float64(i-25)/100)
	}
	s := svgd.Sampler{Target: normal{mean: 3, variance: 4}, Optimizer: svgd.SGD{StepSize: 0.2}}
	if err := s.Run(context.Background(), x, 0, 2000); err != nil {
		log.Fatal(err)
	}
	mean, variance := stat.PopMeanVariance(mat.Col(nil, 0, x[0]), nil)
	fmt.Printf("mean %.2f, variance %.2f\n", mean, variance)
	// Output:
	// mean 3.00, variance 3.74
}

// The kernel of TOBAC: latents and parameters each have their own exponential,
// here at squared distances 2 and 30.
func ExampleAdditive() {
	x := []*mat.Dense{
		mat.NewDense(2, 2, []float64{0, 0, 1, 1}),
		mat.NewDense(2, 3, []float64{0, 0, 0, 5, 2, 1}),
	}
	gram := mat.NewDense(2, 2, nil)
	repulsion := []*mat.Dense{mat.NewDense(2, 2, nil), mat.NewDense(2, 3, nil)}
	svgd.Additive{Bandwidths: []float64{5, 500}}.Evaluate(gram, repulsion, x)
	fmt.Printf("%.9f\n", mat.Formatted(gram))
	fmt.Printf("%.3f\n", mat.Formatted(repulsion[0]))
	// Output:
	// ⎡2.000000000  1.612084580⎤
	// ⎣1.612084580  2.000000000⎦
	// ⎡-0.268  -0.268⎤
	// ⎣ 0.268   0.268⎦
}

// A run is taken up again from its particles, its state and a step number.
func ExampleSampler_Run() {
	target, ctx := normal{mean: 3, variance: 4}, context.Background()
	x := []*mat.Dense{mat.NewDense(2, 1, []float64{-1, 1})}
	first := svgd.Sampler{Target: target}
	if err := first.Run(ctx, x, 0, 50); err != nil {
		log.Fatal(err)
	}
	saved, err := json.Marshal(first.State)
	if err != nil {
		log.Fatal(err)
	}

	second := svgd.Sampler{Target: target}
	if err := json.Unmarshal(saved, &second.State); err != nil {
		log.Fatal(err)
	}
	if err := second.Run(ctx, x, 50, 100); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f after %d updates\n", mat.Col(nil, 0, x[0]), second.State.Count)
	// Output:
	// [-0.4639 1.5395] after 100 updates
}

// A constant step size leaves RMSProp hovering; here it falls to zero in the
// second half of the run. At rest the two forces balance.
func ExampleScheduled() {
	const steps = 400
	s := svgd.Sampler{
		Target: normal{mean: 1, variance: 1},
		Optimizer: svgd.Scheduled{Optimizer: svgd.RMSProp{StepSize: 0.02},
			Factor: schedule.Ramp{From: 1, Start: steps / 2, End: steps}},
		Recorder: func(r svgd.Stats) {
			if r.Step%200 == 199 {
				fmt.Printf("step %d: driving %.2f, repulsive %.2f, neighbours %.2f\n",
					r.Step+1, r.Driving[0], r.Repulsive[0], r.Neighbours)
			}
		},
	}
	x := []*mat.Dense{mat.NewDense(3, 1, []float64{-1, 0, 0.5})}
	if err := s.Run(context.Background(), x, 0, steps); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Col(nil, 0, x[0]))
	// Output:
	// step 200: driving 0.23, repulsive 0.23, neighbours 1.69
	// step 400: driving 0.23, repulsive 0.23, neighbours 1.65
	// [0.15 1.00 1.85]
}

// Thirty particles of twenty independent coordinates: a joint kernel collapses, which the Stein
// discrepancy finds, one for each coordinate does not.
func ExampleGrouped() {
	target := svgd.ScorerFunc(func(dst, x []*mat.Dense, _ int) error {
		dst[0].Scale(-1, x[0]) // standard normal
		return nil
	})
	for _, kernel := range []svgd.Kernel{svgd.RBF{}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}} {
		x := gaussianBlocks(1, 30, 20)
		x[0].Scale(0.3, x[0])
		s := svgd.Sampler{
			Target: target, Kernel: kernel,
			Optimizer: svgd.Scheduled{Optimizer: svgd.RMSProp{StepSize: 0.02},
				Factor: schedule.Ramp{From: 1, Start: 150, End: 300}},
		}
		if err := s.Run(context.Background(), x, 0, 300); err != nil {
			log.Fatal(err)
		}
		score := []*mat.Dense{mat.NewDense(30, 20, nil)}
		if err := target.Score(score, x, 0); err != nil {
			log.Fatal(err)
		}
		p := svgd.IMQ{}.Discrepancy(score, x).PValue(rand.New(rand.NewPCG(1, 2)), 100)
		fmt.Printf("%T: variance of the first coordinate %.2f, p-value %.2f\n", kernel,
			stat.PopVariance(mat.Col(nil, 0, x[0]), nil), p)
	}
	// Output:
	// svgd.RBF: variance of the first coordinate 0.14, p-value 0.01
	// svgd.Grouped: variance of the first coordinate 0.94, p-value 1.00
}
