package engine

// Powers of engines. Code that handles all engines asks for a power, never for the name or type of
// an engine. A power that a single package asks for is declared there: the sentences of a report in
// the command, the sizes of an overflow in the root.

// A Direct engine computes sums: Begin computes its outcome, and nothing has to converge.
type Direct interface{ Direct() }

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
