package tobac

import (
	"context"
	"encoding/json"
	"fmt"

	"tobac/internal/jobs"
	"tobac/mcmc"
)

// A chainJob is the input of a job of one Markov chain. The table of scores, on
// which all chains rest, is computed again for each: it is larger than what it takes to do so. Where
// the scores take so long that they are jobs themselves the chains are none: all of them together take less than the scores.
type chainJob struct {
	Model      modelText    `json:"model"`
	Hypothesis int          `json:"hypothesis"`
	Prior      priorText    `json:"prior"`
	Density    float64      `json:"density"`
	Chains     settingTexts `json:"chains"`
	Chain      int          `json:"chain"`
	Seed       uint64       `json:"seed"`
}

// doChain makes all iterations of a chain. The output is a [mcmc.ChainState].
func doChain(ctx context.Context, j jobs.Job) ([]byte, error) {
	var in chainJob
	table, err := inputs(j, &in)
	if err != nil {
		return nil, err
	}
	scored, err := decodeModel[Scored](in.Model, "node scores")
	if err != nil {
		return nil, err
	}
	cfg := Config{Prior: in.Prior.decode(), Seed: in.Seed, Workers: 1}
	if err := in.Chains.set(cfg.Chains.Settings()); err != nil {
		return nil, err
	}
	prior, err := cfg.pilotPrior(len(table.Names))
	if err != nil {
		return nil, err
	}
	all, err := scored.Hypotheses(ctx, table, prior, 1)
	if err != nil {
		return nil, err
	}
	if in.Hypothesis < 0 || in.Hypothesis >= len(all) || in.Chain < 0 || in.Chain >= cfg.Chains.Chains {
		return nil, fmt.Errorf("tobac: a job has hypothesis %d of %d and chain %d of %d", in.Hypothesis, len(all), in.Chain, cfg.Chains.Chains)
	}
	s := &settled{model: scored, hypothesis: all[in.Hypothesis], density: in.Density}
	if s.prior, err = cfg.sampledPrior(len(table.Names), in.Density); err != nil {
		return nil, err
	}
	c, err := newChains(ctx, table, s, &cfg)
	if err != nil {
		return nil, err
	}
	if err := c.sampler.AdvanceOne(ctx, in.Chain, c.steps); err != nil {
		return nil, err
	}
	state, err := c.sampler.SnapshotOne(in.Chain)
	if err != nil {
		return nil, err
	}
	return json.Marshal(state)
}

// distribute makes all iterations of all chains, each as a job.
func (c *chains) distribute(ctx context.Context, report func(Progress)) error {
	cfg := c.cfg
	in := chainJob{Hypothesis: c.chosen, Density: c.density, Chains: textsOf(cfg.Chains.Settings()), Seed: cfg.Seed}
	var err error
	if in.Model, err = encodeModel(c.model); err != nil {
		return err
	}
	if in.Prior, err = encodePrior(cfg.Prior); err != nil {
		return err
	}
	table, err := encodeTable(c.data)
	if err != nil {
		return err
	}
	var list []jobs.Job
	for in.Chain = range c.sampler.Chains() {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		list = append(list, jobs.Job{Kind: chainKind, Input: text, Data: [][]byte{table}})
	}
	report(Progress{Stage: MCMC, Doing: "all chains, as jobs"})
	outputs, err := cfg.Jobs(ctx, list)
	if err != nil {
		return err
	}
	s := &mcmc.Snapshot{Chains: make([]mcmc.ChainState, len(outputs))}
	for k, output := range outputs {
		if err := json.Unmarshal(output, &s.Chains[k]); err != nil {
			return fmt.Errorf("the output of job %d: %w", k+1, err)
		}
		if got := s.Chains[k].Iteration; got != c.steps {
			return fmt.Errorf("the output of job %d is at iteration %d, want %d", k+1, got, c.steps)
		}
	}
	if err := c.sampler.Restore(s); err != nil {
		return err
	}
	c.step = c.steps
	trace := c.sampler.Trace()
	report(Progress{Stage: MCMC, Step: c.step, Chains: &trace})
	return nil
}
