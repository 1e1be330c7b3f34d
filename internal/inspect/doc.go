// Package inspect looks at the numbers of a table before any model is fitted: columns that no model
// takes ([CheckColumns]), columns of few or repeated values ([Discrete], [Repeated]), columns that
// others determine and values far from the rest ([Warnings]), units that lie apart ([UnitsApart]),
// and rows that are not independent ([Rows]).
package inspect
