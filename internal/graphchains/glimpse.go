package graphchains

import (
	"context"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/refinement"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/internal/trust"
	"tobac/score"
	"tobac/sem"
)

// farBehind is how far, in nats for each variable, the graphs of two short searches may be behind
// the short chains of another model before none run. Where the model is right these searches end
// within a few nats of the best graph. Where it is not they ended up to 32 nats for each variable
// below it, and 200 below the other model (bench/notes/speed.md).
const farBehind = 20

// inTurn are the numbers of models in the order in which short chains compare them: a first one of
// one noise variance comes after that of several, since most often a short search leaves it out.
func inTurn(models []sem.Scored) []int {
	turn := dag.Identity(len(models))
	if len(models) > 1 {
		if _, noisy := sem.As[sem.Noisy](models[0]); noisy {
			turn[0], turn[1] = 1, 0
		}
	}
	return turn
}

// glimpse is log p(D, G) of the better one of the graphs at which two short searches under the
// hypotheses of a model end: one from a graph, and one from anywhere. It is +∞ for few variables
// and slow scores, whose short chains take little more than that.
func glimpse(ctx context.Context, data *dataset.Table, m sem.Scored, all []sem.Hypothesis,
	problem *engine.Problem, t trust.Trust, from *dag.Graph) (float64, error) {
	d := len(data.Names)
	middle := len(all) / 2
	if _, fast := all[middle].Scores.(nodescore.ToggleScorer); !fast ||
		d <= refinement.FewVariables {
		return math.Inf(1), nil
	}
	problem.Doing(name, "looking for a probable graph, model "+m.String())
	all, err := t.Of(ctx, data, all, problem.Workers)
	if err != nil {
		return 0, err
	}
	prior, err := PilotPrior(problem, d)
	if err != nil {
		return 0, err
	}
	screen, err := search.NewScreen(ctx, all[middle].Scores, prior, problem.Workers)
	if err != nil {
		return 0, err
	}
	begins := [2]*dag.Graph{from}
	var levels [len(begins)]float64
	err = parallel.For(ctx, len(begins), problem.Workers, func(k int) error {
		s := search.At(screen, stream.New(problem.Seed, stream.MCMCStart, 2*MostChains+k),
			begins[k])
		err := s.Run(ctx, 1)
		g := s.Graph()
		h := all[inference.Suiting(all, g)]
		levels[k] = h.LogWeight + nodescore.LogDensity(h.Scores, prior, g)
		return err
	})
	return max(levels[0], levels[1]), err
}

// A hopeless model may know before its short chains, which can take minutes, that another model has
// more probable graphs.
type hopeless interface {
	// Hopeless says why, given the most probable graph of the best model and the mean log density
	// of the graphs of its chains; "" if it does not know.
	Hopeless(data *dataset.Table, prior *score.Prior, g *dag.Graph, level float64,
		workers int) (string, error)
}

// noGraph says why no graph of a model is as probable as those of the best one so far.
func noGraph(data *dataset.Table, m sem.Scored, problem *engine.Problem, g *dag.Graph,
	level float64) (string, error) {
	v, ok := sem.As[hopeless](m)
	if !ok {
		return "", nil
	}
	prior, err := PilotPrior(problem, len(data.Names))
	if err != nil {
		return "", err
	}
	return v.Hopeless(data, prior, g, level, problem.Workers)
}
