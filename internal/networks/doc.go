// Package networks runs chains over networks, and estimates evidences of networks, or under custom
// likelihoods, of the sets of parents that matter, for sums and chains over graphs. What draws need
// of their parameters is drawn where it was estimated.
package networks
