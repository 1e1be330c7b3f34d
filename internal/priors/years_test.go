package priors_test

import (
	"slices"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/priors"
)

// Years are tiers, unless tiers or an edge into an earlier year were asked for.
func TestYearsOfColumns(t *testing.T) {
	years := []int{-1, 1992, 1990, 1991}
	back := []dag.Edge{{From: 1, To: 2}}
	for name, c := range map[string]struct {
		prior background.Prior
		want  []int
	}{
		"nothing":  {background.Prior{}, years},
		"forward":  {background.Prior{Required: []dag.Edge{{From: 2, To: 1}}}, years},
		"from any": {background.Prior{Required: []dag.Edge{{From: 1, To: 0}}}, years},
		"back":     {background.Prior{Required: back}, nil},
		"odds":     {background.Prior{Odds: []background.EdgeOdds{{From: 3, To: 2, Odds: 9}}}, nil},
		"tiers":    {background.Prior{Tiers: []int{0, 1, 2, 3}}, []int{0, 1, 2, 3}},
	} {
		if priors.AddColumns(&c.prior, nil, years); !slices.Equal(c.prior.Tiers, c.want) {
			t.Errorf("%s: tiers %v, want %v", name, c.prior.Tiers, c.want)
		}
	}
}
