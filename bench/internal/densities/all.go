package densities

// All lists the densities. Every call draws the same data.
func All() []*Density {
	return []*Density{
		hierarchicalLogit(), eightSchools(true), eightSchools(false), gaussianProcess(),
		twoNormals(), normalMixture(),
		autoregression(1), autoregression(5), stochasticVolatility(), hiddenMarkov(), kalman(),
		lotkaVolterra(),
		networkRegression(1000, 200, 100), networkRegression(300, 20, 20),
		networkRegression(23, 2, 1),
		acyclicityPenalty(), poissonSEM(false), poissonSEM(true),
		studentRegression(), negativeBinomial(), betaRegression(), weibullSurvival(),
		probitRegression(), orderedLogit(),
		dirichletMultinomial(), bradleyTerry(), itemResponse(), randomSlopes(), funnel(),
		rosenbrock(),
	}
}
