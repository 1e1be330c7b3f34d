// Package problems holds what the engines of this module, and the runs of them, ask of an
// [engine.Problem]: models to compare, the prior in closed form, the scale of the columns, its size
// and memory, and the sentences with which several engines refuse one.
package problems

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/priors"
	"tobac/internal/scoring"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
)

// NeedsScores is the error of an engine that needs node scores.
func NeedsScores(p *engine.Problem, e engine.Engine) error {
	allowed := "engines tempering and svgd"
	if n, ok := sem.As[sem.Network](p.Model); ok && n.Layers() > 1 {
		allowed = "engine svgd"
	}
	return fmt.Errorf("the model %v has no node scores in closed form, which the engine %s "+
		"needs; allowed: the %s", p.Model, e.Name(), allowed)
}

// NeedsLikelihood is the error of SVGD for a model without a likelihood that it could
// differentiate.
func NeedsLikelihood(m sem.Model) error {
	return fmt.Errorf("the model %v has no likelihood that SVGD could differentiate; allowed: "+
		"parameters integrated, or the engines exact and mcmc", m)
}

// NeedsIntegrals is the error of SVGD for a model whose parameters cannot be integrated out.
func NeedsIntegrals(m sem.Model) error {
	return fmt.Errorf("the model %v has no node scores, by which its parameters could be "+
		"integrated out; allowed: parameters sampled", m)
}

// InfersOrder is the error of an engine that takes no orders that a method finds.
func InfersOrder(e engine.Engine) error {
	return fmt.Errorf("the engine %s infers the order, and takes none that a method finds; "+
		"allowed: the engine svgd", e.Name())
}

// LearnsOrders is the error of an engine that learns what orders are probable; nil if orders are
// left to it.
func LearnsOrders(p *engine.Problem, e engine.Engine) error {
	if o := &p.Order; o.Method != nil || o.Count != 0 || o.Weights != 0 {
		return fmt.Errorf("the engine %s learns what orders are probable, and takes none that a "+
			"method finds or that are drawn from a posterior", e.Name())
	}
	return nil
}

// ScoredModels are the models to compare.
func ScoredModels(p *engine.Problem) []sem.Scored {
	if p.Shared.Model != nil {
		return []sem.Scored{p.Shared.Model}
	}
	if m, ok := sem.As[sem.Scored](p.Model); ok {
		return []sem.Scored{m}
	}
	return sem.Compared(p.Data)
}

// SettleModel keeps the evidences of the models compared, and takes the best where the model is
// open.
func SettleModel(p *engine.Problem, best sem.Model, all []sem.Evidence) {
	if p.Evidence = all; p.Model == nil {
		p.Model = best
	}
}

// ClosedPrior is the prior in closed form, for d variables and expected edges per variable.
func ClosedPrior(p *engine.Problem, d int, density float64) (*score.Prior, error) {
	if p.Order.Known != nil {
		return priors.AlongOrder(&p.Prior, d, density)
	}
	return p.Prior.Product(d, density)
}

// Size is what the memory of a problem depends on.
func Size(p *engine.Problem) engine.Size {
	n, d := p.Data.X.Dims()
	size := engine.Size{Rows: n, Vars: d}
	all := ScoredModels(p)
	if !p.Scored() {
		all = all[:1] // estimated evidences take its place
	}
	for _, m := range all {
		if len(all) > 1 && sem.Unsuited(m, p.Data) != "" {
			continue
		}
		size.Models++
		// Of what the node scores keep when chains over d variables ask for them.
		if v, ok := sem.As[interface{ ScoreBytes(d int) float64 }](m); ok {
			size.ScoreBytes += v.ScoreBytes(d)
		}
		_, size.Functions = m.(interface {
			sem.Scored
			sem.Structural
		})
	}
	return size
}

// TakeDensity fixes the number of edges per node of the prior, where exact sums would average over
// it, and says so.
func TakeDensity(p *engine.Problem, v float64, notes []string) []string {
	if q := &p.Prior; q.Kind == background.Sparse && q.Probabilities == nil && q.Own == nil &&
		q.EdgesPerNode == 0 && v > 0 {
		q.EdgesPerNode = v
		notes = append(notes, fmt.Sprintf("%.3g edges per node, which the run took as given", v))
	}
	return notes
}

// SampledModel is the form of a model that SVGD samples, with its data and their scale.
func SampledModel(p *engine.Problem, m sem.Model, integrated bool) (sem.Model, *dataset.Table,
	*posterior.Standardization, error) {
	sampled, scaling := m, sem.AsGiven
	_, scored := sem.As[sem.Scored](m)
	if v, ok := sem.As[sem.SampledModel](m); ok && !(scored && integrated) {
		sampled, scaling = v.Sampled(false)
	}
	if _, ok := sem.As[sem.Differentiable](sampled); !ok && !integrated {
		return nil, nil, nil, NeedsLikelihood(m)
	}
	scale, err := Scale(p, scaling)
	if err != nil {
		return nil, nil, nil, err
	}
	return sampled, drawn.OnScale(p.Data, scale), scale, nil
}

// Scale is the mean and standard deviation of each column over the rows in which it was not set by
// intervention; nil means the units of the data.
func Scale(p *engine.Problem, s sem.Scaling) (*posterior.Standardization, error) {
	if s == sem.AsGiven {
		return nil, nil
	}
	mean, sd := p.Data.ObservedMoments()
	scale := &posterior.Standardization{Mean: mean, SD: sd}
	if p.Shared.Scale != nil {
		*scale = *p.Shared.Scale
	}
	if s == sem.Centred {
		scale.SD = slices.Repeat([]float64{1}, len(mean))
		return scale, nil
	}
	_, err := p.Data.Standardize() // names columns that do not vary
	return scale, err
}

// A ColumnError says in the names of the data, and for a user, what an error says in numbers.
type ColumnError struct {
	Text string
	Err  error
}

// Error implements error.
func (e *ColumnError) Error() string { return e.Text }

// Unwrap is the error in numbers.
func (e *ColumnError) Unwrap() error { return e.Err }

// WithName names the columns that an error of the scores is about.
func WithName(err error, names []string) error {
	if constant := new(scoring.ConstantColumnError); errors.As(err, &constant) {
		return &ColumnError{fmt.Sprintf("column %q is constant in the rows in which it was not "+
			"set, want at least two different values; remove it", names[constant.Column]), err}
	}
	if at := new(score.VariableError); errors.As(err, &at) {
		text := fmt.Sprintf("column %q", names[at.Variable])
		if len(at.Parents) > 0 {
			parents := make([]string, len(at.Parents))
			for k, j := range at.Parents {
				parents[k] = fmt.Sprintf("%q", names[j])
			}
			text += " given " + strings.Join(parents, ", ")
		}
		return &ColumnError{text + ": " + at.Err.Error(), err}
	}
	return err
}

// BeforeEnd is the error of an outcome that is asked for before the last step.
func BeforeEnd(steps int) error { return fmt.Errorf("it is read off after step %d", steps) }
