package models

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// OutputLayer says what becomes of the last layer of a network.
type OutputLayer int

const (
	// SampledOutput makes its weights parameters like all others, as published: [NewFeedForward].
	SampledOutput OutputLayer = iota
	// IntegratedOutput integrates them out in closed form: [NewIntegratedNetwork].
	IntegratedOutput
)

var outputLayerNames = []string{"sampled", "integrated"}

// String is the name of the choice on the command line.
func (o OutputLayer) String() string {
	return words.Name(o, outputLayerNames...)
}

// integratedNetwork is the model of [NewIntegratedNetwork].
type integratedNetwork struct {
	net     *feedForward
	hidden  int         // parameters of the layers before the last
	nodes   []noiseGrid // by variable
	squares []float64   // mean of the squares of each variable, or σ² where that is 0
}

// A noiseGrid are the points of a sum over noise variances, of which there is one if it is given.
type noiseGrid struct{ variances, logWeights []float64 }

var _ Likelihood = (*integratedNetwork)(nil)

// NewIntegratedNetwork is the model of [NewFeedForward], which has the same arguments, with the
// weights and the bias of every output integrated out. Given the layers before it, with
//
//	Φ = [a(H), 1] of variable j (n×m),   B = I + σ_p² ΦᵀΦ/σ²,   b = σ_p Φᵀy/σ²,
//	log p(D_j|G,Θ) = −(n/2) ln(2πσ²) − ½ ln|B| − ½ (yᵀy/σ² − bᵀB⁻¹b),                (1)
//	W, b | D, G, Θ ~ N(σ_p B⁻¹b, σ_p² B⁻¹).                                          (2)
//
// Its parameters are those of the network without the last layer's, in the same places. Without a
// hidden layer Φ = [X diag(G_·j), 1], which is the linear model without parameters.
//
// A noise variance that is not given, [OwnVariances], is integrated out numerically: by the
// trapezoidal rule in ln σ_j² from four times the mean square of x_j (more with few rows) down to
// 1/1000 of it, at distances of at most twice √(2/n_j), about two posterior standard deviations, so
// that the sum is exact to some per cent of a factor. It takes six times as long as a given
// variance (100 rows). With [VarianceParameters] the ln σ_j² are the last d parameters.
// The likelihood is also [Flippable] and [Separate].
func NewIntegratedNetwork(x, intervened mat.Matrix, opt FeedForwardOptions) (Likelihood, error) {
	net, err := newFeedForward(x, intervened, opt)
	if err != nil {
		return nil, err
	}
	v := &integratedNetwork{net: net, hidden: net.layers[len(net.layers)-1].weights}
	for j := range net.d {
		rows, n := net.observations(j)
		square := 0.0
		for i := range n {
			square += rows.At(i, j) * rows.At(i, j)
		}
		v.nodes = append(v.nodes, net.noise.grid(square, n))
		if square == 0 {
			square = net.noise.variance * float64(max(n, 1))
		}
		v.squares = append(v.squares, square/float64(max(n, 1)))
	}
	return v, nil
}

// grid are the points for n rows with the sum of squares square: without rows, quantiles of the
// prior.
func (m noiseModel) grid(square float64, n int) (g noiseGrid) {
	if m.kind != OwnVariances {
		return noiseGrid{[]float64{m.variance}, []float64{0}}
	}
	if n == 0 {
		const quantiles = 64
		for k := range quantiles {
			v := m.variance /
				distuv.ChiSquared{K: 2 * noiseShape}.Quantile((float64(k)+0.5)/quantiles)
			g.variances, g.logWeights = append(g.variances, v),
				append(g.logWeights, -math.Log(quantiles))
		}
		return g
	}
	rows, centre := float64(n), square/float64(n)
	if square == 0 {
		centre = m.variance
	}
	// Beyond c times the mean square at most c^(−(n+1)/2) of the integral is left.
	widest, narrowest := math.Max(4, math.Pow(1e3, 2/(rows+1))), 1e-3
	step := math.Min(0.5, 2*math.Sqrt(2/rows))
	points := 1 + int(math.Ceil(math.Log(widest/narrowest)/step))
	step = math.Log(widest/narrowest) / float64(points-1)
	for k := range points {
		v := widest * centre * math.Exp(-step*float64(k))
		g.variances = append(g.variances, v)
		g.logWeights = append(g.logWeights,
			math.Log(step)+m.normalisation()-noiseShape*math.Log(v)-m.scale()/v)
	}
	return g
}

// Vars implements [Likelihood].
func (v *integratedNetwork) Vars() int { return v.net.d }

// ParamLen implements [Likelihood]: d(dh + h) for one hidden layer of h units with biases.
func (v *integratedNetwork) ParamLen() int { return v.hidden + v.net.noise.params() }

// InitParams implements [Likelihood]: as those of [NewFeedForward], with variances about half the
// mean square of the variable.
func (v *integratedNetwork) InitParams(dst []float64, rng *rand.Rand) {
	v.net.InitParams(dst, rng)
	for j := range dst[v.hidden:] {
		dst[v.hidden+j] = math.Log(v.squares[j]/2) + 0.5*rng.NormFloat64()
	}
}

