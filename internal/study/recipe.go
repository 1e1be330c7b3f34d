package study

import (
	"tobac"
	"tobac/engine"
)

// The published densities, in expected edges per variable: "ER-1" and "ER-2" of the paper.
const (
	sparse = 2
	dense  = 4
)

// noiseVariance is that of simulated data, which the methods of the paper know.
const noiseVariance = 0.1

// withoutOrder leaves the order to the method.
func withoutOrder(cfg tobac.Config) tobac.Config {
	cfg.Order = engine.Order{}
	return cfg
}

// recipe is the published one at a density.
func recipe(e float64) tobac.Config {
	cfg := withoutOrder(tobac.Paper())
	cfg.Prior.EdgesPerNode = e
	return cfg
}

// exactOverOrders is the largest number of variables of which the engine exact sums over all
// orders.
const exactOverOrders = 20
