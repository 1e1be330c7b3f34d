package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/engine"
	"tobac/engine/neural"
	"tobac/engine/sums"
	"tobac/internal/inspect"
	"tobac/sem"
)

// mostNetworkSeconds is the processor time of evidences of networks up to which these take part in
// the comparison of models.
const mostNetworkSeconds = 30

// compareNetworks compares networks with the model that was chosen, where this has curves and noise
// of normal shape, and goes on with them if they have more evidence. Only a fit that leaves model and
// engine open has this, and none whose form is doubted.
func (r *Run) compareNetworks(ctx context.Context) error {
	p := r.problem
	chosen, ok := p.Model.(sem.SampledModel)
	exact, summed := r.engine.(*sums.Exact)
	if !ok || !summed || !exact.Open || r.asked.Model != nil || p.Shared.Model != nil || p.Shared.Drawn != nil ||
		!p.OverOrders() || p.Order.Count != 0 || p.Prior.Own != nil || p.Counted {
		return nil
	}
	network, _ := chosen.Sampled(false)
	if _, ok := network.(sem.Network); !ok || !sem.NormalNoise(p.Model) || len(inspect.Repeated(p.Data)) > 0 {
		return nil
	}
	first, err := r.stage.Outcome(ctx)
	if err != nil {
		return err
	}
	best, _ := sem.BestTwo(first.Evidence)
	if best.Model != p.Model.String() || first.Doubted {
		return nil
	}
	add := func(e sem.Evidence) { p.Evidence = append(slices.Clone(p.Evidence), e) }
	n, d := p.Data.X.Dims()
	if seconds := neural.Seconds(n, d); seconds > mostNetworkSeconds {
		add(sem.Evidence{Model: network.String(), Log: math.NaN(), Note: sem.TooLong(seconds, "ffn")})
		r.stage = engine.Finished(withEvidence(first, p.Evidence, first.Reason), r.stage.Warnings())
		return nil
	}
	q := *p
	q.Model = network
	e, err := (&neural.Tempering{Start: first.Hypothesis}).Prepare(&q)
	if err != nil {
		return err
	}
	stage, err := e.Begin(ctx, &q)
	if err != nil {
		return err
	}
	second, err := stage.Outcome(ctx)
	if err != nil {
		return err
	}
	log := second.Components[0].LogEvidence
	add(sem.Evidence{Model: second.Model, Log: log})
	if log <= best.Log {
		r.stage = engine.Finished(withEvidence(first, p.Evidence, first.Reason), r.stage.Warnings())
		return nil
	}
	reason := fmt.Sprintf("the data support it by %.1f nats over %s", log-best.Log, best.Model)
	q.Evidence = p.Evidence
	r.problem, r.engine = &q, e
	r.stage = engine.Finished(withEvidence(second, q.Evidence, reason), stage.Warnings())
	return nil
}

// withEvidence is an outcome that says what other models it was compared with.
func withEvidence(o *engine.Outcome, all []sem.Evidence, reason string) *engine.Outcome {
	out := *o
	out.Evidence, out.Reason = all, reason
	return &out
}
