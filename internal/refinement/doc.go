// Package refinement refines node scores that take long where the posterior is: sets of parents
// that are probable under estimates, and their neighbours, until these are refined ([Refine]).
package refinement
