package sem

import (
	"context"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/score"
)

// Of a look at Gaussian processes on a probable graph of straight lines.
const (
	// nats for each edge by which they may be behind: with straight lines and normal noise they
	// are over one
	behindAnEdge = 0.5
	lookRows     = 200 // from which on their covariances are approximated
)

// bent reports whether Gaussian processes may have more evidence than straight lines: whether they
// are not far behind on the most probable graph of these. Functions of several parents together
// show there that no function of a single one has.
func bent(data *dataset.Table) bool {
	far, edges, err := behindLines(context.Background(), data)
	// the scores say what is wrong
	return err != nil || edges > 0 && far < behindAnEdge*float64(edges)
}

// unlessBent is why Gaussian processes are pointless, "" where they may have more evidence.
func unlessBent(data *dataset.Table, why string) string {
	if bent(data) {
		return ""
	}
	return why
}

// behindLines is how many nats Gaussian processes are behind straight lines on the most probable
// graphs that short searches find under these, with noise variances of their own and with one for
// all, and how many edges the better one has.
func behindLines(ctx context.Context, data *dataset.Table) (far float64, edges int, err error) {
	d := len(data.Names)
	opt := nodescore.GPOptions{Plain: inspect.Repeated(data)}
	if n, _ := data.X.Dims(); n > lookRows {
		opt.Rank = 40
	}
	own, err := nodescore.Plain(data.X, data.Mask())
	if err != nil {
		return 0, 0, err
	}
	opt.Base = own
	g, err := straightGraph(ctx, own)
	if err != nil {
		return 0, 0, err
	}
	scaled, err := nodescore.NewGP(data.X, data.Mask(), opt)
	if err != nil {
		return 0, 0, err
	}
	// without the difference between priors of noise, which variables without parents have too
	empty, curves := dag.New(d), scaled.Integrated()
	lines := nodescore.OfGraph(own, g)
	bends := nodescore.OfGraph(curves, g) - nodescore.OfGraph(curves, empty) +
		nodescore.OfGraph(own, empty)
	edges = len(g.Edges())
	if len(opt.Plain) > 0 || inspect.NoCommonUnit(data) != "" {
		return lines - bends, edges, nil
	}
	var linear score.LinearOptions
	if linear.NoiseVariance, err = score.EstimateNoiseVariance(ctx, data.X, data.Mask(),
		score.Fair(d), linear, 1); err != nil {
		return 0, 0, err
	}
	one, err := score.NewLinear(data.X, data.Mask(), linear)
	if err != nil {
		return 0, 0, err
	}
	if g, err = straightGraph(ctx, one); err != nil {
		return 0, 0, err
	}
	both, err := nodescore.NewInOneUnit(data.X, data.Mask(), opt)
	if err != nil {
		return 0, 0, err
	}
	v, ahead, err := both.On(ctx, g, linear.NoiseVariance)
	if err != nil {
		return 0, 0, err
	}
	bends = max(bends, nodescore.OfGraph(both[0].At(v[0]), g)+max(ahead, 0))
	if v := nodescore.OfGraph(one, g); v > lines {
		lines, edges = v, len(g.Edges())
	}
	return lines - bends, edges, err
}

// straightGraph is a probable graph.
func straightGraph(ctx context.Context, s score.Scorer) (*dag.Graph, error) {
	screen, err := search.NewScreen(ctx, s, score.Fair(s.Vars()), 1)
	if err != nil {
		return nil, err
	}
	at := search.At(screen, stream.New(0, stream.GraphSearch), nil)
	err = at.Run(ctx, s.Vars())
	return at.Graph(), err
}
