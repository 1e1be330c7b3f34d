// Package sparse has square matrices of few entries, such as the weights of the edges of a graph.
package sparse
