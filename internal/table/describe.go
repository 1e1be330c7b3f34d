package table

import "math"

// A Description says everything about a table that is known before an analysis.
type Description struct {
	// Prepared is what an analysis would get; where something is wrong, what there is of it.
	Prepared *Prepared
	// Refusal is what is wrong; nil: nothing.
	Refusal *Refusal
}

// Describe reads off a table what [Prepare] would make of it, and completes the profiles by their moments, over the rows that were asked for. The error is an
// [*OptionError].
func Describe(t *Table, o Options) (*Description, error) {
	p, problems, err := prepare(t, o)
	if err != nil {
		return nil, err
	}
	d := &Description{Prepared: p}
	if len(problems) > 0 {
		d.Refusal = refuse(t, o, problems)
	}
	rows, err := t.selectRows(o.Rows)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Profiles {
		if q != nil && q.Measured() {
			q.moments(func(yield func(v float64) bool) {
				c := Coded{profile: q, indicator: -1}
				going := true
				each(rows, t.Rows, func(_, row int) { going = going && yield(c.value(row)) })
			})
		}
	}
	return d, nil
}

// Measured reports whether a column has numbers, or levels with an order, and so range and moments.
func (p *Profile) Measured() bool {
	switch p.Kind {
	case Number, Boolean, Ordinal, Index, Identifier:
		return true
	case Date:
		return !p.openDate
	case Constant:
		return p.Min == p.Max
	}
	return false
}

// Normal reports whether the values are near a normal distribution: skewness within ±1, excess kurtosis within −1.5 and 3, and more than ten
// different values. NaN moments are not.
func (p *Profile) Normal() bool {
	return p.Kind == Number && p.Distinct > 10 && math.Abs(p.Skewness) <= 1 && p.Kurtosis >= -1.5 && p.Kurtosis <= 3
}
