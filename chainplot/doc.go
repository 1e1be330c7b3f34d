// Package chainplot draws the usual pictures of Markov chains as plots of gonum/plot, which a
// caller changes, combines or saves:
//
//	p, err := chainplot.Trace("tau", chains)
//	err = p.Save(6*vg.Inch, 3*vg.Inch, "tau.svg")
package chainplot
