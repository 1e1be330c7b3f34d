package tobac

import (
	"context"
	"fmt"
	"strings"

	"tobac/exact"
	"tobac/sem"
	"tobac/setting"
)

// Exact is the engine exact: sums over all orders, and over all graphs where that is affordable,
// by dynamic programming; given a known order, over all graphs along it. It takes models with
// node scores. See package exact.
type Exact struct{}

var exactEngine = &Exact{}

var _ Engine = (*Exact)(nil)

// MostSummed is the largest number of variables of which [Exact] sums over all orders.
const MostSummed = 20

// Name implements [Engine].
func (e *Exact) Name() string { return "exact" }

// About implements [Engine].
func (e *Exact) About() string {
	return "exact sums over all orders and graphs, of models with node scores, to 20 variables"
}

// Settings implements [Engine].
func (e *Exact) Settings() []*setting.Setting { return nil }

// String implements [Engine].
func (e *Exact) String() string { return e.Name() }

// Prepare implements [Engine].
func (e *Exact) Prepare(p *Problem) (Engine, error) {
	d := p.Vars()
	switch {
	case !p.scored():
		return nil, p.needsScores(e)
	case p.Order.Method != nil:
		return nil, p.infersOrder(e)
	case p.Order.Known == nil && d > MostSummed:
		return nil, fmt.Errorf("the engine exact needs memory for 2^%d sets of variables, and takes at most %d variables; allowed: the engines mcmc and svgd", d, MostSummed)
	case d > exact.MaxVariables:
		return nil, fmt.Errorf("the engine exact takes at most %d variables along a known order, got %d; allowed: the engine svgd", exact.MaxVariables, d)
	}
	return e, nil
}

// Demands implements [Engine].
func (e *Exact) Demands(p *Problem, size Size) []Demand {
	given := p.Order.Known != nil
	bytes := float64(exactBytes(size.Vars, given))
	if size.Vars <= kept || given {
		bytes *= float64(min(size.Models, 2)) // the best so far and the next
	}
	return []Demand{Needs(bytes, "sums over 2^%d sets of variables", size.Vars), drawDemand(size)}
}

// exactBytes is about the memory that the engine exact needs.
func exactBytes(d int, given bool) int64 {
	if given {
		return exact.MemoryGiven(d)
	}
	return exact.Memory(d)
}

// Begin implements [Engine].
func (e *Exact) Begin(ctx context.Context, p *Problem) (Stage, error) {
	var o *Outcome
	var warnings []string
	err := timed(&p.Seconds.Infer, func() error {
		models := p.scoredModels()
		inf, err := inferExact(ctx, p.Data, models, p, p.trust())
		if err != nil {
			return err
		}
		if _, estimated := models[0].(sem.Settled); estimated {
			inf.Sum += ", with estimated evidences of sets of parents"
		}
		atOdds, err := inf.against(ctx, p.Data, p)
		if atOdds != "" {
			warnings = []string{atOdds}
		}
		o = &inf.Outcome
		return err
	})
	if err != nil {
		return nil, err
	}
	p.settleModel(o.model, o.Evidence)
	o.Method = "exact, " + o.Sum
	o.Computation = strings.TrimSpace("Edge probabilities are exact sums "+o.Sum) + "."
	o.Checks = drawChecks(o.Posterior)
	return Finished(o, warnings), nil
}
