// Package trust says which part of the evidence of a model counts ([Trust]): where the noise
// refutes the form of the equations, where columns are measurements, which no form describes
// exactly, and where rows depend on each other. [Trust.Hidden] says which edges a hidden common
// cause explains better.
package trust
