package tempering

import (
	"math"
	"slices"

	"tobac/internal/vector"

	"gonum.org/v1/gonum/mat"
)

// A node is the regression of one variable on those before it in the order: what all its chains
// share.
type node struct {
	cfg        *Config
	kernels    vector.Set
	column     int   // of the variable
	candidates []int // columns of its possible parents, ascending
	required   []bool
	n          int       // rows in which the variable was not set
	x          []float64 // of the candidates, one row of n numbers for each
	y          []float64
	prior      Prior

	units    int     // of the hidden layer
	features int     // columns of Φ: units, and 1 unless there are no biases
	scale    float64 // σ_p
}

// newNode collects the rows that count for a variable.
func newNode(x, intervened mat.Matrix, column int, before []int, prior Prior, cfg *Config,
	kernels vector.Set) *node {
	rows, _ := x.Dims()
	v := &node{cfg: cfg, kernels: kernels, column: column, prior: prior, units: cfg.Hidden,
		features: cfg.Hidden + 1, scale: math.Sqrt(cfg.ParamVariance)}
	if cfg.NoBias {
		v.features--
	}
	var kept []int
	for i := range rows {
		if intervened == nil || intervened.At(i, column) == 0 {
			kept = append(kept, i)
		}
	}
	v.n = len(kept)
	of := func(dst []float64, c int) []float64 {
		for _, i := range kept {
			dst = append(dst, x.At(i, c))
		}
		return dst
	}
	v.y = of(nil, column)
	for _, i := range slices.Sorted(slices.Values(before)) {
		required := prior.Required(i, column)
		if !required && prior.Forbidden(i, column) {
			continue
		}
		v.candidates, v.required = append(v.candidates, i), append(v.required, required)
		v.x = of(v.x, i)
	}
	return v
}

// row is the data of a candidate.
func (v *node) row(i int) []float64 { return v.x[i*v.n : (i+1)*v.n] }

// activate writes σ_p times the activation of x to dst.
func (v *node) activate(dst, x []float64) { v.cfg.Activation.Values(dst, x, v.scale) }

// A Prior is a product over variables of densities of their parents, which need not be normalised;
// [tobac/score.Prior] is one. Parents are ascending columns.
type Prior interface {
	LogPrior(j int, parents []int) float64
	Forbidden(i, j int) bool
	Required(i, j int) bool
}
