package score

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// An Equation is the posterior of the linear structural equation
//
//	x_j = Intercept + Σ_i Mean_i x_i + noise
//
// of a variable given its parents, in the units of the data.
type Equation struct {
	Intercept     float64       // posterior mean
	Mean          []float64     // posterior means of the weights, by parent
	Cov           *mat.SymDense // posterior covariance of the weights; nil without parents
	NoiseVariance float64       // posterior mean of the noise variance, or the given one

	// Freedom is the degrees of freedom, above 2, of the multivariate t distribution of
	// the weights; +Inf says that they are normal, given the noise variance.
	Freedom float64

	// Strength is the number of observations that the intercept rests on, its prior
	// included: given the weights and the noise variance, the mean of x_j at the
	// means of its parents has the variance NoiseVariance/Strength. 0 means that there is no
	// intercept.
	Strength float64
}

// Sample draws weights from their posterior into dst, which is allocated if nil,
// and returns it. It panics if dst has not one element for each parent.
func (e *Equation) Sample(dst []float64, rng *rand.Rand) []float64 {
	p := len(e.Mean)
	if dst == nil {
		dst = make([]float64, p)
	}
	if len(dst) != p {
		panic(fmt.Sprintf("score: room for %d weights, want %d", len(dst), p))
	}
	if p > 0 {
		e.sample(dst, rng)
	}
	return dst
}

// Draw draws all parameters of the equation from their posterior: the weights, as
// [Equation.Sample] does with weights, the noise variance, and how far the mean of x_j at
// the means of its parents lies above that of the data, both with other. Given the
// weights the noise variance of a t distribution is the one that stretched them.
func (e *Equation) Draw(weights, other *rand.Rand) (w []float64, above, noiseVariance float64) {
	w, stretch := make([]float64, len(e.Mean)), 1.0
	if len(w) > 0 {
		stretch = e.sample(w, weights)
	} else {
		stretch = e.stretch(other)
	}
	noiseVariance = e.NoiseVariance * stretch * stretch
	if z := other.NormFloat64(); e.Strength > 0 {
		above = z * math.Sqrt(noiseVariance/e.Strength)
	}
	return w, above, noiseVariance
}

// stretch is sqrt(v/E v) for a noise variance v drawn from its posterior, or 1 where
// that is given.
func (e *Equation) stretch(rng *rand.Rand) float64 {
	if math.IsInf(e.Freedom, 1) {
		return 1
	}
	return math.Sqrt((e.Freedom - 2) / (2 * scoring.Gamma(e.Freedom/2, rng)))
}

// sample draws weights into dst, of at least one parent, and returns their stretch.
func (e *Equation) sample(dst []float64, rng *rand.Rand) float64 {
	root := scoring.Factorise(e.Cov)
	z := make([]float64, len(dst))
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	// t with covariance C and ν degrees of freedom: normal with covariance
	// C·(ν−2)/ν, times sqrt(ν/χ²_ν).
	stretch := e.stretch(rng)
	for i := range dst {
		dst[i] = e.Mean[i]
		for k := range i + 1 {
			dst[i] += stretch * root.Data[k*root.Stride+i] * z[k]
		}
	}
	return stretch
}

// regress fills Mean with M⁻¹c and Cov with M⁻¹, M = A_pa,pa + ridge·I, c = A_pa,j,
// and returns the residual A_jj − cᵀM⁻¹c.
func regress(a []float64, d, j int, parents []int, ridge float64) (e Equation, s float64) {
	p := len(parents)
	e.Mean = make([]float64, p)
	if p == 0 {
		return e, a[j*d+j]
	}
	m := mat.NewSymDense(p, nil)
	c := make([]float64, p)
	for k, i := range parents {
		c[k] = a[i*d+j]
		for l, h := range parents[:k+1] {
			m.SetSym(k, l, a[i*d+h])
		}
		m.SetSym(k, k, m.At(k, k)+ridge)
	}
	root := scoring.Factorise(m)
	copy(e.Mean, c)
	scoring.Solve(root, e.Mean)
	inverse, _ := lapack64.Potri(root)
	e.Cov = new(mat.SymDense)
	e.Cov.SetRawSymmetric(inverse)
	return e, a[j*d+j] - floats.Dot(e.Mean, c)
}

// scale turns the equation of standardised columns with the covariance Cov/v into
// that of columns with the standard deviations sd.
func (e *Equation) scale(v float64, sd []float64, j int, parents []int) {
	for k, i := range parents {
		e.Mean[k] *= sd[j] / sd[i]
		for l, h := range parents[:k+1] {
			e.Cov.SetSym(k, l, v*e.Cov.At(k, l)*(sd[j]/sd[i])*(sd[j]/sd[h]))
		}
	}
}