// Terms implements [Likelihood].
func (v *integratedNetwork) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	f := v.net
	prior = g.Builder().Constant(make([]float64, f.d), autograd.Shape{f.d})
	data = prior
	last := len(f.layers) - 1
	var logs *autograd.Node
	if n := f.noise.params(); n > 0 {
		logs = theta.Gather(span(v.hidden, n), autograd.Shape{n})
		prior = f.noise.prior(logs)
	}
	for j := range f.d {
		if last > 0 {
			prior = f.put(prior, j, f.priorOf(f.layers[:last], j, g, theta))
		}
		if rows, n := f.observations(j); n > 0 {
			data = f.put(data, j, v.evidence(j, rows, v.features(j, rows, g, theta), logs))
		}
	}
	return prior, data
}

// features is Φ of variable j in the given rows without the column of ones, n×m.
func (v *integratedNetwork) features(j int, rows *mat.Dense,
	g, theta *autograd.Node) *autograd.Node {
	f := v.net
	if last := len(f.layers) - 1; last > 0 {
		return f.opt.Activation.apply(f.through(f.layers[:last], j, rows, g, theta))
	}
	n, _ := rows.Dims()
	return g.Builder().Constant(mat.DenseCopyOf(rows).RawMatrix().Data,
		autograd.Shape{n, f.d}).Mul(f.parents(j, g).T())
}

// evidence is (1) of variable j, averaged over its noise variances.
func (v *integratedNetwork) evidence(j int, rows *mat.Dense,
	phi, logs *autograd.Node) *autograd.Node {
	n, _ := rows.Dims()
	b, grid := phi.Builder(), v.nodes[j]
	inverse, constants := make([]float64, len(grid.variances)), make([]float64, len(grid.variances))
	for k, s := range grid.variances {
		inverse[k] = 1 / s
		constants[k] = grid.logWeights[k] - 0.5*float64(n)*math.Log(2*math.Pi*s)
	}
	precision := b.Constant(inverse, autograd.Shape{len(inverse), 1, 1})
	constant := b.Constant(constants, autograd.Shape{len(inverse)})
	if logs != nil {
		own := logs.Index(0, j)
		precision = own.Neg().Exp().Reshape(autograd.Shape{1, 1, 1})
		constant = own.AddScalar(math.Log(2 * math.Pi)).Scale(-0.5 * float64(n)).Reshape(
			autograd.Shape{1})
	}
	features := phi.Shape()[1]
	if !v.net.opt.NoBias {
		features++
	}
	return eliminate(v.gram(j, rows, phi), precision, features).Add(constant).LogSumExp()
}

// gram is the upper triangle of the Gram matrix of the columns σ_p Φ and y, and zeros below the
// part that depends on the network.
func (v *integratedNetwork) gram(j int, rows *mat.Dense, phi *autograd.Node) *autograd.Node {
	n, _ := rows.Dims()
	b, h := phi.Builder(), phi.Shape()[1]
	sd := math.Sqrt(v.net.opt.ParamVariance)
	fixed := mat.NewDense(n, 2, nil) // the columns that do not depend on it
	for i := range n {
		fixed.SetRow(i, []float64{sd, rows.At(i, j)})
	}
	if v.net.opt.NoBias {
		fixed = mat.DenseCopyOf(fixed.Slice(0, n, 1, 2))
	}
	_, c := fixed.Dims()
	var own mat.Dense
	own.Mul(fixed.T(), fixed)
	below := mat.NewDense(c, h+c, nil)
	below.Slice(0, c, h, h+c).(*mat.Dense).Copy(&own)
	right := phi.T().MatMul(b.Constant(fixed.RawMatrix().Data, autograd.Shape{n, c})).Scale(sd)
	if h == 0 {
		return b.Constant(below.RawMatrix().Data, autograd.Shape{c, h + c})
	}
	return autograd.Concat(0, autograd.Concat(1, phi.T().MatMul(phi).Scale(sd*sd), right),
		b.Constant(below.RawMatrix().Data, autograd.Shape{c, h + c}))
}

// eliminate is −½ ln|B| − ½ (yᵀy/σ² − bᵀB⁻¹b) for each of k precisions 1/σ² (k×1×1), by Gaussian
// elimination of the m features from [[B, b], [bᵀ, yᵀy/σ²]]. It reads only the upper triangle, and
// is made of operations on single elements, so that the compiler runs it on all sampled graphs at
// once.
func eliminate(gram, precision *autograd.Node, m int) *autograd.Node {
	b, k := gram.Builder(), precision.Shape()[0]
	eye := make([]float64, (m+1)*(m+1))
	for i := range m {
		eye[i*(m+1)+i] = 1
	}
	a := gram.Reshape(autograd.Shape{1, m + 1, m + 1}).Mul(precision).Add(
		b.Constant(eye, autograd.Shape{1, m + 1, m + 1}))
	var product, logs *autograd.Node
	for r := m; r > 0; r-- {
		pivot := a.Slice(1, 0, 1).Slice(2, 0, 1)
		row := a.Slice(1, 0, 1).Slice(2, 1, r+1)
		a = a.Slice(1, 1, r+1).Slice(2, 1,
			r+1).Sub(row.Transpose(0, 2, 1).Mul(row.Mul(pivot.Inverse())))
		if product == nil {
			product = pivot
		} else {
			product = product.Mul(pivot)
		}
		const groups = 8 // of pivots, whose product is no overflow
		if (m-r)%groups == groups-1 || r == 1 {
			if l := product.Log(); logs == nil {
				logs = l
			} else {
				logs = logs.Add(l)
			}
			product = nil
		}
	}
	if logs != nil {
		a = a.Add(logs)
	}
	return a.Scale(-0.5).Reshape(autograd.Shape{k})
}
