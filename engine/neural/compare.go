package neural

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/problems"
	"tobac/sem"
)

// mostNetworkVariables is the largest number of variables of a comparison with networks.
const mostNetworkVariables = 50

// mostSeconds is the processor time of evidences of networks up to which these take part in the
// comparison of models: a minute on two cores with 25 variables and five with 50, of all that a fit
// takes.
func mostSeconds(d int) float64 { return max(45, 0.12*float64(d*d)) }

// An optional engine knows whether it was asked for.
type optional interface {
	// LeftOpen holds where it was not: the model that a fit chooses may be one of another engine.
	LeftOpen() bool
}

// A settled stage has chosen a model before its steps.
type settled interface {
	// First is what is known before the first step.
	First() *engine.Outcome
}

// tooLow is by how many nats for each variable beyond two an estimated evidence may be below
// another one before networks have less. Logarithms of estimates are too low on average, those of
// less probable sets more so; two variables have no such sets (bench/notes/networks.md).
const tooLow = 0.35

// Compare compares networks with the model that a fit chose, where this has curves and noise of
// normal shape or not far from that, and goes on with them if they have more evidence but for its
// error: with more variables than are summed over, by the mean of log p(D, graph) over short
// chains. Only a fit whose model was left open has this, with an engine that was left open too, and
// none whose form is doubted. Where the model was chosen because the noise refutes one with more
// evidence, networks have to have more than either, and not to be refuted themselves; so many
// variables are summed over.
func Compare(ctx context.Context, p *engine.Problem, e engine.Settings, stage engine.Stage,
	memoryLimit int64) (*engine.Problem, engine.Settings, engine.Stage, error) {
	chosen, ok := sem.As[sem.SampledModel](p.Model)
	if o, is := e.Engine().(optional); !ok || !is || !o.LeftOpen() ||
		p.Shared.Tables > 1 || p.Shared.Model != nil || p.Shared.Drawn != nil ||
		p.Vars() > mostNetworkVariables ||
		!p.OverOrders() || p.Order.Count != 0 || p.Prior.Own != nil || p.Counted {
		return p, e, stage, nil
	}
	network, _ := chosen.Sampled(false)
	shaped := sem.TraitsOf(p.Model).AnyNoise
	if _, ok := sem.As[sem.Network](network); !ok || shaped && p.Vars() > exact.Affordable ||
		len(inspect.Repeated(p.Data)) > 0 {
		return p, e, stage, nil
	}
	first, err := settledBy(ctx, stage)
	if err != nil {
		return nil, nil, nil, err
	}
	best, _ := inference.BestTwo(first.Evidence)
	start := first.Hypothesis
	if shaped {
		if inspect.Recorded(p.Data) ||
			!nearNormal(first.Evidence, best.Log-nearly*float64(p.Vars())) {
			return p, e, stage, nil
		}
		start = nil
	}
	passed := best.Model != p.Model.String() // has more evidence, and is refuted
	if first.Doubted || passed && p.Vars() > exact.Affordable {
		return p, e, stage, nil
	}
	add := func(e sem.Evidence) { p.Evidence = append(slices.Clone(p.Evidence), e) }
	q := *p
	q.Model = network
	tempering, err := temperingEngine{&Tempering{Start: start}}.Prepare(&q)
	if err != nil {
		return nil, nil, nil, err
	}
	n, d := p.Data.X.Dims()
	note := ""
	if seconds := seconds(n, d); seconds > mostSeconds(d) {
		note = sem.TooLong(seconds, "ffn")
	} else if err := problems.CheckMemory(tempering.Engine(), &q, problems.Size(&q),
		memoryLimit); err != nil {
		note = err.Error()
	}
	if note != "" {
		add(sem.Evidence{Model: network.String(), Log: math.NaN(), Note: note})
		return p, e, reasoned{stage, p.Evidence, first.Reason}, nil
	}
	sampled, err := tempering.Engine().Begin(ctx, &q)
	if err != nil {
		return nil, nil, nil, err
	}
	second, err := settledBy(ctx, sampled)
	if err != nil {
		return nil, nil, nil, err
	}
	log := second.Evidence[0].Log
	add(sem.Evidence{Model: q.Model.String(), Log: log, Note: second.Evidence[0].Note})
	level := log
	if d <= exact.Affordable { // where evidences are sums
		level += tooLow * float64(d-2)
	}
	if reason := first.Reason; level <= best.Log || passed && second.Doubted {
		if level > best.Log {
			reason = fmt.Sprintf(inference.Although+"%v by %.1f nats more, but refute its form",
				q.Model, log-best.Log)
		}
		sampled.Close()
		return p, e, reasoned{stage, p.Evidence, reason}, nil
	}
	stage.Close()
	reason := fmt.Sprintf("the data support it by %.1f nats over %s", log-best.Log, best.Model)
	if log <= best.Log {
		reason = fmt.Sprintf(inference.Although+"%v by %.1f nats more, within the error of "+
			"estimated evidences, which are too low", best.Model, best.Log-log)
	}
	q.Evidence = p.Evidence
	return &q, tempering, reasoned{sampled, q.Evidence, reason}, nil
}

// nearly is by how many nats for each variable the best curves with noise of normal shape may be
// behind a model with noise of any shape before networks have no chance.
const nearly = 2

// nearNormal reports whether curves with noise of normal shape have so much evidence.
func nearNormal(all []sem.Evidence, least float64) bool {
	return slices.ContainsFunc(all, func(e sem.Evidence) bool {
		return e.Log >= least &&
			(e.Model == sem.GaussianProcess{}.String() || e.Model == sem.Smooth{}.String())
	})
}

// settledBy is the outcome of a stage, or of chains that have not begun what they settled.
func settledBy(ctx context.Context, stage engine.Stage) (*engine.Outcome, error) {
	if s, ok := stage.(settled); ok {
		return s.First(), nil
	}
	o, err := stage.Outcome(ctx)
	if err == nil && o.Evidence == nil { // of networks
		out := *o
		out.Evidence = []sem.Evidence{{Log: o.Components[0].LogEvidence}}
		return &out, nil
	}
	return o, err
}

// A reasoned stage has other evidences and another reason for the model.
type reasoned struct {
	engine.Stage
	evidence []sem.Evidence
	reason   string
}

// Outcome implements [engine.Stage].
func (r reasoned) Outcome(ctx context.Context) (*engine.Outcome, error) {
	o, err := r.Stage.Outcome(ctx)
	if err != nil {
		return nil, err
	}
	out := *o
	out.Evidence, out.Reason = r.evidence, r.reason
	return &out, nil
}
