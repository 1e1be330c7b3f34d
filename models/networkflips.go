package models

import (
	"math"

	"tobac/internal/ridge"
	"tobac/internal/vector"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Flippable = (*integratedNetwork)(nil)

// Flipper implements [Flippable]: the pre-activations of the units are linear in the masked inputs,
// so that a flip adds a multiple of one column to each. Networks with another number of hidden
// layers than one have none.
func (v *integratedNetwork) Flipper() Flipper {
	kernels, err := vector.Default()
	if len(v.net.layers) != 2 || err != nil {
		return nil
	}
	n, d := v.net.x.Dims()
	h := v.net.layers[0].out
	f := &networkFlipper{v: v, kernels: kernels, units: h, features: h + 1,
		sd: math.Sqrt(v.net.opt.ParamVariance), columns: make([][]float64, d)}
	if v.net.opt.NoBias {
		f.features--
	}
	f.solver = ridge.New(f.features)
	// Columns of variables with the same rows are shared.
	same := map[*int][]float64{}
	for j := range d {
		var first *int
		if v.net.rows != nil && len(v.net.rows[j]) > 0 {
			first = &v.net.rows[j][0]
		}
		if f.columns[j] = same[first]; f.columns[j] == nil {
			if rows, count := v.net.observations(j); count > 0 {
				f.columns[j] = mat.DenseCopyOf(rows.T()).RawMatrix().Data
			}
			same[first] = f.columns[j]
		}
	}
	k := f.features + 1
	f.pre, f.work = make([]float64, h*n), make([]float64, h*n)
	f.phi, f.gram, f.inverse = make([]float64, k*n), make([]float64, k*k),
		make([]float64, f.features*f.features)
	f.mean, f.unit, f.slope = make([]float64, f.features), make([]float64, f.features),
		make([]float64, h*n)
	f.volumes, f.joint, f.stack = make([]float64, d),
		make([]float64, (h+f.features)*(h+f.features)), make([]float64, (h+f.features)*n)
	f.residual, f.total = make([]float64, n), make([]float64, h*n)
	return f
}

// A networkFlipper evaluates networks with one hidden layer, the output layer integrated out.
type networkFlipper struct {
	v               *integratedNetwork
	kernels         vector.Set
	solver          *ridge.Solver
	units, features int
	sd              float64     // σ_p
	columns         [][]float64 // of each variable: the columns of its rows, d×n
	theta           []float64

	pre, work []float64 // units×n: pre-activations, of the set and of a flip
	phi       []float64 // σ_p Φᵀ and y, (features+1)×n
	gram      []float64 // of these
	logs      []float64 // of the points of a grid
	volumes   []float64 // of the edges of a set
	joint     []float64 // curvature of output layer and weights of an edge
	stack     []float64 // σ_p Φᵀ and Jᵀ, by the noise's standard deviation

	inverse, mean, unit    []float64 // B⁻¹, B⁻¹b, and a column
	slope, residual, total []float64 // ∂ activation, y − Φμ, and ∂/∂(pre-activations)
}

// Set implements [Flipper].
func (f *networkFlipper) Set(theta []float64) { f.theta = theta }

// weights are those of the edge i → j.
func (f *networkFlipper) weights(j, i int) []float64 {
	l := f.v.net.layers[0]
	return f.theta[l.weights+(j*l.in+i)*l.out:][:l.out]
}

// biases are those of variable j; nil means there are none.
func (f *networkFlipper) biases(j int) []float64 {
	l := f.v.net.layers[0]
	if l.biases < 0 {
		return nil
	}
	return f.theta[l.biases+j*l.out:][:l.out]
}

// observations is the number of rows of a variable.
func (f *networkFlipper) observations(j int) int { return len(f.columns[j]) / f.v.net.d }

// Terms implements [Flipper].
func (f *networkFlipper) Terms(dst []Term, j int, in []bool, flips []int) {
	n := f.observations(j)
	prior := f.prior(j, in)
	f.prepare(j, n)
	f.preActivations(j, n, in)
	dst[0] = Term{Prior: prior, Data: f.evidence(j, n, f.pre)}
	for i, v := range in {
		f.volumes[i] = 0
		if v {
			f.volumes[i] = f.logVolume(j, i, n, f.pre)
		}
	}
	dst[0].Volume = floats.Sum(f.volumes)
	for k, i := range flips {
		w, sign := f.weights(j, i), 1.0
		if in[i] {
			sign = -1
		}
		dst[1+k].Prior = prior + sign*f.logNormal(w)
		if n > 0 {
			x := f.columns[j][i*n : (i+1)*n]
			for a, v := range w {
				f.kernels.AddScaled(f.work[a*n:(a+1)*n], f.pre[a*n:(a+1)*n], sign*v, x)
			}
		}
		dst[1+k].Data = f.evidence(j, n, f.work)
		dst[1+k].Volume = dst[0].Volume - f.volumes[i]
		if !in[i] {
			dst[1+k].Volume += f.logVolume(j, i, n, f.work)
		}
	}
}

// logVolume is ½ ln |2π H⁻¹| of the weights of the edge i → j, at the pre-activations whose
// evidence was evaluated last. H is Gauss and Newton's curvature with the output layer integrated
// out: with J the derivative of the mean of x_j with respect to these weights, the output layer at
// its posterior mean, the Schur complement of B = I + ΦᵀΦ/s in
//
//	[ B       ΦᵀJ/s           ]
//	[ JᵀΦ/s   I/σ_p² + JᵀJ/s ]
func (f *networkFlipper) logVolume(j, i, n int, pre []float64) float64 {
	h, m := f.units, f.features
	k := h + m
	clear(f.joint)
	if n > 0 {
		variances := f.variances(j)
		variance := variances[floats.MaxIdx(f.logs)]
		if len(variances) > 1 {
			f.solver.LogEvidence(f.gram, n, variance)
		}
		f.solver.Mean(f.mean)
		f.v.net.opt.Activation.Slopes(f.slope[:f.units*n], f.phi, pre, f.sd)
		x, scale := f.columns[j][i*n:(i+1)*n], 1/math.Sqrt(variance)
		f.kernels.Scale(f.stack[:m*n], f.phi[:m*n], scale)
		for a := range h {
			row := f.stack[(m+a)*n : (m+a+1)*n]
			f.kernels.MulEach(row, f.slope[a*n:(a+1)*n], x)
			f.kernels.Scale(row, row, f.mean[a]*scale)
		}
		f.kernels.AddGram(blas64.General{Rows: k, Cols: k, Stride: k, Data: f.joint},
			blas64.General{Rows: k, Cols: n, Stride: n, Data: f.stack[:k*n]})
	}
	for a := range k {
		if a < m {
			f.joint[a*k+a]++
		} else {
			f.joint[a*k+a] += 1 / f.v.net.opt.ParamVariance
		}
	}
	return 0.5 * (float64(h)*math.Log(2*math.Pi) - logPivots(f.joint, k, m))
}

// logPivots is the sum of the logarithms of the pivots of a positive definite k×k matrix from the
// given one on. It overwrites the lower triangle, which alone it reads.
func logPivots(a []float64, k, from int) (sum float64) {
	for r := range k {
		row := a[r*k : r*k+r+1]
		for c := range row {
			other := a[c*k : c*k+c+1]
			v := row[c]
			for e := range c {
				v -= row[e] * other[e]
			}
			if c < r {
				row[c] = v * other[c] // the diagonal holds inverses
				continue
			}
			if row[c] = 1 / math.Sqrt(v); r >= from {
				sum += math.Log(v)
			}
		}
	}
	return sum
}

// logNormal is the log prior of weights.
func (f *networkFlipper) logNormal(w []float64) float64 {
	s := f.v.net.opt.ParamVariance
	return -0.5*floats.Dot(w, w)/s - 0.5*float64(len(w))*math.Log(2*math.Pi*s)
}

// prior is that of the parameters of variable j.
func (f *networkFlipper) prior(j int, in []bool) float64 {
	sum := f.logNormal(f.biases(j))
	for i, v := range in {
		if v {
			sum += f.logNormal(f.weights(j, i))
		}
	}
	if m := f.v.net.noise; m.params() > 0 {
		logs := f.theta[f.v.hidden+j]
		sum += m.normalisation() - noiseShape*logs - m.scale()*math.Exp(-logs)
	}
	return sum
}

// prepare fills the parts of phi and gram that depend on no network.
func (f *networkFlipper) prepare(j, n int) {
	k := f.features + 1
	for a := f.units; a < k; a++ {
		row := f.phi[a*n : (a+1)*n]
		if a < f.features {
			for r := range row {
				row[r] = f.sd
			}
		} else if n > 0 {
			copy(row, f.columns[j][j*n:(j+1)*n])
		}
	}
}

// preActivations computes those of a set of parents.
func (f *networkFlipper) preActivations(j, n int, in []bool) {
	if n == 0 {
		return
	}
	biases := f.biases(j)
	for a := range f.units {
		pre := f.pre[a*n : (a+1)*n]
		for r := range pre {
			pre[r] = 0
			if biases != nil {
				pre[r] = biases[a]
			}
		}
		for i, v := range in {
			if v {
				f.kernels.AddScaled(pre, pre, f.weights(j, i)[a], f.columns[j][i*n:(i+1)*n])
			}
		}
	}
}

// evidence is log p(x_j | Θ) with these pre-activations, whose activations and products it leaves
// in phi and gram.
func (f *networkFlipper) evidence(j, n int, pre []float64) float64 {
	if n == 0 {
		return 0
	}
	k := f.features + 1
	f.v.net.opt.Activation.Values(f.phi[:f.units*n], pre[:f.units*n], f.sd)
	clear(f.gram)
	f.kernels.AddGram(blas64.General{Rows: k, Cols: k, Stride: k, Data: f.gram},
		blas64.General{Rows: k, Cols: n, Stride: n, Data: f.phi})
	return floats.LogSumExp(f.logEvidences(j, n))
}

// logEvidences are those under the noise variances of variable j, with their weights.
func (f *networkFlipper) logEvidences(j, n int) []float64 {
	f.logs = f.logs[:0]
	for q, s := range f.variances(j) {
		e := f.solver.LogEvidence(f.gram, n, s)
		if math.IsNaN(e) {
			e = math.Inf(-1)
		}
		f.logs = append(f.logs, e+f.v.nodes[j].logWeights[q])
	}
	return f.logs
}

// variances are the points over which the noise variance of j is summed, or the parameter.
func (f *networkFlipper) variances(j int) []float64 {
	if f.v.net.noise.params() > 0 {
		return []float64{math.Exp(f.theta[f.v.hidden+j])}
	}
	return f.v.nodes[j].variances
}

// AddGradient implements [Flipper]. With Φ scaled by σ_p, B = I + ΦᵀΦ/s, μ = B⁻¹Φᵀy/s and r = y −
// Φμ,
//
//	∂/∂Φ    = (r μᵀ − Φ B⁻¹)/s
//	∂/∂ln s = ½|r|²/s − ½(n − m + tr B⁻¹)
func (f *networkFlipper) AddGradient(dst []float64, j int, in []bool, weight, beta float64) {
	f.addPrior(dst, j, in, weight)
	n := f.observations(j)
	if n == 0 || beta == 0 {
		return
	}
	f.prepare(j, n)
	f.preActivations(j, n, in)
	f.evidence(j, n, f.pre)
	total := floats.LogSumExp(f.logs)
	clear(f.total[:f.units*n])
	logs := append([]float64(nil), f.logs...)
	for q, s := range f.variances(j) {
		f.point(dst, j, n, s, weight*beta*math.Exp(logs[q]-total))
	}
	f.v.net.opt.Activation.Slopes(f.slope[:f.units*n], f.phi, f.pre, f.sd)
	f.kernels.MulEach(f.total[:f.units*n], f.total[:f.units*n], f.slope[:f.units*n])
	l := f.v.net.layers[0]
	for a := range f.units {
		row := f.total[a*n : (a+1)*n]
		if l.biases >= 0 {
			dst[l.biases+j*l.out+a] += f.kernels.Sum(row)
		}
		for i, v := range in {
			if v {
				f.kernels.MulEach(f.work[:n], row, f.columns[j][i*n:(i+1)*n])
				dst[l.weights+(j*l.in+i)*l.out+a] += f.kernels.Sum(f.work[:n])
			}
		}
	}
}

// addPrior adds weight·∂/∂Θ of the prior.
func (f *networkFlipper) addPrior(dst []float64, j int, in []bool, weight float64) {
	l, s := f.v.net.layers[0], f.v.net.opt.ParamVariance
	if b := f.biases(j); b != nil {
		floats.AddScaled(dst[l.biases+j*l.out:][:l.out], -weight/s, b)
	}
	for i, v := range in {
		if v {
			floats.AddScaled(dst[l.weights+(j*l.in+i)*l.out:][:l.out], -weight/s, f.weights(j, i))
		}
	}
	if m := f.v.net.noise; m.params() > 0 {
		at := f.v.hidden + j
		dst[at] += weight * (m.scale()*math.Exp(-f.theta[at]) - noiseShape)
	}
}

// point adds scale·∂/∂Φ at the noise variance s to total, and the derivative with respect to a
// variance that is a parameter to dst.
func (f *networkFlipper) point(dst []float64, j, n int, s, scale float64) {
	m := f.features
	f.solver.LogEvidence(f.gram, n, s)
	f.solver.Mean(f.mean)
	clear(f.inverse[:m*m])
	for a := range m { // B⁻¹ = Σ_a (L⁻ᵀe_a)(L⁻ᵀe_a)ᵀ
		clear(f.unit)
		f.unit[a] = 1
		f.solver.Draw(f.unit)
		floats.Sub(f.unit, f.mean)
		for c := range m {
			floats.AddScaled(f.inverse[c*m:(c+1)*m], f.unit[c], f.unit)
		}
	}
	residual := f.residual[:n]
	copy(residual, f.phi[m*n:(m+1)*n])
	for c := range m {
		f.kernels.AddScaled(residual, residual, -f.mean[c], f.phi[c*n:(c+1)*n])
	}
	for a := range f.units {
		row := f.total[a*n : (a+1)*n]
		f.kernels.AddScaled(row, row, scale*f.mean[a]/s, residual)
		for c := range m {
			f.kernels.AddScaled(row, row, -scale*f.inverse[c*m+a]/s, f.phi[c*n:(c+1)*n])
		}
	}
	if f.v.net.noise.params() > 0 {
		trace := 0.0
		for a := range m {
			trace += f.inverse[a*m+a]
		}
		dst[f.v.hidden+j] += scale * 0.5 * (floats.Dot(residual, residual)/s - float64(n-m) - trace)
	}
}
