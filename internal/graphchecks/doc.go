// Package graphchecks measures samples of graphs against their posterior: how many differ, whether
// they agree more than independent draws would, and how far two posteriors differ beyond the errors
// of sampling.
package graphchecks
