// Package networks computes posteriors of networks for engines: by chains at many temperatures
// under given orders, and over all orders by estimated evidences of the sets of parents that
// matter.
package networks
