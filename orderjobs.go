package tobac

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tobac/internal/jobs"
)

// An orderJob is the input of a job of SVGD under one order.
type orderJob struct {
	Model   modelText    `json:"model"`
	Sampler settingTexts `json:"sampler"`
	Prior   priorText    `json:"prior"`
	Density float64      `json:"density"`
	Order   []int        `json:"order"`
	Seed    uint64       `json:"seed"`
}

// job is the sampling under one order as a job; table is the data, encoded.
func (f *particleFit) job(table []byte) (j jobs.Job, err error) {
	in := orderJob{Density: f.density, Order: f.order.order, Seed: f.order.seed}
	if in.Model, err = encodeModel(f.asked); err != nil {
		return j, err
	}
	if in.Sampler, err = encodeSampler(f.sampler); err != nil {
		return j, err
	}
	if in.Prior, err = encodePrior(f.prior); err != nil {
		return j, err
	}
	j = jobs.Job{Kind: orderKind, Data: [][]byte{table}}
	j.Input, err = json.Marshal(in)
	return j, err
}

// doOrder takes all steps under an order. The output is a [ParticleState].
func doOrder(ctx context.Context, j jobs.Job) ([]byte, error) {
	var in orderJob
	table, err := inputs(j, &in)
	if err != nil {
		return nil, err
	}
	asked, err := decodeModel[Model](in.Model, "text form")
	if err != nil {
		return nil, err
	}
	f := &particleFit{asked: asked, prior: in.Prior.decode(), density: in.Density, order: weightedOrder{order: in.Order, seed: in.Seed}, workers: 1, names: table.Names}
	if err := in.Sampler.set(f.sampler.Settings()); err != nil {
		return nil, err
	}
	defer f.release()
	if err := f.compile(ctx, table); err != nil {
		return nil, err
	}
	if err := f.advance(ctx, f.sampler.Steps, func(Progress) {}); err != nil {
		return nil, err
	}
	return json.Marshal(f.state())
}

// state copies the state of the sampling.
func (f *particleFit) state() *ParticleState {
	s := &ParticleState{Step: f.step, Order: slices.Clone(f.order.order), Optimizer: f.svgd.State.Clone()}
	s.Z, s.Theta = f.rows()
	return s
}

// resume continues from a state.
func (f *particleFit) resume(s *ParticleState) {
	f.set(s.Z, s.Theta)
	f.svgd.State = s.Optimizer.Clone()
	f.step = s.Step
}

// distribute takes all steps under the orders that have not begun, as jobs. Where one has begun, its
// steps come first, in this process.
func (p *particles) distribute(ctx context.Context, do Do, report func(Progress)) error {
	per := p.fits[0].sampler.Steps
	first := len(p.done)
	if p.current().step > 0 {
		first++
		if err := p.advance(ctx, first*per, report); err != nil {
			return err
		}
	}
	if first == len(p.fits) {
		return nil
	}
	table, err := encodeTable(p.data)
	if err != nil {
		return err
	}
	var list []jobs.Job
	for _, f := range p.fits[first:] {
		j, err := f.job(table)
		if err != nil {
			return err
		}
		list = append(list, j)
	}
	report(Progress{Stage: SVGD, Doing: "particles under all orders, as jobs"})
	outputs, err := do(ctx, list)
	if err != nil {
		return err
	}
	for k, output := range outputs {
		if first+k > len(p.done) {
			if err := p.next(ctx); err != nil {
				return err
			}
		}
		f, s := p.current(), new(ParticleState)
		if err := json.Unmarshal(output, s); err != nil {
			return fmt.Errorf("the output of job %d: %w", k+1, err)
		}
		if s.Step != per || s.Optimizer.Count != per {
			return fmt.Errorf("the output of job %d is at step %d, want %d", k+1, s.Step, per)
		}
		if err := p.checkBlocks(f, s.Order, s.Z, s.Theta); err != nil {
			return fmt.Errorf("the output of job %d: %w", k+1, err)
		}
		f.resume(s)
	}
	report(Progress{Stage: SVGD, Step: p.steps(), Order: len(p.fits), Orders: len(p.fits)})
	return nil
}
