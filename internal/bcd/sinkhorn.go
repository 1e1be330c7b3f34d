package bcd

import (
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/internal/vector"
)

// Sinkhorn's iteration stops where the column sums differ from 1 by no more than
// sinkhornTolerance in all, which is looked at every sinkhornCheck iterations.
const (
	sinkhornTolerance  = 0.01
	sinkhornCheck      = 10
	sinkhornIterations = 20000
)

// scalingRange is how far below the largest number of its row an element may lie
// for e^Y to be scaled: beyond, e^Y underflows.
const scalingRange = 700

// sinkhorn normalises e^Y, Y d×d, to rows and columns that sum to 1, the columns
// within the tolerance Attr.Float.
var sinkhorn = &autograd.Primitive{
	Name:  "sinkhorn",
	Shape: oneSquare,
	Value: func(at autograd.Attr, out []float64, shape autograd.Shape, in [][]float64,
		_ []autograd.Shape) error {
		balance(out, in[0], shape[0], at.Float)
		return nil
	},
}

// sinkhornCotangent has the cotangent of Y, row by row, from the matrix P that
// sinkhorn made of it and the cotangent of P. Its last element is 1 where the
// equations could not be solved and the cotangent is 0, else 0.
var sinkhornCotangent = &autograd.Primitive{
	Name: "sinkhorn-cotangent",
	Shape: func(at autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
		s, err := oneSquare(at, in[:1])
		if err != nil {
			return nil, err
		}
		return autograd.Shape{s.Len() + 1}, nil
	},
	Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
		shapes []autograd.Shape) error {
		d := shapes[0][0]
		out[d*d] = 0
		if !balanceCotangent(out[:d*d], in[0], in[1], d, 1, 0) {
			out[d*d] = 1
		}
		return nil
	},
}

// doublyStochastic is the result P of sinkhorn with its implicit derivative, that
// of the limit of the iteration. unsolved is called with the node that is 1 where a
// backward pass had no solution.
func doublyStochastic(y *autograd.Node, tolerance float64,
	unsolved func(*autograd.Node)) *autograd.Node {
	p, d := sinkhorn.Apply(autograd.Attr{Float: tolerance}, y), y.Shape()[0]
	return autograd.WithGradient(p, func(ct *autograd.Node) []*autograd.Node {
		all := sinkhornCotangent.Apply(autograd.Attr{}, p, ct)
		unsolved(all.Index(0, d*d))
		return []*autograd.Node{all.Slice(0, 0, d*d).Reshape(autograd.Shape{d, d})}
	}, y)
}

// oneSquare is the shape rule of operations from a square matrix to one of the
// same size.
func oneSquare(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
	if s := in[0]; len(s) == 2 && s[0] == s[1] && s[0] > 0 {
		return s, nil
	}
	return nil, fmt.Errorf("got shape %v, want a square matrix", in[0])
}

// balance writes e^(Y + f + g) to p, with potentials f of rows and g of columns
// such that rows sum to 1, and columns within the tolerance. It is NaN throughout
// if an element of Y is not finite. From f = g = 0 on, an iteration is
//
//	g_j = −ln Σ_i e^(Y_ij + f_i),   f_i = −ln Σ_j e^(Y_ij + g_j),
//
// and the number of iterations until it stopped is returned.
func balance(p, y []float64, d int, tolerance float64) int {
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			for e := range p {
				p[e] = math.NaN()
			}
			return 0
		}
	}
	if iterations, ok := balanceScaling(p, y, d, tolerance); ok {
		return iterations
	}
	return balanceLog(p, y, d, tolerance)
}

// balanceScaling is balance with the factors u = e^f and v = e^g in place of the
// potentials: no exponential is taken in the loop. It reports false where numbers
// leave the range of float64.
func balanceScaling(p, y []float64, d int, tolerance float64) (iterations int, ok bool) {
	work := make([]float64, d*d+3*d)
	transposed, u, v, sum := work[:d*d], work[d*d:d*d+d], work[d*d+d:d*d+2*d], work[d*d+2*d:]
	top := math.Inf(-1)
	for i := range d {
		row := y[i*d : i*d+d]
		u[i] = row[0]
		for _, x := range row {
			u[i] = max(u[i], x)
		}
		for j, x := range row {
			if x < u[i]-scalingRange {
				return 0, false
			}
			p[i*d+j] = x - u[i]
		}
		top = max(top, u[i])
	}
	for i := range u { // f = 0, up to a constant that g takes up
		u[i] -= top
	}
	kernels.Exp(u, u)
	kernels.Exp(p, p)
	for i := range d {
		for j := range d {
			transposed[j*d+i] = p[i*d+j]
		}
	}
	for iterations = 0; ; {
		multiply(sum, transposed, u)
		if iterations%sinkhornCheck == 0 && iterations > 0 || iterations == sinkhornIterations {
			miss := 0.0
			for j, s := range sum {
				miss += math.Abs(s*v[j] - 1)
			}
			if miss <= tolerance || iterations == sinkhornIterations {
				break
			}
			if math.IsNaN(miss) || math.IsInf(miss, 0) {
				return 0, false
			}
		}
		for j, s := range sum {
			v[j] = 1 / s
		}
		multiply(sum, p, v)
		for i, s := range sum {
			u[i] = 1 / s
		}
		iterations++
	}
	for i := range d {
		row := p[i*d : i*d+d]
		for j := range row {
			row[j] *= u[i] * v[j]
			if math.IsNaN(row[j]) || math.IsInf(row[j], 0) {
				return 0, false
			}
		}
	}
	return iterations, true
}

