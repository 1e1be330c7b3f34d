package study

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"tobac"
	"tobac/engine"
	"tobac/engine/neural"
	"tobac/internal/reference"
	"tobac/metrics"
	"tobac/sem"
)

// references are those that the cells of one program are compared with: methods on the same data,
// order and seed share one.
type references struct {
	mu    sync.Mutex
	known map[string]*sharedReference
}

// A sharedReference is computed by the first that needs it.
type sharedReference struct {
	mu  sync.Mutex // Compare may estimate what further graphs need
	ref *reference.Posterior
}

// of is the place of the reference of a cell given an order.
func (r *references) of(c Cell, order []int) *sharedReference {
	data, err := json.Marshal(c.Data)
	if err != nil {
		panic("study: " + err.Error()) // texts and finite numbers
	}
	key := fmt.Sprintf("%s %v %s %d", data, order, c.Method.Reference, c.Seed)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]*sharedReference{}
	}
	if r.known[key] == nil {
		r.known[key] = new(sharedReference)
	}
	return r.known[key]
}

// compare compares the posterior of a cell with the reference of its method: the posterior under
// the model Method.Reference, given the same order.
func (r *references) compare(ctx context.Context, c Cell, p *Problem, f *Fitted,
	order []int) (*Exactness, error) {
	shared := r.of(c, order)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.ref == nil {
		model, err := sem.Parse(c.Method.Reference)
		if err != nil {
			return nil, err
		}
		cfg := tobac.Config{Model: model, Engine: &neural.Tempering{}, Prior: recipe(sparse).Prior,
			Seed: c.Seed}
		cfg.Order.Known = order
		if cfg, err = cfg.WithDefaults(p.Truth.Len()); err != nil {
			return nil, err
		}
		if shared.ref,
			err = reference.New(ctx, p.Train, &tobac.Result{Config: cfg,
			Outcome: engine.Outcome{Posterior: f.Posterior}}); err != nil {
			return nil, err
		}
	}
	e, err := shared.ref.Compare(ctx, f.Posterior)
	return &Exactness{metrics.Number(e.MeanAbsError), metrics.Number(e.LogProbDifference),
		metrics.Number(e.LogProbError)}, err
}
