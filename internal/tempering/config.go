package tempering

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/models"
)

// Config are the settings of the networks and of their chains. The zero value is the published
// model with a noise variance of each variable's own, and the default chains.
type Config struct {
	Hidden        int               // units of the hidden layer, of which there is one; 0 means 5
	Activation    models.Activation // defaults to Relu
	NoBias        bool              // leave out all biases
	ParamVariance float64           // prior variance σ_p² of every weight and bias; 0 means 1
	// NoiseVariance of all equations. 0 means one for each, which is sampled, with the prior of
	// [models.OwnVariances] and the scale NoiseScale.
	NoiseVariance float64
	NoiseScale    float64 // s²; 0 means 0.1

	Temperatures int // of each chain, from the prior to the posterior; 0 means 12
	Iterations   int // of each chain, the first half of which is dropped; 0 means 2000
	// of whole networks, half of them from each of the two chains of a variable, at most one of an
	// iteration that is kept; 0 means 200
	Draws int

	Seed    uint64
	Workers int // goroutines; results do not depend on it. Defaults to 1
}

// chains is the number of independent ones for each variable, which are compared.
const chains = 2

// Largest settings, beyond which numbers are slips.
const (
	mostUnits        = 1000
	mostTemperatures = 200
	mostIterations   = 100_000_000
)

// withDefaults replaces zeros by their defaults, or finds the first setting out of range.
func (c Config) withDefaults() (Config, error) {
	for _, f := range []struct {
		name                 string
		value                *int
		zero, least, largest int
	}{
		{"hidden units", &c.Hidden, 5, 1, mostUnits},
		{"temperatures", &c.Temperatures, 12, 2, mostTemperatures},
		{"iterations", &c.Iterations, 2000, 40, mostIterations},
		{"draws", &c.Draws, 200, 0, mostIterations},
		{"workers", &c.Workers, 1, 1, math.MaxInt},
	} {
		if *f.value == 0 {
			*f.value = f.zero
		}
		if *f.value < f.least || *f.value > f.largest {
			return c, fmt.Errorf("tempering: %s %d, want %d to %d", f.name, *f.value, f.least,
				f.largest)
		}
	}
	for _, f := range []struct {
		name  string
		value *float64
		zero  float64
		least string
	}{
		{"parameter variance", &c.ParamVariance, 1, "a finite positive number"},
		{"noise scale", &c.NoiseScale, 0.1, "a finite positive number"},
		{"noise variance", &c.NoiseVariance, 0, "a finite positive number, or 0 for unknown ones"},
	} {
		if *f.value == 0 {
			*f.value = f.zero
		}
		if *f.value < 0 || *f.value-*f.value != 0 {
			return c, fmt.Errorf("tempering: %s %v, want %s", f.name, *f.value, f.least)
		}
	}
	if c.Activation < models.Relu || c.Activation > models.LeakyRelu {
		return c, fmt.Errorf("tempering: unknown activation %v", c.Activation)
	}
	c.Draws = min(c.Draws, chains*(c.Iterations-c.Iterations/2))
	return c, nil
}

// logNoise is the log density of ln σ², for σ² ~ inverse gamma of shape ½ and scale NoiseScale/2.
func (c *Config) logNoise(logs float64) float64 {
	b := c.NoiseScale / 2
	return 0.5*math.Log(b/math.Pi) - 0.5*logs - b*math.Exp(-logs)
}

// startNoise is ln σ², drawn from its prior if it is not given: the scale divided by a squared
// normal number.
func (c *Config) startNoise(rng *rand.Rand) float64 {
	if c.NoiseVariance > 0 {
		return math.Log(c.NoiseVariance)
	}
	z := rng.NormFloat64()
	return math.Log(c.NoiseScale / (z*z + 1e-12))
}