// multiply writes the product of a square matrix, row by row, and a vector.
func multiply(dst, a, x []float64) {
	d := len(x)
	for i := range dst {
		row := a[i*d : i*d+d]
		var s0, s1, s2, s3 float64
		k := 0
		for ; k+3 < d; k += 4 {
			r, y := row[k:k+4:k+4], x[k:k+4:k+4]
			s0 += r[0] * y[0]
			s1 += r[1] * y[1]
			s2 += r[2] * y[2]
			s3 += r[3] * y[3]
		}
		for ; k < d; k++ {
			s0 += row[k] * x[k]
		}
		dst[i] = s0 + s1 + (s2 + s3)
	}
}

// balanceLog is balance by its definition, for numbers of any size.
func balanceLog(p, y []float64, d int, tolerance float64) int {
	f, g := make([]float64, d), make([]float64, d)
	terms := make([]float64, d)
	iterations := 0
	for iterations < sinkhornIterations {
		for j := range g {
			for i := range terms {
				terms[i] = y[i*d+j] + f[i]
			}
			g[j] = -logSumExp(terms)
		}
		for i := range f {
			for j := range terms {
				terms[j] = y[i*d+j] + g[j]
			}
			f[i] = -logSumExp(terms)
		}
		iterations++
		if iterations%sinkhornCheck != 0 {
			continue
		}
		miss := 0.0
		for j := range g {
			for i := range terms {
				terms[i] = y[i*d+j] + f[i] + g[j]
			}
			miss += math.Abs(math.Exp(logSumExp(terms)) - 1)
		}
		if miss <= tolerance {
			break
		}
	}
	for i := range f {
		for j := range g {
			p[i*d+j] = math.Exp(y[i*d+j] + f[i] + g[j])
		}
	}
	return iterations
}

// logSumExp overwrites finite terms.
func logSumExp(terms []float64) float64 {
	top := terms[0]
	for _, v := range terms {
		top = max(top, v)
	}
	return top + math.Log(kernels.SumExp(terms, top))
}

// balanceCotangent writes the cotangent of Y given that of P = e^(Y + f + g): with
// Q = P∘P̄, its row and column sums r and c, and the diagonal matrices D_r and D_c
// of the sums of P,
//
//	(D_r − P D_c⁻¹ Pᵀ + rank 1 1ᵀ + ridge I) λ = r − P D_c⁻¹ c,
//	μ = D_c⁻¹ (c − Pᵀλ),   Ȳ = Q − P∘(λ 1ᵀ + 1 μᵀ).
//
// Without the two terms the matrix is singular along the vector of ones; rank 1
// and ridge 0 give the exact gradient. Where the matrix is not positive definite,
// near a permutation, the ridge grows from 1e-10 to 1e-2. It reports false, with
// the cotangent 0, where that does not help either.
func balanceCotangent(dst, p, ct []float64, d int, rank, ridge float64) bool {
	work := make([]float64, 2*d*d+4*d)
	scaled, system := work[:d*d], work[d*d:2*d*d]
	vectors := work[2*d*d:]
	rows, columns, right, c := vectors[:d], vectors[d:2*d], vectors[2*d:3*d], vectors[3*d:]
	for i := range d {
		for j := range d {
			e := i*d + j
			dst[e] = p[e] * ct[e]
			rows[i] += p[e]
			columns[j] += p[e]
			right[i] += dst[e]
			c[j] += dst[e]
		}
	}
	for i := range d {
		for j := range d {
			scaled[i*d+j] = p[i*d+j] / columns[j]
			right[i] -= scaled[i*d+j] * c[j]
		}
	}
	lambda := make([]float64, d)
	for next := 1e-10; ; next *= 10 {
		for i := range d {
			multiply(system[i*d:i*d+i+1], scaled[:(i+1)*d], p[i*d:i*d+d])
			for k := range i + 1 {
				system[i*d+k] = rank - system[i*d+k]
			}
			system[i*d+i] += rows[i] + ridge
		}
		copy(lambda, right)
		if solveSymmetric(system, lambda) {
			break
		}
		if next > 1.5e-2 {
			clear(dst)
			return false
		}
		ridge = max(ridge, next)
	}
	for j := range d { // μ takes the place of c
		for i := range d {
			c[j] -= p[i*d+j] * lambda[i]
		}
		c[j] /= columns[j]
	}
	for i := range d {
		for j := range d {
			dst[i*d+j] -= p[i*d+j] * (lambda[i] + c[j])
		}
	}
	return true
}

// solveSymmetric overwrites b with the solution of a x = b by Cholesky's
// factorisation, which overwrites the lower triangle of a, the only part that is
// read. It reports false where a is not positive definite.
func solveSymmetric(a, b []float64) bool {
	d := len(b)
	for i := range d {
		for k := range i + 1 {
			s := a[i*d+k]
			for l := range k {
				s -= a[i*d+l] * a[k*d+l]
			}
			if k < i {
				a[i*d+k] = s / a[k*d+k]
			} else if s > 1e-14 { // below, what is left is rounding: the diagonal is about 1
				a[i*d+i] = math.Sqrt(s)
			} else {
				return false
			}
		}
	}
	for i := range d {
		for l := range i {
			b[i] -= a[i*d+l] * b[l]
		}
		b[i] /= a[i*d+i]
	}
	for i := d - 1; i >= 0; i-- {
		for l := i + 1; l < d; l++ {
			b[i] -= a[l*d+i] * b[l]
		}
		b[i] /= a[i*d+i]
	}
	return true
}

var kernels, errKernels = vector.Default()
