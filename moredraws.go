package tobac

import (
	"context"
	"math"

	"tobac/exact"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
)

// mostFactor is how many times the draws of a part may be made that it is to have.
const mostFactor = 16

// weightedDraws are n draws of a part, or fewer where they would not be worth more. The
// weights that correct for the number of orders of a graph can leave few draws with
// nearly all weight. If they are worth less than half of n, more are made, up to
// mostFactor times n, and as many of them are drawn again, with equal weights, as they are
// worth. Weights sum to the number of draws: the parts are drawn in proportion to their
// evidences, and must keep them whatever the sizes of their graphs.
func (p *part) weightedDraws(ctx context.Context, n int, seed uint64) ([]exact.Draw, error) {
	draws, err := p.draws(ctx, n, seed)
	if err != nil || n == 0 {
		return draws, err
	}
	if worth := exact.EffectiveSampleSize(draws); worth < float64(n)/2 {
		more := min(mostFactor*n, int(1.2*float64(n)*float64(n)/worth))
		if draws, err = p.draws(ctx, more, seed); err != nil {
			return nil, err
		}
		worth = exact.EffectiveSampleSize(draws)
		draws = exact.Resample(draws, max(1, min(n, int(worth))), stream.Seed(seed, stream.PosteriorPart, 0))
	}
	logs := make([]float64, len(draws))
	for k, d := range draws {
		logs[k] = d.LogWeight
	}
	if mean := floats.LogSumExp(logs) - math.Log(float64(n)); math.Abs(mean) > 1e-12 { // not for rounding
		for k := range draws {
			draws[k].LogWeight -= mean
		}
	}
	return draws, nil
}
