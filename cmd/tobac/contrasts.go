package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/parallel"
	"tobac/metrics"
)

// A curve is what is expected of some columns when another one is set to each of several values:
// its levels, or its quantiles ([effects.Levels]) where it has no levels with names.
type curve struct {
	of   *effects.Effects
	from int
	to   []int
	path []float64 // probabilities of a directed path, by column
	at   []float64
	// by value and column; contrasts are how much more that is than at the first value
	means, contrasts [][]effects.Prediction
}

// newCurve is that of the columns to which a list of effects leads.
func newCurve(e *effects.Effects, list []effects.Effect) (*curve, error) {
	c := &curve{of: e, from: list[0].From}
	for _, f := range list {
		c.to, c.path = append(c.to, f.To), append(c.path, f.Path)
	}
	c.at = e.Columns[c.from].Quantiles
	if names := c.names(c.from); names != nil {
		c.at = nil
		for k := range names {
			c.at = append(c.at, float64(k))
		}
	}
	var err error
	c.means, c.contrasts, err = e.Curve(c.from, c.at, c.to...)
	return c, err
}

// mostContrasts is the number of equations, by value, draw and column, that contrasts.csv may take:
// some seconds.
const mostContrasts = 3e6

// newContrasts are the curves of all pairs of which one end has levels without an order, and that
// some draw connects, by the column that is set; none of tables for which they take long.
func newContrasts(ctx context.Context, e *effects.Effects, workers int) ([]*curve, error) {
	columns, values := e.Columns, 0
	for _, c := range columns {
		values += max(len(c.LevelNames), len(c.Quantiles))
	}
	if !slices.ContainsFunc(columns, func(c effects.Column) bool { return c.Unordered }) ||
		float64(values)*float64(len(e.Weights))*float64(len(columns)) > mostContrasts {
		return nil, nil
	}
	all := make([]*curve, len(columns))
	err := parallel.For(ctx, len(columns), max(1, workers), func(from int) error {
		list := slices.DeleteFunc(e.Of(from), func(f effects.Effect) bool {
			return f.Path == 0 || !columns[from].Unordered && !columns[f.To].Unordered
		})
		if len(list) == 0 {
			return nil
		}
		var err error
		all[from], err = newCurve(e, list)
		return err
	})
	return slices.DeleteFunc(all, func(c *curve) bool { return c == nil }), err
}

// names are those of the levels of a column; nil if its values are numbers.
func (c *curve) names(j int) []string { return c.of.Columns[j].LevelNames }

// hasLevels reports whether target t has a probability of each of its levels, which have names.
func (c *curve) hasLevels(t int) bool {
	return len(c.means[0][t].Levels) > 0 && c.names(c.to[t]) != nil
}

// hasMean reports whether the expected value of target t means anything: it has none if its levels
// have no order, and that of two levels is a probability.
func (c *curve) hasMean(t int) bool {
	column := c.of.Columns[c.to[t]]
	return !column.Unordered && !(c.hasLevels(t) && len(column.LevelNames) == 2)
}

// value is how value k of the column that is set is written.
func (c *curve) value(k int) string {
	if names := c.names(c.from); names != nil {
		return cli.Label(names[k])
	}
	return fmt.Sprintf("%.4g", c.at[k])
}

// write prints what is expected of target t: the mean, the probabilities of levels, or both, and
// differences where levels are set or predicted.
func (c *curve) write(w io.Writer, t int) error {
	from := cli.Label(c.of.Columns[c.from].Name)
	levels := c.names(c.from) != nil
	label := func(k int) string {
		text := from + " = " + c.value(k)
		if !levels {
			text = fmt.Sprintf("%.0f %%\t%s", 100*effects.Levels[k], text)
		}
		return text
	}
	set := "is set to quantiles of its column"
	if levels {
		set = "is set to a level"
	}
	title := func(what, more string) {
		to := cli.Label(c.of.Columns[c.to[t]].Name)
		fmt.Fprintf(w, what+" when %s %s", to, from, set)
		if more != "" {
			fmt.Fprintf(w, ", and how much more than for %s = %s", more, c.value(0))
		}
		fmt.Fprintln(w)
	}
	line := func(out io.Writer, k int, mean, contrast effects.Distribution, differs bool) {
		fmt.Fprintf(out, "\t%s", cli.WeightText(mean.Mean, mean.SD))
		if !math.IsNaN(mean.SD) {
			fmt.Fprintf(out, "\t%s", intervalText(mean))
		}
		if differs && k > 0 {
			fmt.Fprintf(out, "\t%s", cli.WeightText(contrast.Mean, contrast.SD))
			if !math.IsNaN(contrast.SD) {
				fmt.Fprintf(out, "\t%s", intervalText(contrast))
			}
		}
		fmt.Fprintln(out)
	}
	if c.hasMean(t) {
		more := ""
		if levels {
			more = from
		}
		title("E[%s]", more)
		table := cli.NewTable(w)
		for k := range c.at {
			fmt.Fprintf(table, "  %s", label(k))
			line(table, k, c.means[k][t].Mean, c.contrasts[k][t].Mean, levels)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if c.hasLevels(t) {
		if c.hasMean(t) {
			fmt.Fprintln(w)
		}
		title("P(%s)", from)
		table := cli.NewTable(w)
		for k := range c.at {
			for l, name := range c.names(c.to[t]) {
				fmt.Fprintf(table, "  %s\t%s", label(k), cli.Label(name))
				line(table, k, c.means[k][t].Levels[l], c.contrasts[k][t].Levels[l], true)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if c.of.Columns[c.from].Unordered || c.of.Columns[c.to[t]].Unordered {
		fmt.Fprintf(w, "  path: probability of a directed path %.2f\n", c.path[t])
	}
	return nil
}

// curveJSON is what is expected at a value.
type curveJSON struct {
	Level metrics.Number `json:"level"` // of the quantile
	Value metrics.Number `json:"value"` // that the column is set to
	// of a level: its name, and how much more is expected than at the first
	Name     string            `json:"name,omitempty"`
	Contrast *distributionJSON `json:"contrast,omitempty"`
	distributionJSON
	Levels []levelJSON `json:"levels,omitempty"` // of the other column, if it has some
}

// levelJSON is the probability of a level, and how much more that is than at the first value.
type levelJSON struct {
	Name     string           `json:"name"`
	Contrast distributionJSON `json:"contrast"`
	distributionJSON
}

// json is what is expected of target t.
func (c *curve) json(t int) []curveJSON {
	var all []curveJSON
	for k, at := range c.at {
		p, contrast := c.means[k][t], c.contrasts[k][t]
		one := curveJSON{Level: metrics.Number(math.NaN()), Value: metrics.Number(at)}
		if names := c.names(c.from); names != nil {
			one.Name = names[k]
		} else {
			one.Level = metrics.Number(effects.Levels[k])
		}
		if one.distributionJSON = newDistributionJSON(p.Mean); c.of.Columns[c.to[t]].Unordered {
			one.distributionJSON = newDistributionJSON(unknown)
		} else if one.Name != "" {
			difference := newDistributionJSON(contrast.Mean)
			one.Contrast = &difference
		}
		if c.hasLevels(t) {
			for l, name := range c.names(c.to[t]) {
				one.Levels = append(one.Levels, levelJSON{name,
					newDistributionJSON(contrast.Levels[l]), newDistributionJSON(p.Levels[l])})
			}
		}
		all = append(all, one)
	}
	return all
}
