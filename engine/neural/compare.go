package neural

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/inspect"
	"tobac/internal/memory"
	"tobac/sem"
)

// mostNetworkSeconds is the processor time of evidences of networks up to which these take part in
// the comparison of models.
const mostNetworkSeconds = 30

// Compare compares networks with the model that a fit chose, where this has curves and noise of
// normal shape, and goes on with them if they have more evidence. Only a fit whose model was left
// open has this, with an engine that was left open too, and none whose form is doubted.
func Compare(ctx context.Context, p *engine.Problem, e engine.Engine, stage engine.Stage, room memory.Room) (*engine.Problem, engine.Engine, engine.Stage, error) {
	chosen, ok := p.Model.(sem.SampledModel)
	exact, summed := e.(*sums.Exact)
	if !ok || !summed || !exact.Open || p.Shared.Several || p.Shared.Model != nil || p.Shared.Drawn != nil ||
		!p.OverOrders() || p.Order.Count != 0 || p.Prior.Own != nil || p.Counted {
		return p, e, stage, nil
	}
	network, _ := chosen.Sampled(false)
	if _, ok := network.(sem.Network); !ok || sem.TraitsOf(p.Model).AnyNoise || len(inspect.Repeated(p.Data)) > 0 {
		return p, e, stage, nil
	}
	first, err := stage.Outcome(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	best, _ := sem.BestTwo(first.Evidence)
	if best.Model != p.Model.String() || first.Doubted {
		return p, e, stage, nil
	}
	add := func(e sem.Evidence) { p.Evidence = append(slices.Clone(p.Evidence), e) }
	q := *p
	q.Model = network
	tempering, err := (&Tempering{Start: first.Hypothesis}).Prepare(&q)
	if err != nil {
		return nil, nil, nil, err
	}
	n, d := p.Data.X.Dims()
	note := ""
	if seconds := seconds(n, d); seconds > mostNetworkSeconds {
		note = sem.TooLong(seconds, "ffn")
	} else if err := engine.CheckMemory(tempering, &q, q.Size(), room); err != nil {
		note = err.Error()
	}
	if note != "" {
		add(sem.Evidence{Model: network.String(), Log: math.NaN(), Note: note})
		return p, e, engine.Finished(withEvidence(first, p.Evidence, first.Reason), stage.Warnings()), nil
	}
	sampled, err := tempering.Begin(ctx, &q)
	if err != nil {
		return nil, nil, nil, err
	}
	second, err := sampled.Outcome(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	log := second.Components[0].LogEvidence
	add(sem.Evidence{Model: second.Model, Log: log})
	if log <= best.Log {
		return p, e, engine.Finished(withEvidence(first, p.Evidence, first.Reason), stage.Warnings()), nil
	}
	reason := fmt.Sprintf("the data support it by %.1f nats over %s", log-best.Log, best.Model)
	q.Evidence = p.Evidence
	return &q, tempering, engine.Finished(withEvidence(second, q.Evidence, reason), sampled.Warnings()), nil
}

// withEvidence is an outcome that says what other models it was compared with.
func withEvidence(o *engine.Outcome, all []sem.Evidence, reason string) *engine.Outcome {
	out := *o
	out.Evidence, out.Reason = all, reason
	return &out
}
