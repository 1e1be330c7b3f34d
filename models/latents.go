package models

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/internal/words"
)

// Latents says what the latent Z of a particle is, and its prior.
type Latents int

const (
	// Factors are the vectors u_i and v_j of (3), with s_ij = u_i·v_j and elements from N(0, 1/k),
	// as published. Their prior prefers sign patterns of low rank: it is not a product over edges,
	// and changes p(G).
	Factors Latents = iota
	// NormalScores are the scores s_ij ~ N(0, 1) themselves, one for each pair that can be an edge.
	// They are independent and symmetric about 0, so that every graph has the same probability
	// under them at every α, and p(G) is left as it is stated.
	NormalScores
	// LogisticScores are scores with the standard logistic distribution, whose tails are heavier.
	LogisticScores
)

var latentNames = []string{"factors", "normal", "logistic"}

// String is the name of the choice on the command line.
func (l Latents) String() string {
	return words.Name(l, latentNames...)
}

// logPrior is the log density of the latents of a particle, with vectors of length k.
func (l Latents) logPrior(z *autograd.Node, k int) *autograd.Node {
	switch l {
	case NormalScores:
		return lnNormal(z, 0, 1).Sum()
	case LogisticScores:
		return z.Softplus().Add(z.Neg().Softplus()).Neg().Sum()
	}
	return lnNormal(z, 0, 1/float64(k)).Sum()
}

// draw fills z with a draw from the prior.
func (l Latents) draw(z []float64, k int, rng *rand.Rand) {
	sd := 1.0
	if l == Factors {
		sd = 1 / math.Sqrt(float64(k))
	}
	for e := range z {
		if l == LogisticScores {
			u := 1 - rng.Float64() // above 0
			z[e] = math.Log(u) - math.Log1p(-u+0x1p-54)
			continue
		}
		z[e] = sd * rng.NormFloat64()
	}
}

// PriorPlace says where the graph prior enters the target.
type PriorPlace int

const (
	// PriorOutside evaluates it at the edge probabilities, as published: (5).
	PriorOutside PriorPlace = iota
	// PriorInside multiplies the likelihood of every sampled graph by its prior, within the
	// expectation of (4). A certain edge then loses nothing where the prior is against it: outside,
	// the density of its score peaks where the edge is still uncertain.
	PriorInside
)

var priorPlaceNames = []string{"outside", "inside"}

// String is the name of the choice on the command line.
func (p PriorPlace) String() string {
	return words.Name(p, priorPlaceNames...)
}
