package models_test

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// naiveNoiseVariance regresses every column on the earlier ones by the normal
// equations, in the rows in which it was not set by intervention.
func naiveNoiseVariance(x, mask *mat.Dense) float64 {
	n, d := x.Dims()
	rss, free := 0.0, 0
	for j := range d {
		var rows []int
		for r := range n {
			if mask == nil || mask.At(r, j) == 0 {
				rows = append(rows, r)
			}
		}
		if len(rows) <= j+1 {
			continue
		}
		sub := mat.NewDense(len(rows), j+1, nil)
		for r, i := range rows {
			sub.SetRow(r, x.RawRowView(i)[:j+1])
		}
		y := mat.NewVecDense(len(rows), mat.Col(nil, j, sub))
		if j > 0 {
			earlier := sub.Slice(0, len(rows), 0, j)
			var gram, moment, weights, fit mat.Dense
			gram.Mul(earlier.T(), earlier)
			moment.Mul(earlier.T(), y)
			if weights.Solve(&gram, &moment) != nil {
				panic("singular")
			}
			fit.Mul(earlier, &weights)
			y.SubVec(y, fit.ColView(0))
		}
		rss += mat.Dot(y, y)
		free += len(rows) - j
	}
	return rss / float64(free)
}

// TestNoiseVarianceOfInterventions compares with the normal equations: all rows,
// some rows of some columns, one column without rows.
func TestNoiseVarianceOfInterventions(t *testing.T) {
	const n, d = 20, 5
	x := mat.NewDense(n, d, normals(newRand(121), n*d))
	for _, mask := range []*mat.Dense{nil, maskGroups(n, d)} {
		var m mat.Matrix
		if mask != nil {
			m = mask
		}
		got := must.Get(models.EstimateNoiseVariance(x, m, models.LinearOptions{}))(t)
		check(t, "noise variance", []float64{got}, []float64{naiveNoiseVariance(x, mask)}, 1e-12)
	}
	all, err := models.EstimateNoiseVariance(x, nil, models.LinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "without interventions", []float64{all}, []float64{naiveNoiseVariance(x, nil)}, 1e-12)

	ones := mat.NewDense(n, d, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	_, err = models.EstimateNoiseVariance(x, ones, models.LinearOptions{})
	checkError(t, "all set", err, "models: noise variance: no column has enough rows without an "+
		"intervention to estimate it; give more rows, or its value")
	_, err = models.EstimateNoiseVariance(x, mat.NewDense(n, 2, nil), models.LinearOptions{})
	checkError(t, "mask", err, "models: mask of interventions is 20×2, want 20×5 as the data")
	x.Set(3, 1, math.NaN())
	_, err = models.EstimateNoiseVariance(x, nil, models.LinearOptions{})
	checkError(t, "data", err, "models: data row 4, column 2 is NaN, want a finite number")
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
	got, err := models.EstimateNoiseVariance(x, nil, models.LinearOptions{})
	if err != nil || !(math.Abs(got-0.3) <= 4*0.3*math.Sqrt(2./1197)) {
		t.Errorf("got %v, %v, want 0.3", got, err)
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(1, 2, []float64{1, 2}), nil,
		models.LinearOptions{}); err == nil {
		t.Error("one row: got no error")
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(3, 2, nil), nil,
		models.LinearOptions{}); err == nil {
		t.Error("zeros: got no error")
	}
	if _, err := models.EstimateNoiseVariance(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 7}), nil,
		models.LinearOptions{}); err != nil {
		t.Errorf("fewer rows than columns: %v", err)
	}
}

// An intercept leaves the noise variance and the density of shifted columns as those of
// centred ones, and takes one degree of freedom of every column.
func TestIntercept(t *testing.T) {
	const n, d = 30, 4
	x := mat.NewDense(n, d, normals(newRand(7), n*d))
	shifted, centred := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for j := range d {
		mean := mat.Sum(x.ColView(j)) / n
		for i := range n {
			shifted.Set(i, j, x.At(i, j)+100*float64(j+1))
			centred.Set(i, j, x.At(i, j)-mean)
		}
	}
	with := models.LinearOptions{Intercept: true}
	got := must.Get(models.EstimateNoiseVariance(shifted, nil, with))(t)
	without := must.Get(models.EstimateNoiseVariance(centred, nil, models.LinearOptions{}))(t)
	free := float64(n*d - d*(d-1)/2)
	check(t, "noise variance", []float64{got}, []float64{without * free / (free - d)}, 1e-11)

	joint := func(x mat.Matrix, opt models.LinearOptions) []float64 {
		lik := must.Get(models.NewLinear(x, nil, opt))(t)
		g := must.Get(dag.FromEdges(d,
			[]dag.Edge{{From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}}))(t)
		_, data := must.Two(models.LogJoint(lik, []*dag.Graph{g},
			mat.NewDense(1, d*d, normals(newRand(8), d*d))))(t)
		return data
	}
	check(t, "log likelihood", joint(shifted, with), joint(centred, models.LinearOptions{}), 1e-10)
}
