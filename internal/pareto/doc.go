// Package pareto smooths importance weights by generalised Pareto distributions.
//
// References: A. Vehtari, D. Simpson, A. Gelman, Y. Yao and J. Gabry, Pareto smoothed importance
// sampling, Journal of Machine Learning Research 25 (2024) 72. J. Zhang and M. A. Stephens, A
// new and efficient estimation method for the generalized Pareto distribution,
// Technometrics 51 (2009) 316–325.
package pareto
