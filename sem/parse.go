package sem

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
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

// formRows is the number of rows as which the form of equations of counts and levels among numbers
// counts for directions: none where the numbers are measurements, half of the evidence where they
// are not, and without any number, where nothing tells that, in between.
func formRows(data *dataset.Table) float64 {
	const counted = 60
	var numbers []string
	for j, name := range data.Names {
		if !ofFewValues(data.Kind(j)) {
			numbers = append(numbers, name)
		}
	}
	if numbers == nil {
		return counted
	}
	n, _ := data.X.Dims()
	if of, err := data.Select(numbers); err != nil || inspect.Recorded(of) {
		return 0
	}
	return float64(n)
}

// Compared are the models that are compared for data where none is asked for: those of numbers,
// [BDeu] where every column has levels, [Generalised] where some are levels or counts, and with
// [Mixed] where some are categories.
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
	all := []Scored{linearModel{}, bgeModel{}, nonGaussianModel{NonGaussian{modes: modes}},
		additiveModel{Additive{modes: modes}}, gpModel{}}
	if d > refinement.MixedVariables { // where Gaussian processes have few parents or take too long
		all = slices.Insert(all, 2, Scored(smoothModel{}))
	}
	if d <= nodescore.MostSymmetric && data.HasKind(ofFewValues) {
		m := generalisedModel{amongNumbers: true}
		m.FormRows = formRows(data)
		all = append(all, m)
	}
	return all
}
