// Package gflownet samples causal graphs by a generative flow network: a policy that
// builds an acyclic graph edge by edge and stops in it with the probability that the graph
// has in the posterior (DAG-GFlowNet: Deleu and others 2022).
package gflownet
