package table

import (
	"fmt"
	"strings"

	"tobac/dataset"
	"tobac/internal/delimited"
)

// Numbers count as levels if they are whole, of few values, each of which stands in a few rows; as
// counts if they are whole and the most frequent value stands in a part of the rows.
const (
	fewNumbers   = 10
	rowsOfNumber = 5
	countedPart  = 0.05
)

// measured is the kind of a column of numbers.
func measured(p *Profile, n numbersAndTexts) dataset.Kind {
	most := 0
	for _, count := range n.distinct {
		most = max(most, count)
	}
	switch k := len(n.distinct); {
	case k == 2:
		return dataset.Binary
	case p.Whole && k <= fewNumbers && n.numbers >= rowsOfNumber*k:
		return dataset.Ordered
	case p.Whole && (p.Min == 0 || p.Min == 1) && float64(most) > countedPart*float64(n.numbers):
		return dataset.Count
	case p.Min >= 0 && p.Max <= 1:
		return dataset.Proportion
	case p.Min > 0:
		return dataset.Positive
	}
	return dataset.Real
}

// Measure is what the values of a column that an analysis takes are.
func (p *Profile) Measure() dataset.Kind {
	switch {
	case p.Kind == Boolean || p.Kind == Category && len(p.Levels) == 2:
		return dataset.Binary
	case p.Kind == Category:
		return dataset.Categorical
	case p.Kind == Ordinal:
		return dataset.Ordered
	}
	return p.measure
}

// kinds reads what columns are said to be.
func (t *Table) kinds(specs []string) (map[int]dataset.Kind, error) {
	all := map[int]dataset.Kind{}
	for _, spec := range specs {
		at := strings.LastIndex(spec, "=")
		if at < 1 {
			return nil, &OptionError{"kind", fmt.Sprintf("%q has no = after the name of a column; allowed: such as stage=ordered", spec)}
		}
		j, err := t.find("kind", spec[:at])
		if err != nil {
			return nil, err
		}
		kind, err := dataset.ParseKind(strings.TrimSpace(spec[at+1:]))
		if err != nil {
			return nil, &OptionError{"kind", fmt.Sprintf("unknown kind %q; allowed: %s", spec[at+1:], kindList())}
		}
		if before, taken := all[j]; taken && before != kind {
			return nil, &OptionError{"kind", fmt.Sprintf("%s is said to be %v and %v", delimited.Excerpt(spec[:at]), before, kind)}
		}
		all[j] = kind
	}
	return all, nil
}

func kindList() string {
	var names []string
	for _, k := range dataset.Kinds() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}
