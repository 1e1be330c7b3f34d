package bcd

// What the tests of the parts need.
var (
	Balance          = balance
	BalanceScaling   = balanceScaling
	BalanceLog       = balanceLog
	BalanceCotangent = balanceCotangent
	Assign           = assign
	BethePermanent   = bethePermanent
	ReleasedBethe    = releasedLogPermanent
	LogHorseshoe     = logHorseshoe
	ScoreHorseshoe   = scoreHorseshoe
	Elementary       = elementaryHorseshoe
	Horseshoe        = horseshoe
	LogPermanent     = logPermanent
	DoublyStochastic = doublyStochastic
	Weights          = weights
	LogLikelihood    = logLikelihood
)

// AdaBelief runs the optimiser on one number and returns where it is after each gradient.
func AdaBelief(x, rate float64, gradients ...float64) (path []float64) {
	o, at := adaBelief{first: []float64{0}, second: []float64{0}}, []float64{x}
	for _, g := range gradients {
		o.update(at, []float64{g}, rate)
		path = append(path, at[0])
	}
	return path
}
