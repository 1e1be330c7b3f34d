package models_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"
	"tobac/models"
	"tobac/models/modeltest"
	"tobac/svgd"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// studentT is a linear structural equation model whose noise has Student's t
// distribution with three degrees of freedom and the scale s = 0.3, so that
// outliers do not drag the weights. The columns of x are in causal order.
//
//	log p(Θ|G)   = Σ_ij G_ij lnN(Θ_ij; 0, 1)
//	log p(D|G,Θ) = −Σ_nj [ 2 ln(1 + r_nj²/(3s²)) + ln(√3 π s/2) ],   r = X − X(G∘Θ).
type studentT struct{ x *mat.Dense }

var _ models.Likelihood = studentT{}

func (m studentT) Vars() int     { _, d := m.x.Dims(); return d }
func (m studentT) ParamLen() int { return m.Vars() * m.Vars() }

func (m studentT) InitParams(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}

func (m studentT) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	n, d := m.x.Dims()
	weights, x := theta.Reshape(autograd.Shape{d, d}),
		g.Builder().Constant(m.x.RawMatrix().Data, autograd.Shape{n, d})
	prior = g.Mul(weights.Square().AddScalar(math.Log(2 * math.Pi))).Sum(0).Scale(-0.5)
	density := x.Sub(x.MatMul(g.Mul(weights))).Square().Scale(
		1 / (3 * noiseScale * noiseScale)).Log1p().Scale(-2)
	return prior, density.AddScalar(-math.Log(math.Sqrt(3) * math.Pi * noiseScale / 2)).Sum(0)
}

// A custom likelihood under TOBAC: 0 → 1 with weight 1.5 and 1 → 2 with
// weight −1, and noise with heavy tails. The most probable particle has the two
// edges; the exact posterior mean of each weight is an integral in one dimension.
func ExampleLikelihood_studentT() {
	lik := studentT{x: heavyTailed(60)}
	fmt.Println("contract:", modeltest.Likelihood(lik, 1))
	target, err := models.NewTOBAC(lik, models.TOBACConfig{Particles: 10, Samples: 32,
		AlphaRate: 0.2, Prior: models.ErdosRenyi(0.3)})
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()
	x := target.Init()
	sampler := svgd.Sampler{Target: target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}},
		Optimizer: svgd.RMSProp{StepSize: 0.02}}
	if err := sampler.Run(context.Background(), x, 0, 300); err != nil {
		log.Fatal(err)
	}
	graphs := target.Graphs(x[0])
	prior, data, err := models.LogJoint(lik, graphs, x[1])
	if err != nil {
		log.Fatal(err)
	}
	best := floats.MaxIdx(floats.AddTo(prior, prior, data))
	for _, e := range graphs[best].Edges() {
		fmt.Printf("%d → %d, weight %.1f, exact posterior mean %.1f\n", e.From, e.To,
			x[1].At(best, e.From*3+e.To), lik.exactMean(e))
	}
	// Output:
	// contract: <nil>
	// 0 → 1, weight 1.5, exact posterior mean 1.5
	// 1 → 2, weight -1.0, exact posterior mean -1.0
}

// exactMean is the posterior mean of the weight of a variable's only parent.
func (m studentT) exactMean(e dag.Edge) float64 {
	total, sum := 0.0, 0.0
	n, _ := m.x.Dims()
	for w := -4.0; w < 4; w += 0.002 {
		logp := -w * w / 2
		for r := range n {
			residual := m.x.At(r, e.To) - w*m.x.At(r, e.From)
			logp -= 2 * math.Log1p(residual*residual/(3*noiseScale*noiseScale))
		}
		p := math.Exp(logp)
		total += p
		sum += w * p
	}
	return sum / total
}

// noiseScale is the scale s of the noise.
const noiseScale = 0.3

// heavyTailed draws n rows of the model, t = normal/√(χ²₃/3).
func heavyTailed(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(5, 2))
	noise := func() float64 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		return noiseScale * rng.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
	}
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a := noise()
		b := 1.5*a + noise()
		x.SetRow(i, []float64{a, b, -b + noise()})
	}
	return x
}
