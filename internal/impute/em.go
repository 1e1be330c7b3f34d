package impute

import (
	"context"
	"errors"
	"math"
	"slices"

	"tobac/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// An emReport says how EM went.
type emReport struct {
	iterations int
	converged  bool
	// by which the distance to the limit shrinks in an iteration, from the last two; 0 means
	// unknown
	rate       float64
	mean       []float64
	covariance *mat.SymDense
}

func (r *emReport) chainLength() int { return chainLength(r.rate) }

// Limits of EM. The estimates only begin the chains, and say how long these are to be.
const (
	emTolerance  = 1e-5 // of means and covariances on the standardised scale
	emIterations = 1000
	// sums of patterns that workers share; their number decides rounding errors, so that it is
	// fixed
	emBlocks = 16
)

// maximise finds the mean and covariance matrix of greatest likelihood of the observed values and
// the prior's rows: one iteration takes the expected sums given the observed values, and
//
//	μ = x̄,   Σ = (S + λI)/(n + λ).
func (p *problem) maximise(ctx context.Context, workers int) (*normal, *emReport, error) {
	report := &emReport{mean: make([]float64, p.d), converged: true}
	if p.d == 0 {
		return &normal{}, report, nil
	}
	report.covariance = mat.NewSymDense(p.d, nil)
	for a := range p.d {
		report.covariance.SetSym(a, a, 1)
	}
	values := make([]float64, p.gaps)
	blocks := p.blocks()
	parts := make([]*statistics, len(blocks))
	for b := range parts {
		parts[b] = newStatistics(p.d, true)
	}
	sum := newStatistics(p.d, true)
	step := 0.0
	for report.converged = false; report.iterations < emIterations &&
		!report.converged; report.iterations++ {
		m, err := p.precise(report.mean, report.covariance)
		if err != nil {
			return nil, nil, err
		}
		err = parallel.ForWith(ctx, len(blocks), workers, func() *scratch {
			return new(scratch)
		}, func(w *scratch, b int) error {
			parts[b].reset()
			return p.fill(blocks[b], m, values, parts[b], w, nil)
		})
		if err != nil {
			return nil, nil, err
		}
		sum.reset()
		for _, s := range parts {
			sum.add(s)
		}
		mean, covariance := p.moments(sum)
		p.withRidge(covariance)
		covariance.ScaleSym(1/(float64(p.n)+p.prior.ridge), covariance)
		mirror(covariance)
		moved := math.Max(distance(mean, report.mean),
			distance(covariance.RawSymmetric().Data, report.covariance.RawSymmetric().Data))
		report.mean, report.covariance = mean, covariance
		if step > 0 {
			report.rate = moved / step
		}
		step = moved
		report.converged = moved < emTolerance
	}
	m, err := p.precise(report.mean, report.covariance)
	return m, report, err
}

// blocks are about equal numbers of rows, pattern by pattern.
func (p *problem) blocks() [][]pattern {
	rows := 0
	for _, q := range p.patterns {
		rows += len(q.rows)
	}
	var out [][]pattern
	from, taken := 0, 0
	for k, q := range p.patterns {
		if taken += len(q.rows); taken*emBlocks >= rows*(len(out)+1) {
			out = append(out, p.patterns[from:k+1])
			from = k + 1
		}
	}
	return out
}

// precise is the normal distribution with a mean and a covariance matrix.
func (p *problem) precise(mean []float64, covariance *mat.SymDense) (*normal, error) {
	var chol mat.Cholesky
	if !chol.Factorize(covariance) {
		return nil, errors.New("impute: the estimated covariance matrix is not positive definite")
	}
	m := &normal{mean: slices.Clone(mean), precision: mat.NewSymDense(p.d, nil)}
	if err := chol.InverseTo(m.precision); err != nil {
		return nil, errors.New(
			"impute: the estimated covariance matrix is singular to working precision")
	}
	mirror(m.precision)
	return m, nil
}

// A prior of the covariance matrix on the standardised scale: inverse Wishart with the scale matrix
// ridge·I and df degrees of freedom, which may be negative.
type prior struct {
	ridge, df float64
}

// newPrior is the one of the package comment for d columns of which any two are both observed in at
// least m rows.
func newPrior(m, d int) prior {
	df := func(ridge float64) float64 {
		r := float64(min(d-1, m-1))
		if r <= 0 {
			return ridge
		}
		share := float64(m*d) / r // mean eigenvalue of the scatter that is not 0
		return ridge - r*share/(share+ridge)
	}
	enough := func(ridge float64) bool { return float64(m)-1+df(ridge) >= float64(d+2) }
	const least = 0.01 // leaves residual variances alone, however strongly columns are correlated
	lower, upper := least, least
	for !enough(upper) {
		lower, upper = upper, 2*upper
	}
	for upper-lower > 1e-9*upper { // df grows with the ridge
		if middle := (lower + upper) / 2; enough(middle) {
			upper = middle
		} else {
			lower = middle
		}
	}
	return prior{ridge: upper, df: df(upper)}
}

// chainLength is the number of iterations that bring an autocorrelation of rate per iteration below
// 1/1000.
func chainLength(rate float64) int {
	const fewest, most = 20, 500
	if !(rate < 1) {
		return most
	}
	if rate <= 0 {
		return fewest
	}
	return int(math.Min(most, math.Max(fewest, math.Ceil(math.Log(1e-3)/math.Log(rate)))))
}
