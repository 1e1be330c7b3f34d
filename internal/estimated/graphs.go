package estimated

import (
	"context"
	"fmt"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// networkDraws is the number of drawn graphs that get parameters.
const networkDraws = 200

// Graphs are the graphs of a settled table, with what they need to get parameters.
type Graphs struct {
	table     *table
	Model     sem.Model // of networks with their noise variance
	noise     float64   // variance of all equations; 0 means one for each
	estimated bool      // that was, and not given
	unit      float64   // in which it is
	logWeight float64   // of its prior, where it was estimated
	Scale     *posterior.Standardization
	checks    []diagnostics.Check // of the likelihood
}

// Scored are the evidences as a model in closed form.
func (g *Graphs) Scored() sem.Scored {
	return inference.Settled{Model: g.Model, Hypothesis: sem.Hypothesis{Scores: g.table.pool,
		NoiseVariance: g.noiseVariance(), InUnits: g.estimated, LogWeight: g.logWeight}}
}

// Close releases the workers of the estimates.
func (g *Graphs) Close() { g.table.estimates.close() }

// logEvidence is that of the table, with the prior of an estimated noise variance.
func (g *Graphs) logEvidence() float64 { return g.table.graphs.logEvidence() + g.logWeight }

// noiseVariance is that of all equations in the squared units of the data; 0 means one for each.
func (g *Graphs) noiseVariance() float64 { return g.noise * g.unit * g.unit }

// networkChains are chains over the graphs of a settled table.
type networkChains struct {
	*graphchains.Chains
	problem  *engine.Problem
	settings *graphchains.Settings
	graphs   *Graphs
	read     *engine.Outcome // nil until the last step has been taken
}

// Close implements [engine.Stage].
func (c *networkChains) Close() { c.graphs.Close() }

// Outcome implements [engine.Stage].
func (c *networkChains) Outcome(ctx context.Context) (*engine.Outcome, error) {
	if c.read == nil {
		inf, err := c.Inference(ctx)
		if err != nil {
			return nil, err
		}
		c.read = &inf.Outcome
		c.read.Checks = slices.Concat(graphchains.ChainChecks(inf.Diagnostics), inf.Checks,
			inference.DrawChecks(inf.Posterior))
	}
	return c.read, nil
}

// Inference reads the posterior off the chains, and gives its graphs networks.
func (c *networkChains) Inference(ctx context.Context) (*inference.Inference, error) {
	inf, err := c.Chains.Inference(ctx)
	if err != nil {
		return nil, err
	}
	_, steps := c.Steps()
	inf.Sum = fmt.Sprintf("%d chains of %d iterations over all orders", c.settings.Chains,
		steps-c.settings.WarmUp)
	if err := c.graphs.equip(ctx, inf, c.problem.Data); err != nil {
		return nil, err
	}
	inf.Method = "tempering, " + inf.Sum
	inf.Computation = "Edge probabilities come from " + inf.Sum + ". " +
		graphchains.Convergence(inf.Diagnostics, inf.Posterior.Names)
	return inf, nil
}

// equip says what the posterior of a table is and how good its evidences are, and gives some of the
// draws of graphs parameters.
func (g *Graphs) equip(ctx context.Context, inf *inference.Inference, data *dataset.Table) error {
	inf.Best, inf.Reason, inf.Evidence = nil, "as asked for", nil
	if g.estimated {
		inf.Reason += fmt.Sprintf("; one noise variance for all columns, %.4g in their squared "+
			"units, was estimated; networks have them divided by %.4g", g.noiseVariance(), g.unit)
	}
	p, t, m := inf.Posterior, g.table, g.Model
	stride := max(1, len(p.Draws)/networkDraws)
	var some []posterior.Draw
	var graphs []*dag.Graph
	for k := 0; k < len(p.Draws); k += stride {
		some, graphs = append(some, p.Draws[k]), append(graphs, p.Draws[k].Graph)
	}
	// beside the table, whose posterior is settled
	if err := t.estimates.estimate(ctx, missing(t.estimates, graphs),
		t.estimates.precisions()[0].points, 1); err != nil {
		return err
	}
	out := *p
	out.Draws, out.Engine, out.Model, out.Standardization = some, name, m.String(), g.Scale
	out.Components = slices.Clone(p.Components)
	out.Components[0].Draws, out.Components[0].NoiseVariance = len(some), g.noise
	if err := t.estimates.equip(&out); err != nil {
		return err
	}
	out.Components[0].Marginals = &out.Marginals
	t.describe(inf, p.Names)
	inf.Checks = append(inf.Checks, g.checks...)
	inf.Posterior = drawn.InDataUnits(&out, data)
	return nil
}

// describe says how good the evidences are.
func (t *table) describe(inf *inference.Inference, names []string) {
	d := len(names)
	largest, from, to := 0.0, 0, 0
	for i := range d {
		for j := range d {
			if v := t.apart.At(i, j); v > largest {
				largest, from, to = v, i, j
			}
		}
	}
	inf.Sum += fmt.Sprintf("; evidences of %d sets of parents were estimated, which hold %.1f %% "+
		"of the probability of each variable's parents or more; by either half of the %s "+
		"edge probabilities differ by %.3f on average and %.2f at most",
		t.estimates.count(), 100*t.held, t.estimates.about().points,
		mat.Sum(t.apart)/float64(d*(d-1)), largest)
	inf.Checks = []diagnostics.Check{
		diagnostics.Above("halves", largest, limitHalves[0], limitHalves[1],
			fmt.Sprintf("the two halves of the %s do not agree on every edge: on %q → %q "+
				"their probabilities differ by %.2f", t.estimates.about().points, names[from],
				names[to], largest)),
		diagnostics.Below("held", t.held, limitHeld[0], limitHeld[1],
			fmt.Sprintf("of some variable, only %.0f %% of the probability has estimated "+
				"evidences; the rest has %s", 100*t.held, t.estimates.about().guesses)),
	}
}
