// Package drawn says what the draws of a posterior mean under their model: their densities of rows
// ([LogDensity]), total effects ([EffectsOf]), and equations as densities ([DensitiesOf]).
package drawn
