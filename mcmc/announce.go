package mcmc

import (
	"cmp"
	"context"
	"slices"

	"tobac/internal/parallel"
	"tobac/score"
)

// promising is the number of single parents of a variable beside which the search for graphs is likely to try every other one.
const promising = 4

// announceSearch announces to a [score.Preparer] what the search for graphs is about to ask for: the scores of every single parent; of
// the parents in the graphs that it starts from, with one more or one less; then of pairs with one of the
// most promising single parents.
func (m *Sampler) announceSearch(ctx context.Context, starts []*climber) error {
	if _, ok := m.scorer.(score.Preparer); !ok {
		return nil
	}
	allowed := make([][]int, m.d)
	var families []score.Family
	for j := range allowed {
		for i := range m.d {
			if i != j && !m.prior.Forbidden(i, j) {
				allowed[j] = append(allowed[j], i)
			}
		}
		families = append(families, score.Family{Child: j, Candidates: allowed[j], Most: 1})
		for _, c := range starts {
			parents := slices.Clone(c.graph.list(j))
			families = append(families, beside(j, allowed[j], parents))
			for k := range parents {
				families = append(families, score.Family{Child: j, Given: slices.Concat(parents[:k], parents[k+1:])})
			}
		}
	}
	if err := score.Prepare(ctx, m.scorer, func() []score.Family { return families }); err != nil {
		return err
	}
	pairs := make([][]score.Family, m.d)
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) error {
		q := make([]float64, m.d)
		for _, i := range allowed[j] {
			q[i] = m.q(j, []int{i})
		}
		best := slices.Clone(allowed[j])
		slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(q[b], q[a]) })
		for _, i := range best[:min(promising, len(best))] {
			pairs[j] = append(pairs[j], beside(j, allowed[j], []int{i}))
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return score.Prepare(ctx, m.scorer, func() []score.Family { return slices.Concat(pairs...) })
}

// beside are some parents of j, and each other one beside them.
func beside(j int, allowed, parents []int) score.Family {
	others := slices.DeleteFunc(slices.Clone(allowed), func(i int) bool { return slices.Contains(parents, i) })
	return score.Family{Child: j, Candidates: others, Given: parents, Most: 1}
}

// announceTables announces all sets of the candidates of every variable.
func (m *Sampler) announceTables(ctx context.Context, candidates [][]int) error {
	return score.Prepare(ctx, m.scorer, func() []score.Family {
		families := make([]score.Family, m.d)
		for j, list := range candidates {
			families[j] = score.Family{Child: j, Candidates: list}
		}
		return families
	})
}

// announceExtra announces all sets of the candidates of every variable beside each of its extra parents.
func (m *Sampler) announceExtra(ctx context.Context, extra [][]int) error {
	return score.Prepare(ctx, m.scorer, func() []score.Family {
		var families []score.Family
		for j, list := range extra {
			for _, i := range list {
				families = append(families, score.Family{Child: j, Candidates: m.tables[j].parents, Given: []int{i}})
			}
		}
		return families
	})
}
