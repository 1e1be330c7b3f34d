package likelihoods_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/likelihoods"
	"tobac/internal/must"
	"tobac/models"
	"tobac/models/modeltest"
)

// ofKinds are a number, a variable of three levels, a count and one of two levels, in eleven rows.
func ofKinds() []likelihoods.Variable {
	const n = 11
	rng := rand.New(rand.NewPCG(4, 4))
	three := mat.NewDense(3, 2, []float64{1, 0.5, -1, 0.5, 0, -1})
	two := mat.NewDense(2, 1, []float64{0.5, -0.5})
	all := make([]likelihoods.Variable, 4)
	for j := range all {
		v := &all[j]
		v.Values = make([]float64, n)
		v.Covariates = mat.NewDense(n, []int{1, 2, 1, 1}[j], nil)
		for i := range n {
			switch j {
			case 0:
				v.Values[i] = rng.NormFloat64()
			case 1:
				v.Values[i], v.Contrasts = float64(i%3), three
			case 2:
				v.Values[i], v.Count = float64(rng.IntN(5)), true
			case 3:
				v.Values[i], v.Contrasts = float64(i*i%2), two
			}
			if v.Contrasts != nil {
				v.Covariates.SetRow(i, v.Contrasts.RawRowView(int(v.Values[i])))
			} else {
				v.Covariates.Set(i, 0, v.Values[i])
			}
		}
	}
	return all
}

// The model is a likelihood, with interventions and without, and equals plain Go.
func TestKinds(t *testing.T) {
	all := ofKinds()
	marks := mat.NewDense(11, 4, nil)
	marks.Set(2, 1, 1)
	marks.Set(3, 3, 1)
	marks.Set(4, 0, 1)
	for _, intervened := range []mat.Matrix{nil, marks} {
		m := must.Get(likelihoods.NewKinds(all, intervened))(t)
		if err := modeltest.Likelihood(m, 3); err != nil {
			t.Error(err)
		}
		theta := mat.NewDense(1, m.ParamLen(), nil)
		m.InitParams(theta.RawRowView(0), rand.New(rand.NewPCG(1, 2)))
		g, err := dag.FromEdges(4, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 3},
			{From: 1, To: 3}, {From: 2, To: 3}})
		if err != nil {
			t.Fatal(err)
		}
		prior, data := must.Two(models.LogJoint(m, []*dag.Graph{g}, theta))(t)
		wantPrior, wantData := plainKinds(all, intervened, g, theta.RawRowView(0))
		if math.Abs(prior[0]-wantPrior) > 1e-10 || math.Abs(data[0]-wantData) > 1e-10 {
			t.Errorf("interventions %v: log densities %v and %v, want %v and %v", intervened != nil,
				prior[0], data[0], wantPrior, wantData)
		}
	}
	all[1].Values = []float64{0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0}
	if _, err := likelihoods.NewKinds(all, nil); err == nil {
		t.Error("a level beyond the last was taken")
	}
}

// plainKinds is the model of ofKinds, equation by equation.
func plainKinds(all []likelihoods.Variable, intervened mat.Matrix, g *dag.Graph,
	theta []float64) (prior, data float64) {
	widths, predictors := []int{1, 2, 1, 1}, []int{1, 2, 1, 1}
	const k, p = 5, 5
	constants, logs := theta[k*p:], theta[k*p+p:]
	at := 0
	for j, v := range all {
		mean, variance := 0.0, 4.0
		switch {
		case v.Count:
			sum := 0.0
			for _, y := range v.Values {
				sum += y
			}
			mean = math.Log(sum/float64(len(v.Values)) + 0.5)
			prior += lnNormal(logs[j], 0, 1)
		case v.Contrasts == nil:
			variance = 1
			prior += math.Log(0.25) - logs[j] - 0.25*math.Exp(-logs[j])
		default:
			prior += lnNormal(logs[j], 0, 1)
		}
		for q := range predictors[j] {
			prior += lnNormal(constants[at+q], mean, variance)
		}
		for i := range v.Values {
			eta := append([]float64(nil), constants[at:at+predictors[j]]...)
			row := 0
			for a := range all {
				for b := range widths[a] {
					if g.Has(a, j) {
						for q := range eta {
							w := theta[(row+b)*p+at+q]
							eta[q] += w * all[a].Covariates.At(i, b)
							if i == 0 {
								prior += lnNormal(w, 0, 1)
							}
						}
					}
				}
				row += widths[a]
			}
			if intervened != nil && intervened.At(i, j) != 0 {
				continue
			}
			switch y := v.Values[i]; {
			case v.Contrasts != nil:
				levels, _ := v.Contrasts.Dims()
				total, own := 0.0, 0.0
				for l := range levels {
					logit := 0.0
					for q, e := range eta {
						logit += v.Contrasts.At(l, q) * e
					}
					total += math.Exp(logit)
					if l == int(y) {
						own = logit
					}
				}
				data += own - math.Log(total)
			case v.Count:
				lg, _ := math.Lgamma(y + 1)
				data += y*eta[0] - math.Exp(eta[0]) - lg
			default:
				data += lnNormal(y, eta[0], math.Exp(logs[j]))
			}
		}
		at += predictors[j]
	}
	return prior, data
}

// lnNormal is the log density of N(mean, variance).
func lnNormal(x, mean, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - (x-mean)*(x-mean)/(2*variance)
}
