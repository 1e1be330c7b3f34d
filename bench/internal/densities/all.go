package densities

// All lists the densities. Every call draws the same data.
func All() []*Density {
	return []*Density{
		hierarchicalLogit(), autoregression(), stochasticVolatility(), studentRegression(),
		betaRegression(), weibullSurvival(), probitRegression(), orderedLogit(),
		dirichletMultinomial(), bradleyTerry(), itemResponse(), randomSlopes(), funnel(),
		rosenbrock(),
	}
}
