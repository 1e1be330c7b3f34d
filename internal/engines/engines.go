// Package engines lists the engines of the module by their names.
package engines

import (
	"fmt"
	"strings"

	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/local"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/setting"
)

// All are the engines of the module with their defaults, in the sequence of their documentation.
func All() []engine.Settings {
	return []engine.Settings{&sums.Exact{}, &markov.MCMC{}, &local.Search{}, &stein.SVGD{},
		&stein.DiBS{}, &bcdnets.BCDNets{}, &flownets.GFlowNet{}, &neural.Tempering{}}
}

// Auto is the name that leaves the engine open.
const Auto = "auto"

// Names are Auto and those of All.
func Names() []string {
	names := []string{Auto}
	for _, e := range All() {
		names = append(names, e.Engine().Name())
	}
	return names
}

// ByName is the engine with a name, with its defaults.
func ByName(name string) (engine.Settings, error) {
	for _, e := range All() {
		if e.Engine().Name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q; allowed: %s", name,
		strings.Join(Names()[1:], ", "))
}

// Setting is the choice of an engine by its name. To set it gives the engine's defaults.
func Setting(e *engine.Settings) *setting.Setting {
	return setting.Parsed(e, "engine", "what infers the posterior", Auto,
		strings.Join(Names(), "|"), strings.Join(Names(), ", "),
		func(e engine.Settings) string {
			if e == nil {
				return ""
			}
			return e.Engine().Name()
		},
		func(name string) (engine.Settings, error) {
			if name == Auto {
				return nil, nil
			}
			return ByName(name)
		})
}
