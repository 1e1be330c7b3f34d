// Package hamiltonian has what kernels of Markov chains with momenta share, packages hmc and nuts:
// energies, leapfrog steps, and step sizes that adapt by dual averaging (Hoffman and Gelman 2014).
package hamiltonian
