package models_test

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// TestNodeScore compares the evidence with the dense Gaussian density of the
// child's rows, N(μ_e X_pa 1, σ² I + σ_e² X_pa X_paᵀ).
func TestNodeScore(t *testing.T) {
	x := mat.NewDense(6, 4, []float64{
		0.5, -1, 2, 0.1, 1.5, 0.25, -0.75, 0.3, -0.2, 0.9, 0.4, -1.1,
		0.7, 0.1, -0.6, 0.8, -1.2, 0.3, 0.9, 0.2, 0.05, -0.4, 1.3, -0.9,
	})
	for _, opt := range []models.LinearOptions{{}, {NoiseVariance: 0.7, EdgeMean: -0.4, EdgeVariance: 2}} {
		lik, err := models.NewLinear(x, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		v, e := opt.NoiseVariance, opt.EdgeVariance
		if v == 0 {
			v, e = 0.1, 1
		}
		for _, parents := range [][]int{nil, {0}, {2}, {0, 1}, {0, 1, 2}} {
			n := 6
			cov := mat.NewSymDense(n, nil)
			r := mat.NewVecDense(n, mat.Col(nil, 3, x))
			for a := range n {
				for _, p := range parents {
					r.SetVec(a, r.AtVec(a)-opt.EdgeMean*x.At(a, p))
				}
				for b := a; b < n; b++ {
					s := 0.0
					if a == b {
						s = v
					}
					for _, p := range parents {
						s += e * x.At(a, p) * x.At(b, p)
					}
					cov.SetSym(a, b, s)
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(cov) {
				t.Fatal("covariance is singular")
			}
			var solved mat.VecDense
			if err := chol.SolveVecTo(&solved, r); err != nil {
				t.Fatal(err)
			}
			want := -0.5*float64(n)*math.Log(2*math.Pi) - 0.5*chol.LogDet() - 0.5*mat.Dot(r, &solved)
			if got := lik.NodeScore(3, parents); math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("options %+v, parents %v: got %v, want %v", opt, parents, got, want)
			}
		}
	}
}

// TestConditionals: the probability of an edge follows from the evidence of the
// two graphs that differ in it, and without rows everything is the prior.
func TestConditionals(t *testing.T) {
	x := mat.NewDense(5, 3, []float64{1, 2, -1, 0.3, 0.2, 0.5, -0.7, -1, 0.4, 0.2, 0.6, -0.3, 1.1, 0.8, 0.1})
	lik, err := models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	const odds = -0.3
	g := dag.New(3)
	g.Set(0, 2, true)
	c := lik.Conditionals(g, odds)
	for _, row := range []struct {
		i, j          int
		with, without []int
	}{{0, 1, []int{0}, nil}, {0, 2, []int{0}, nil}, {1, 2, []int{0, 1}, []int{0}}} {
		want := 1 / (1 + math.Exp(-(lik.NodeScore(row.j, row.with) - lik.NodeScore(row.j, row.without) + odds)))
		if got := c[row.i*3+row.j].Probability; math.Abs(got-want) > 1e-14 {
			t.Errorf("edge %d → %d: got %v, want %v", row.i, row.j, got, want)
		}
	}
	// One parent: A = C_00/σ² + 1, mean = C_01/σ²/A.
	a, b := 0.0, 0.0
	for i := range 5 {
		a += x.At(i, 0) * x.At(i, 0) / 0.5
		b += x.At(i, 0) * x.At(i, 1) / 0.5
	}
	if got := c[1]; math.Abs(got.Mean-b/(a+1)) > 1e-14 || math.Abs(got.SD-1/math.Sqrt(a+1)) > 1e-14 {
		t.Errorf("weight of 0 → 1: got %v ± %v, want %v ± %v", got.Mean, got.SD, b/(a+1), 1/math.Sqrt(a+1))
	}
	mask := mat.NewDense(5, 3, nil)
	for i := range 5 {
		mask.Set(i, 2, 1)
	}
	if lik, err = models.NewLinear(x, mask, models.LinearOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, want := lik.Conditionals(g, odds)[1*3+2], (models.EdgeConditional{Probability: 1 / (1 + math.Exp(-odds)), Mean: 0, SD: 1}); got != want {
		t.Errorf("variable without rows: got %+v, want the prior %+v", got, want)
	}
}

// TestEstimateNoiseVariance: unbiased on simulated residuals (seeded, within
// four standard errors σ²√(2/free)), and errors for data without residuals.
func TestEstimateNoiseVariance(t *testing.T) {
	x := mat.NewDense(400, 3, nil)
	u := make([]float64, 1200)
	models.SeededNoise(3).Fill(u, models.SoftGraphs, 0, 0)
	for i := range 400 {
		for j := range 3 {
			v := (u[i*3+j] - 0.5) * math.Sqrt(12*0.3) // uniform with variance 0.3
			for k := range j {
				v += 1.5 * x.At(i, k)
			}
			x.Set(i, j, v)
		}
	}
	got, err := models.EstimateNoiseVariance(x)
	if err != nil || math.Abs(got-0.3) > 4*0.3*math.Sqrt(2./1197) {
		t.Errorf("got %v, %v, want 0.3", got, err)
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(1, 2, []float64{1, 2})); err == nil {
		t.Error("one row: got no error")
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(3, 2, nil)); err == nil {
		t.Error("zeros: got no error")
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 7})); err != nil {
		t.Errorf("fewer rows than columns: %v", err)
	}
}
