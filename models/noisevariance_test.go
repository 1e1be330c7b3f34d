package models_test

import (
	"math"
	"testing"

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
		got, err := models.EstimateNoiseVarianceIntervened(x, m)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "noise variance", []float64{got}, []float64{naiveNoiseVariance(x, mask)}, 1e-12)
	}
	all, err := models.EstimateNoiseVariance(x)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "without interventions", []float64{all}, []float64{naiveNoiseVariance(x, nil)}, 1e-12)

	ones := mat.NewDense(n, d, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	_, err = models.EstimateNoiseVarianceIntervened(x, ones)
	checkError(t, "all set", err, "models: noise variance: every column was set by intervention in too many rows; set it")
	_, err = models.EstimateNoiseVarianceIntervened(x, mat.NewDense(n, 2, nil))
	checkError(t, "mask", err, "models: intervention mask is 20×2, want 20×5 like the data")
	x.Set(3, 1, math.NaN())
	_, err = models.EstimateNoiseVarianceIntervened(x, nil)
	checkError(t, "data", err, "models: data row 3, column 1 is NaN, want a finite number")
}
