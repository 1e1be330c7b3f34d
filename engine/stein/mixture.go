package stein

import (
	"context"
	"fmt"
	"math"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/priors"
	"tobac/posterior"
)

// particles is the sampling by SVGD under one order after the other. Only the
// current fit has a program.
type particles struct {
	data    *dataset.Table
	fits    []*particleFit
	done    []*posterior.Posterior // of the fits before the current one
	seconds *engine.Seconds
}

func (p *particles) current() *particleFit { return p.fits[len(p.done)] }

// begin compiles the program of the current fit.
func (p *particles) begin(ctx context.Context) error {
	return engine.Timed(&p.seconds.Compile, func() error {
		return p.current().compile(ctx, p.data)
	})
}

// steps is the number of steps taken under all orders.
func (p *particles) steps() int { return len(p.done)*p.fits[0].sampler.Steps + p.current().step }

// advance takes the steps up to number to.
func (p *particles) advance(ctx context.Context, to int, report func(engine.Progress)) error {
	per := p.fits[0].sampler.Steps
	for {
		f, before := p.current(), len(p.done)*per
		if err := f.advance(ctx, min(to-before, per), func(g engine.Progress) {
			g.Step, g.Order, g.Orders = before+g.Step, len(p.done)+1, len(p.fits)
			report(g)
		}); err != nil {
			return err
		}
		if p.steps() >= to || len(p.done) == len(p.fits)-1 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		report(engine.Progress{Doing: "compiling the model for the next order"})
		if err := p.next(ctx); err != nil {
			return err
		}
	}
}

// next reads the posterior off the finished fit, drops its program, and begins
// the next.
func (p *particles) next(ctx context.Context) error {
	post, err := p.current().posterior(ctx)
	if err != nil {
		return err
	}
	p.current().release()
	p.done = append(p.done, post)
	return p.begin(ctx)
}

// posterior mixes those under all orders by the weights of the orders.
func (p *particles) posterior(ctx context.Context) (*posterior.Posterior, error) {
	if left := len(p.fits) - 1 - len(p.done); left > 0 {
		return nil, fmt.Errorf("%d of %d orders have no particles yet", left, len(p.fits))
	}
	last, err := p.current().posterior(ctx)
	if err != nil {
		return nil, err
	}
	parts := append(p.done[:len(p.done):len(p.done)], last)
	if len(parts) == 1 {
		return last, nil
	}
	weights := make([]float64, len(parts))
	for k, f := range p.fits {
		weights[k] = f.order.LogWeight
		if math.IsInf(weights[k], -1) {
			return nil, fmt.Errorf("order %d has the weight 0", k)
		}
	}
	mixed := posterior.Mix(parts, weights)
	priors.Settle(&p.current().prior, mixed.Probabilities)
	return mixed, nil
}

// release ends the workers.
func (p *particles) release() {
	for _, f := range p.fits {
		f.release()
	}
}
