// Package drawn says what the draws of a posterior mean under their model: their densities of rows
// ([LogDensity]), total effects ([EffectsOf]), equations as densities ([DensitiesOf]), and
// functions of draws whose parameters were integrated out ([Functions]).
package drawn
