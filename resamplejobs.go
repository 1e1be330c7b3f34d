package tobac

import (
	"context"
	"encoding/json"
	"fmt"

	"tobac/dataset"
	"tobac/internal/jobs"
	"tobac/ordering"
)

// A resamplesJob is the input of a job of resamples of the rows.
type resamplesJob struct {
	Method ordering.Method `json:"method"`
	Prior  priorText       `json:"prior"`
	Seed   uint64          `json:"seed"`
	First  int             `json:"first"`
	Count  int             `json:"count"`
}

// resamplesPerJob does not depend on how many resamples there are, so that more of them
// leave finished jobs what they are.
const resamplesPerJob = 16

// BootstrapOrders is [ordering.Bootstrap] of the rows of a table, by a method that is bound to what a
// prior says of the order. With do, nil for none, resamples are ordered as jobs, 16 in each, if the method is one
// of [ordering.Methods]; others are not known to other processes.
func BootstrapOrders(ctx context.Context, data *dataset.Table, prior *Prior, method ordering.Orderer, replicates int, opt ordering.BootstrapOptions, do Do) (*ordering.Distribution, error) {
	bound, err := prior.bound(method, len(data.Names))
	if err != nil {
		return nil, err
	}
	if named, ok := method.(ordering.Method); ok && do != nil && prior.Own == nil {
		opt.Resamples = func(ctx context.Context) ([][]int, error) {
			return resamples(ctx, data, prior, named, replicates, opt.Seed, do)
		}
	}
	return ordering.Bootstrap(ctx, bound, data.X, replicates, opt)
}

// resamples orders resamples as jobs.
func resamples(ctx context.Context, data *dataset.Table, prior *Prior, method ordering.Method, replicates int, seed uint64, do Do) ([][]int, error) {
	in := resamplesJob{Method: method, Seed: seed}
	var err error
	if in.Prior, err = encodePrior(*prior); err != nil {
		return nil, err
	}
	table, err := encodeTable(data)
	if err != nil {
		return nil, err
	}
	var list []jobs.Job
	for in.First = 0; in.First < replicates; in.First += resamplesPerJob {
		in.Count = min(resamplesPerJob, replicates-in.First)
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		list = append(list, jobs.Job{Kind: resamplesKind, Input: text, Data: [][]byte{table}})
	}
	outputs, err := do(ctx, list)
	if err != nil {
		return nil, err
	}
	var all [][]int
	for k, output := range outputs {
		var part [][]int
		if err := json.Unmarshal(output, &part); err != nil {
			return nil, fmt.Errorf("the output of job %d: %w", k+1, err)
		}
		all = append(all, part...)
	}
	return all, nil
}

// doResamples orders resamples. The output is a list of orders, null for a resample that cannot be ordered.
func doResamples(ctx context.Context, j jobs.Job) ([]byte, error) {
	var in resamplesJob
	table, err := inputs(j, &in)
	if err != nil {
		return nil, err
	}
	if in.First < 0 || in.Count < 1 {
		return nil, fmt.Errorf("tobac: a job has %d resamples from number %d, want at least one from 0 on", in.Count, in.First)
	}
	prior := in.Prior.decode()
	method, err := prior.bound(in.Method, len(table.Names))
	if err != nil {
		return nil, err
	}
	orders, err := ordering.Resamples(ctx, method, table.X, in.Seed, in.First, in.Count)
	if err != nil {
		return nil, err
	}
	return json.Marshal(orders)
}
