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
	rate       float64 // by which the distance to the limit shrinks in an iteration, from the last two; 0 means unknown
	mean       []float64
	covariance *mat.SymDense
}

func (r *emReport) chainLength() int { return chainLength(r.rate) }

// Limits of EM. The estimates only begin the chains, and say how long these are to be.
const (
	emTolerance  = 1e-5 // of means and covariances on the standardised scale
	emIterations = 1000
	emBlocks     = 16 // sums of patterns that workers share; their number decides rounding errors, so that it is fixed
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
	for report.converged = false; report.iterations < emIterations && !report.converged; report.iterations++ {
		m, err := p.precise(report.mean, report.covariance)
		if err != nil {
			return nil, nil, err
		}
		err = parallel.ForWith(ctx, len(blocks), workers, func() *scratch { return new(scratch) }, func(w *scratch, b int) error {
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
		moved := math.Max(distance(mean, report.mean), distance(covariance.RawSymmetric().Data, report.covariance.RawSymmetric().Data))
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
		return nil, errors.New("impute: the estimated covariance matrix is singular to working precision")
	}
	mirror(m.precision)
	return m, nil
}
