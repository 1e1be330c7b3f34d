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

// variables are the kinds of the columns of a prepared table.
func (p *Prepared) variables() []dataset.Variable {
	all := make([]dataset.Variable, len(p.Columns))
	for k, c := range p.Columns {
		if c.indicator >= 0 {
			all[k].Kind = dataset.Binary
			continue
		}
		all[k].Kind = c.profile.Measure()
		if c.profile.levelOf != nil {
			for _, level := range c.profile.Levels {
				all[k].Levels = append(all[k].Levels, level.Name)
			}
		}
	}
	return all
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

// profile describes a wanted column, as what the options say that it is.
func (p *preparation) profile(j int) (*Profile, error) {
	c := p.t.Columns[j]
	kind, asked := p.kinds[j]
	q := profile(p.t, c, p.rows, &p.o, asked && kind == dataset.Categorical, p.order[j])
	if !asked || kind == dataset.Categorical {
		return q, nil
	}
	fault := func(what string) (*Profile, error) {
		return nil, &OptionError{"kind", fmt.Sprintf("%s %s, and cannot be %v", c.Label(), what, kind)}
	}
	switch {
	case q.Kind == Ordinal && kind != dataset.Ordered, q.Kind == Category && kind != dataset.Ordered && (kind != dataset.Binary || len(q.Levels) != 2):
		return fault(fmt.Sprintf("has %d levels (%s)", len(q.Levels), describe(q.Levels)))
	case q.Kind == Boolean && q.levelOf != nil && kind != dataset.Binary && kind != dataset.Ordered:
		return fault("has two words")
	case q.Kind == Mixed, q.Kind == Text, q.Kind == Date, q.Kind == Empty, q.Kind == Constant:
		return fault("is " + q.Kind.String())
	case kind == dataset.Binary && q.Distinct != 2:
		return fault(fmt.Sprintf("has %d values", q.Distinct))
	case kind == dataset.Count && !(q.Whole && q.Min >= 0):
		return fault("has numbers that are not whole or below 0")
	case kind == dataset.Positive && !(q.Min > 0):
		return fault("has numbers that are not above 0")
	case kind == dataset.Proportion && !(q.Min >= 0 && q.Max <= 1):
		return fault("has numbers outside of 0 to 1")
	case q.Kind == Number || q.Kind == Boolean && q.levelOf == nil:
		q.Kind = Number
		q.measure = kind
	}
	return q, nil
}
