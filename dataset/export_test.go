package dataset

func (c ERConfig) EdgeProbability() (float64, error) { return c.edgeProbability() }
