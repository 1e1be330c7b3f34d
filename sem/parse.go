package sem

import (
	"errors"
	"fmt"
	"strings"

	"tobac/dataset"
	"tobac/internal/refinement"
)

// Parse is the model of this package with the text form text.
func Parse(text string) (Model, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("sem: no model in an empty text")
	}
	var names []string
	for _, n := range Models() {
		name := family(n.Model.String())
		if name != words[0] {
			names = append(names, name)
			continue
		}
		m, all := Settings(n.Model)
		for _, w := range words[1:] {
			if err := setWord(all, w); err != nil {
				return nil, fmt.Errorf("sem: model %q: %w", text, err)
			}
		}
		return Given(m), nil
	}
	return nil, fmt.Errorf("sem: unknown model %q; allowed: %s", words[0],
		strings.Join(names, ", "))
}

// Compared are the models that are compared for data where none is asked for: those of numbers,
// [BDeu] where every column has levels, and [Generalised] and [Mixed] where some are categories.
func Compared(data *dataset.Table) []Scored {
	switch {
	case allLevelled(data) && data.HasKind(isOrdered):
		return []Scored{bdeuModel{}, latentModel{}, generalisedModel{}}
	case allLevelled(data):
		return []Scored{bdeuModel{}}
	case data.HasKind(isCategory):
		return []Scored{mixedModel{}, latentModel{}, generalisedModel{}}
	}
	d := len(data.Names)
	modes := new(sharedModes)
	if d > refinement.MixedVariables { // where Gaussian processes have few parents or take too long
		return []Scored{linearModel{}, bgeModel{}, smoothModel{},
			nonGaussianModel{NonGaussian{modes: modes}}, additiveModel{Additive{modes: modes}},
			gpModel{}}
	}
	return []Scored{linearModel{}, bgeModel{}, nonGaussianModel{NonGaussian{modes: modes}},
		additiveModel{Additive{modes: modes}}, gpModel{}}
}
