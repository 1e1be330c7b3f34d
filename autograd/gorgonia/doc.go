// Package gorgonia exchanges graphs with gorgonia (gorgonia.org/gorgonia v0.9.18), and is
// the only package that imports it. [Import] makes expressions of gorgonia nodes, [Export]
// gorgonia nodes of expressions. [NewTarget] makes a log density that is a gorgonia node a target
// of samplers. [Apply] adds an operation of gorgonia's to an expression. [Tape] is the engine
// that runs expressions on gorgonia's TapeMachine.
//
// A loss, with its gradient at a hundred values of its leaf w:
//
//	b := autograd.NewBuilder("loss")
//	w := b.Input("w", autograd.Shape{3}, b.Axis("particle", 100))
//	graph, err := gorgonia.Import(b, []*G.Node{loss}, map[*G.Node]*autograd.Node{leaf: w})
//	y := graph.Outputs[0] // graph.Inputs are the nodes of all other leaves
//	run, err := autograd.NewEvaluator(append([]*autograd.Node{w}, graph.Inputs...),
//		append(b.Grad(y, w), y), autograd.Options{})
//
// Its particles, moved by Stein variational gradient descent or by chains (100 of them):
//
//	target, err := gorgonia.NewTarget(gorgonia.TargetConfig{
//		Particles: 100, Blocks: []*G.Node{leaf}, Data: map[*G.Node][]float64{x: table},
//	}, logDensity)
//	err = (&svgd.Sampler{Target: target}).Run(ctx, []*mat.Dense{particles}, 0, 1000)
//	draws, err := chain.Sampler{Target: target, Kernel: nuts.Kernel{}}.Run(ctx, 1000, nil)
//
// An expression is not built on a gorgonia ExprGraph. To add a node, an ExprGraph walks all
// nodes that it has, and it merges two nodes of the same operation whose operands' 32-bit hashes
// are equal, whether or not the operands are. [Export] and [Tape] make the gorgonia graph once,
// from the whole expression. Each operation in it is numbered, so that none is merged.
package gorgonia
