package estimated

import (
	"context"
	"testing"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/posterior"
	"tobac/score"
)

// listedEstimates are evidences that somebody wrote down, and 0.
type listedEstimates struct {
	estimator
	values map[string]float64
	known  map[string]estimated
}

func (e *listedEstimates) of(j int, set []int) (estimated, bool) {
	v, ok := e.known[nodescore.FamilyKey(j, set)]
	return v, ok
}

func (e *listedEstimates) estimate(_ context.Context, list []nodescore.Family, points,
	_ int) error {
	for _, p := range list {
		k := nodescore.FamilyKey(p.Of, p.Set)
		v := e.values[k]
		e.known[k] = estimated{v, [2]float64{v, v}, points}
	}
	return nil
}

func (e *listedEstimates) count() int                       { return len(e.known) }
func (e *listedEstimates) equip(*posterior.Posterior) error { return nil }
func (e *listedEstimates) about() words                     { return words{} }
func (e *listedEstimates) precisions() []precision {
	return []precision{{1, 0}, {2, 0.002}, {3, 0.02}}
}

// Where guesses are far from the estimates of a variable, the sets near its probable ones are
// estimated, and so one is found that its guess hides; where they are right, none are.
func TestDoubtfulSets(t *testing.T) {
	const d = 5
	key := func(set ...int) string { return nodescore.FamilyKey(3, set) }
	for _, hidden := range []bool{true, false} {
		guesses := map[string]float64{key(1, 2): 30, key(0, 1, 2): 30, key(1, 2, 4): 30, key(1): 18}
		e := &listedEstimates{known: map[string]estimated{}, values: map[string]float64{}}
		for k, v := range guesses {
			e.values[k] = v
		}
		if hidden {
			e.values[key(0, 1, 2)], e.values[key(1, 2, 4)], e.values[key(1)] = 6, 28, 40
		}
		guess := func(_ context.Context, list []nodescore.Family) ([]float64, error) {
			scores := make([]float64, len(list))
			for k, p := range list {
				scores[k] = guesses[nodescore.FamilyKey(p.Of, p.Set)]
			}
			return scores, nil
		}
		table := must.Get(newTable(t.Context(), d, guess, score.Fair(d), mcmc.Options{Workers: 1},
			100))(t)
		table.estimates, table.constant = e, make([]float64, d)
		must.Do(t, table.correct(t.Context(), correctRounds, func(string) {}))
		if _, ok := e.of(3, []int{1}); ok != hidden {
			t.Errorf("guesses far from the estimates %v: a set near the probable ones was "+
				"estimated: %v", hidden, ok)
		}
	}
}
