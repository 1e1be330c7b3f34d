package nodescore

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/scoring"
	"tobac/internal/stream"
)

// Features is the number of random features of a [Function].
const Features = 100

// A Function is a structural equation x_j = f(x_A) + ε of Gaussian processes, drawn from its
// posterior, in the units of the data.
type Function struct {
	// NoiseVariance is that of ε, drawn too unless it is given.
	NoiseVariance float64

	mean         float64     // of f over the rows
	shift, scale []float64   // of the parents: the kernel sees (x − shift)/scale
	seed         uint64      // of the weights, below 2⁵³
	weights      [][]float64 // of the features, by feature: bias, then parents
	coefficients []float64   // by feature
	offset       float64     // mean of the features' sum over the rows
}

// featureWeights are those of the features of a function of some parents.
func featureWeights(seed uint64, parents int) [][]float64 {
	rng := stream.New(seed, stream.FunctionFeatures)
	all := make([][]float64, Features)
	for m := range all {
		all[m] = make([]float64, 1+parents)
		for k := range all[m] {
			all[m][k] = rng.NormFloat64()
		}
	}
	return all
}

// Function draws the equation of variable j given its parents. The amplitude and the noise
// variance are drawn from their exact posterior. Given these the process is replaced by
//
//	f(x) = √(5a/M) Σ_m ω_m relu(w_m·x + b_m),   ω, w, b ~ N(0, I),
//
// with M = [Features], whose covariance is the kernel on average over w and b, which are drawn
// anew for each function, and ω is drawn from its posterior. The mean of x_j over the rows has the
// standard deviation σ/√(n+α_μ). It panics if the parents are not ascending variables other than j.
func (s *GPScorer) Function(j int, parents []int, rng *rand.Rand) *Function {
	scoring.CheckParents(s.gp.d, j, parents)
	g := s.gp
	group := &g.group[g.of[j]]
	f := &Function{mean: g.means[j], NoiseVariance: g.sd[j] * g.sd[j]}
	for _, i := range parents {
		f.shift, f.scale = append(f.shift, g.centre[i]), append(f.scale, g.scale[i])
	}
	if s.variance > 0 {
		f.NoiseVariance = s.variance
	}
	if group.n == 0 {
		return f
	}
	amplitude, unit := s.drawShift(f, j, parents, rng)
	f.mean += rng.NormFloat64() * math.Sqrt(f.NoiseVariance/(float64(group.n)+scoring.AlphaMu))
	if len(parents) == 0 {
		return f
	}
	f.seed = rng.Uint64() >> 11
	f.weights = featureWeights(f.seed, len(parents))
	phi := make([][]float64, Features) // by feature, centred over the rows
	means := make([]float64, Features)
	for m, w := range f.weights {
		phi[m] = make([]float64, group.n)
		for r := range phi[m] {
			v := w[0]
			for k, i := range parents {
				v += w[k+1] * group.input[i][r]
			}
			phi[m][r] = math.Max(v, 0)
		}
		means[m] = scoring.Mean(phi[m])
		floats.AddConst(-means[m], phi[m])
	}
	f.coefficients = drawCoefficients(phi, group.target[j], 5*amplitude/Features*unit*unit,
		f.NoiseVariance, rng)
	f.offset = floats.Dot(means, f.coefficients)
	return f
}

// FunctionParameters are those of GPScorer.function.
func (s *GPScorer) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.Function(j, parents, rng).Parameters()
}

// drawShift draws the amplitude and, unless it is given, the noise variance from their
// posterior. unit is that of the amplitude's square root.
func (s *GPScorer) drawShift(f *Function, j int, parents []int,
	rng *rand.Rand) (amplitude, unit float64) {
	scratch := new(gpScratch)
	unit = s.evaluate(j, parents, scratch)
	total := floats.LogSumExp(scratch.terms)
	for k, t := range scratch.terms {
		scratch.terms[k] = math.Exp(t - total)
	}
	at := stream.Choose(rng, scratch.terms)
	if s.variance == 0 {
		f.NoiseVariance = scratch.all[at].variance * unit * unit
	}
	return scratch.all[at].amplitude, unit
}

