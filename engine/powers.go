package engine

// Powers of engines. Code that handles all engines asks for a power, never for the name or type of
// an engine.

// A Direct engine computes sums: Begin computes its outcome, and nothing has to converge.
type Direct interface{ Direct() }

// An Optional engine knows whether it was asked for.
type Optional interface {
	// LeftOpen holds where it was not: the model that a fit chooses may be one of another engine.
	LeftOpen() bool
}

// A Settled stage has chosen a model before its steps.
type Settled interface {
	// First is what is known before the first step.
	First() *Outcome
}

// An OrderSource has draws of graphs under node scores, whose orders particles may follow.
type OrderSource interface{ OrderSource() }

// A Swarm has particles in place of draws from the posterior.
type Swarm interface {
	// Orders chooses the engine whose draws give the orders of a problem; nil means the default
	// one. Drawn is false if no orders are drawn.
	Orders(p *Problem) (s Settings, drawn bool)
}

// A CompleteOnly engine takes no table that was completed at random.
type CompleteOnly interface{ CompleteOnly() }

// A Converging engine has a sentence about the convergence of its results.
type Converging interface{ Convergence() string }

// An OwnPrior engine has its own prior in place of the prior of the problem.
type OwnPrior interface {
	// DescribePrior names the prior for expected edges per variable.
	DescribePrior(edgesPerNode float64) string
}

// A Sized engine has settings on which the sizes of its numbers depend.
type Sized interface {
	// SizeSettings are the names of these settings, and those of the problem with their values.
	SizeSettings(p *Problem) (names, given []string)
}
