// Package flownets has the engine gflownet: DAG-GFlowNet, a policy that draws graphs edge by edge,
// trained by package gflownet under the model and hypothesis that short chains settle.
package flownets
