// Package slice is slice sampling, coordinate by coordinate: it needs no step size, accepts every
// move, and looks only at the log density, not at its gradient.
//
//	draws, err := chain.Sampler{Target: m, Kernel: slice.Kernel{}}.Run(ctx, 1000, nil)
//
// For each coordinate in turn an iteration draws a level below the density, an interval around
// the point that it extends by its width until both ends are below the level, at most ten
// times, and points of the interval, which it shrinks towards the point, until one is above.
// Widths are twice the standard deviations that the windows of package chain learn, 1 at
// first. Correlated coordinates make it slow.
//
// # References
//
// R. M. Neal, Slice sampling, Annals of Statistics 31 (2003) 705–767, figures 3 and 5.
package slice
