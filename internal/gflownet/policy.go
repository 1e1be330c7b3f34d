package gflownet

import ad "tobac/autograd"

// masked is the logit of an edge that is not allowed.
const masked = -1e5

// logPolicy is the log policy of logits: of the edges, d×d, where the allowed ones share
// what is left by the probability σ(stop) to stop, and of stopping.
func logPolicy(edges, stop, allowed *ad.Node) (logEdges, logStop *ad.Node) {
	edges = allowed.Where(edges, edges.Builder().Scalar(masked).Expand(edges.Shape()))
	return edges.Sub(edges.LogSumExp()).Add(stop.Neg().LogSigmoid()), stop.LogSigmoid()
}

// residual is that of the modified detailed balance of a transition s → s' by an edge,
//
//	e = given − log π(edge|s) + log π(stop|s),   given = δ + log P_B(s|s') − log π_target(stop|s').
func residual(logEdges, logStop, action, given *ad.Node) *ad.Node {
	flat := logEdges.Reshape(ad.Shape{size(logEdges.Shape())})
	return given.Sub(flat.Take(action, 0)).Add(logStop)
}

// huber is ½e² for |e| ≤ 1 and |e| − ½ beyond.
func huber(e *ad.Node) *ad.Node {
	size := e.Abs()
	near := size.Sub(size.AddScalar(-1).Relu())
	return near.Square().Scale(0.5).Add(size.Sub(near))
}
