// Package completions has what the fits to several completed copies of a table with gaps have in
// common: a scale, thinned draws, the spread between the copies, and their warnings and checks.
package completions