// drawCoefficients draws c ~ p(c | y) of y = Σ_m c_m φ_m + ε, c ~ N(0, prior·I), ε ~ N(0, noise·I):
// with P = I·noise/prior + ΦΦᵀ it is normal with the mean P⁻¹Φy and the covariance noise·P⁻¹.
func drawCoefficients(phi [][]float64, y []float64, prior, noise float64,
	rng *rand.Rand) []float64 {
	k := len(phi)
	p, c := mat.NewSymDense(k, nil), make([]float64, k)
	for i := range k {
		c[i] = floats.Dot(phi[i], y)
		for h := range i + 1 {
			p.SetSym(i, h, floats.Dot(phi[i], phi[h]))
		}
		p.SetSym(i, i, p.At(i, i)+noise/prior)
	}
	root := scoring.Factorise(p)
	scoring.Solve(root, c)
	above := blas64.Vector{N: k, Inc: 1, Data: make([]float64, k)}
	for i := range above.Data {
		above.Data[i] = math.Sqrt(noise) * rng.NormFloat64()
	}
	blas64.Trsv(blas.NoTrans, root, above) // P = UᵀU, so that U⁻¹z has the covariance noise·P⁻¹
	floats.Add(c, above.Data)
	return c
}

// Mean writes f to dst, one element for each row; columns[k] holds the values of parent
// number k. It panics if there are not as many columns as parents.
func (f *Function) Mean(dst []float64, columns [][]float64) {
	if len(columns) != len(f.shift) {
		panic(fmt.Sprintf("score: function of %d parents, got %d columns", len(f.shift),
			len(columns)))
	}
	x := make([]float64, len(columns))
	for r := range dst {
		for k, c := range columns {
			x[k] = (c[r] - f.shift[k]) / f.scale[k]
		}
		sum := 0.0
		for m, w := range f.weights {
			v := w[0]
			for k, c := range x {
				v += w[k+1] * c
			}
			if v > 0 {
				sum += f.coefficients[m] * v
			}
		}
		dst[r] = f.mean + sum - f.offset
	}
}

// Numbers before those of the parents in the parameters of a function.
const functionHeader = 5

// Parameters are the function as numbers, of which [NewFunction] makes it again: the noise
// variance, the mean, the offset, the seed of the features' weights, the number of features, then
// shift and scale of each parent and the coefficient of each feature.
func (f *Function) Parameters() []float64 {
	out := []float64{f.NoiseVariance, f.mean, f.offset, float64(f.seed),
		float64(len(f.coefficients))}
	for k := range f.shift {
		out = append(out, f.shift[k], f.scale[k])
	}
	return append(out, f.coefficients...)
}

// NewFunction is the function of so many parents at the beginning of parameters, and the parameters
// after it. Numbers that no function has are an error.
func NewFunction(parents int, parameters []float64) (f *Function, rest []float64, err error) {
	fault := func(format string, args ...any) (*Function, []float64, error) {
		return nil, nil,
			fmt.Errorf("score: function of %d parents: "+format, append([]any{parents}, args...)...)
	}
	coefficients := functionHeader + 2*parents // where they begin
	if len(parameters) < coefficients {
		return fault("got %d parameters, want at least %d", len(parameters), coefficients)
	}
	f = &Function{NoiseVariance: parameters[0], mean: parameters[1], offset: parameters[2]}
	seed, count := parameters[3], parameters[4]
	switch {
	case !(f.NoiseVariance >= 0):
		return fault("got the noise variance %v, want 0 or more", f.NoiseVariance)
	case seed != math.Trunc(seed) || seed < 0 || seed >= 1<<53:
		return fault("got the seed %v, want a whole number from 0 to 2^53-1", seed)
	case count != 0 && (count != Features || parents == 0):
		return fault("got %v features, want %d, or none", count, Features)
	case len(parameters)-coefficients < int(count):
		return fault("got %d parameters, want at least %d", len(parameters),
			coefficients+int(count))
	}
	end := coefficients + int(count)
	for k, v := range parameters[:end] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault("parameter %d is %v, want a finite number", k+1, v)
		}
	}
	for k := range parents {
		shift, scale := parameters[functionHeader+2*k], parameters[functionHeader+2*k+1]
		if scale == 0 {
			return fault("the scale of parent %d is 0", k+1)
		}
		f.shift, f.scale = append(f.shift, shift), append(f.scale, scale)
	}
	if count > 0 {
		f.seed, f.coefficients = uint64(seed), parameters[coefficients:end]
		f.weights = featureWeights(f.seed, parents)
	}
	return f, parameters[end:], nil
}
