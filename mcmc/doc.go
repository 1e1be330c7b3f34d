// Package mcmc samples the posterior over directed acyclic graphs of more
// variables than package exact takes, by Markov chains over ordered partitions
// (Kuipers and Moffa 2017) on tables of node scores.
package mcmc
