// Package explain says in plain words what a result means: which relations are stable, what their
// directions rest on, which model the data support, and what there is to distrust ([Of]).
package explain
