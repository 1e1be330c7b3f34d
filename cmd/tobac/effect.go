package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/metrics"

	"github.com/spf13/cobra"
)

const effectLong = `Effect prints the posterior of the total effect of A on B: the change of the expected
value of B when A is set one unit higher by an intervention. RUN is a folder that tobac fit
--out wrote. The effect averages over the graphs and parameters of the posterior; a graph
without a directed path from A to B contributes an effect of 0. Without --to all columns
are listed; with it, a histogram and the expected value of B at quantiles of A follow, or at
every level of A with the difference from the first. Levels without an order have no unit:
for a category A only these are printed, with --to.

The interval goes from the 5 % to the 95 % quantile of the posterior. Under nonlinear models
the effect is the average slope between the 5 % and the 95 % quantile of A. Particles of
svgd have no standard deviation, so only means are printed for them. With --model bge they
have no parameters, and no effects.`

func newEffect() *cobra.Command {
	var from, to string
	var asJSON, edited bool
	cmd := &cobra.Command{
		Use:   "effect --from A [--to B] RUN",
		Short: "What setting one column does to another, from a finished fit",
		Long:  effectLong,
		Example: `  tobac fit data.csv --out run
  tobac effect run --from smoking --to cancer`,
		Args:                  cli.Arguments(1, 1, "one folder written by tobac fit --out"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if from == "" {
				return cli.Usagef("tobac effect needs --from A, the column that is set")
			}
			p := cli.NewProgress(cmd.ErrOrStderr(), cli.IsQuiet(cmd))
			defer p.Close()
			p.During("reading " + args[0])
			r, err := readRun(args[0], edited)
			if err != nil {
				return err
			}
			p.During("total effects")
			a, err := newEffectAnswer(r, from, to)
			p.Close()
			if err != nil {
				return err
			}
			return a.write(cmd.OutOrStdout(), asJSON)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(cli.PlainText(&from, "A"), "from", "the column that is set (required)")
	f.Var(cli.PlainText(&to, "B"), "to", "the column whose change is printed")
	cli.DefaultText(f, "to", "all others")
	cli.Toggle(f, &edited, "edited", cli.EditedUsage)
	cli.Toggle(f, &asJSON, "json", cli.JSONUsage)
	return cmd
}

// An effectAnswer is what tobac effect says.
type effectAnswer struct {
	run     *savedRun
	from    int
	effects []effects.Effect // by the size of the mean in standard deviations
	single  bool             // of one target, with what follows
	values  []float64        // by draw
	at      []float64        // values of A: quantiles, or its levels
	curve   []effects.Distribution
	// by value how much more is expected of B than at the first; of levels
	contrasts []effects.Distribution
}

func newEffectAnswer(r *savedRun, from, to string) (*effectAnswer, error) {
	a := &effectAnswer{run: r, single: to != ""}
	var err error
	if a.from, err = r.variable("--from", from); err != nil {
		return nil, err
	}
	target := -1
	if a.single {
		if target, err = r.variable("--to", to); err != nil {
			return nil, err
		}
		if target == a.from {
			return nil, cli.Usagef("--from and --to are the same column")
		}
	}
	if err := r.checkEffects(); err != nil {
		return nil, err
	}
	for _, j := range []int{a.from, target} {
		if j >= 0 && r.columns != nil && r.columns[j].Unordered && (j == target || !a.single) {
			allowed := "--to B, which compares levels"
			if j == target {
				allowed = "tobac predict --do, which prints the probabilities of levels"
			}
			return nil, fmt.Errorf("column %s is a category, whose levels have no unit; "+
				"allowed: %s", delimited.Excerpt(r.posterior.Names[j]), allowed)
		}
	}
	a.effects = r.effects.Of(a.from)
	if a.single {
		a.effects = slices.DeleteFunc(a.effects, func(f effects.Effect) bool {
			return f.To != target
		})
		a.values = r.effects.Values(a.from, target)
		if r.columns == nil {
			return a, nil
		}
		a.at = r.columns[a.from].Quantiles
		if names := r.levelNames(a.from); names != nil {
			a.at = nil
			for k := range names {
				a.at = append(a.at, float64(k))
			}
		}
		a.curve, a.contrasts, err = r.effects.Curve(a.from, target, a.at)
		return a, err
	}
	size := func(f effects.Effect) float64 {
		if math.IsNaN(f.InSD) {
			return math.Abs(f.Mean)
		}
		return math.Abs(f.InSD)
	}
	slices.SortStableFunc(a.effects, func(x, y effects.Effect) int {
		return cmp.Compare(size(y), size(x))
	})
	return a, nil
}

// write prints the answer.
func (a *effectAnswer) write(stdout io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(stdout, a.json())
	}
	var w bytes.Buffer
	r := a.run
	name := func(j int) string { return cli.Label(r.posterior.Names[j]) }
	known := !math.IsNaN(a.effects[0].SD)
	if r.columns != nil && r.columns[a.from].Unordered {
		if err := a.writeLevels(&w); err != nil {
			return err
		}
		fmt.Fprintf(&w, "  %s\n", worthText(r.effects))
		return cli.Print(stdout, w.Bytes())
	}
	unit := "unit"
	if r.levelNames(a.from) != nil {
		unit = "level"
	}
	fmt.Fprintf(&w, "Total effect of %s: change of E[B] when it is set one %s higher, %s\n",
		name(a.from), unit, effectUnits(r.transform))
	t := cli.NewTable(&w)
	fmt.Fprint(t, "  B\teffect")
	if known {
		fmt.Fprint(t, "\t90 % interval\tabove 0\tbelow 0")
	}
	fmt.Fprintln(t, "\tpath\tin SDs")
	for _, f := range a.effects {
		fmt.Fprintf(t, "  %s\t%s", name(f.To), cli.WeightText(f.Mean, f.SD))
		if known {
			fmt.Fprintf(t, "\t%s\t%.2f\t%.2f", intervalText(f.Distribution), f.Positive, f.Negative)
		}
		fmt.Fprintf(t, "\t%.2f\t%s\n", f.Path, signed(f.InSD))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if known {
		fmt.Fprintln(&w, "  effect: posterior mean ± posterior standard deviation; path: "+
			"probability of a directed path")
	} else {
		fmt.Fprintln(&w, "  effect: mean; path: probability of a directed path")
	}
	fmt.Fprintf(&w, "  %s\n", worthText(r.effects))
	if a.single && known {
		writeHistogram(&w, a.values, r.effects.Weights)
	}
	if r.levelNames(a.from) != nil && a.curve != nil {
		fmt.Fprintln(&w)
		if err := a.writeLevels(&w); err != nil {
			return err
		}
	} else if a.curve != nil {
		fmt.Fprintf(&w, "\nE[%s] when %s is set to quantiles of its column\n",
			name(a.effects[0].To), name(a.from))
		t := cli.NewTable(&w)
		for k, d := range a.curve {
			fmt.Fprintf(t, "  %.0f %%\t%s = %.4g\t%s", 100*effects.Levels[k], name(a.from),
				a.at[k], cli.WeightText(d.Mean, d.SD))
			if known {
				fmt.Fprintf(t, "\t%s", intervalText(d))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return cli.Print(stdout, w.Bytes())
}

// writeLevels prints what is expected of the target at every level, and the differences from the
// first.
func (a *effectAnswer) writeLevels(w io.Writer) error {
	r := a.run
	from := cli.Label(r.posterior.Names[a.from])
	to := cli.Label(r.posterior.Names[a.effects[0].To])
	names := r.levelNames(a.from)
	fmt.Fprintf(w, "E[%s] when %s is set to a level, and how much more than for %s = %s\n", to,
		from, from, cli.Label(names[0]))
	t := cli.NewTable(w)
	for k, d := range a.curve {
		c := a.contrasts[k]
		fmt.Fprintf(t, "  %s = %s\t%s", from, cli.Label(names[k]), cli.WeightText(d.Mean, d.SD))
		if known := !math.IsNaN(d.SD); known {
			fmt.Fprintf(t, "\t%s", intervalText(d))
		}
		if k > 0 {
			fmt.Fprintf(t, "\t%s", cli.WeightText(c.Mean, c.SD))
			if !math.IsNaN(c.SD) {
				fmt.Fprintf(t, "\t%s", intervalText(c))
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// writeHistogram draws the distribution of an effect. The draws without any effect have a
// line of their own.
func writeHistogram(w io.Writer, values, weights []float64) {
	const bins, longest = 12, 50
	zero := 0.0
	var kept, of []float64
	for m, v := range values {
		if v == 0 {
			zero += weights[m]
			continue
		}
		kept, of = append(kept, v), append(of, weights[m])
	}
	fmt.Fprintln(w, "\nPosterior of the effect")
	bar := func(share, most float64) string {
		return strings.Repeat("█", int(math.Round(longest*share/most)))
	}
	share := make([]float64, bins)
	low, high := 0.0, 0.0
	if len(kept) > 0 {
		low, high = slices.Min(kept), slices.Max(kept)
	}
	for m, v := range kept {
		k := 0
		if high > low {
			k = min(bins-1, int(bins*((v-low)/(high-low))))
		}
		share[k] += of[m]
	}
	most := max(zero, slices.Max(share))
	t := cli.NewTable(w)
	if zero > 0 {
		fmt.Fprintf(t, "  exactly 0\t%.2f\t%s\n", zero, bar(zero, most))
	}
	if len(kept) > 0 {
		step := (high - low) / bins
		for k, s := range share {
			fmt.Fprintf(t, "  %s to %s\t%.2f\t%s\n", short(low+float64(k)*step, step),
				short(low+float64(k+1)*step, step), s, bar(s, most))
			if high == low {
				break
			}
		}
	}
	_ = t.Flush() // writes to a buffer
}

// effectJSON is an effect in JSON.
type effectJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	distributionJSON
	Path     metrics.Number `json:"path"`
	Positive metrics.Number `json:"positive"`
	Negative metrics.Number `json:"negative"`
	InSD     metrics.Number `json:"mean_in_sd"`
	Curve    []curveJSON    `json:"curve,omitempty"`
}

type curveJSON struct {
	Level metrics.Number `json:"level"` // of the quantile
	Value metrics.Number `json:"value"` // that the column is set to
	// of a level: its name, and how much more is expected than at the first
	Name     string            `json:"name,omitempty"`
	Contrast *distributionJSON `json:"contrast,omitempty"`
	distributionJSON
}

func (a *effectAnswer) json() any {
	names := a.run.posterior.Names
	out := struct {
		Units          string         `json:"units"`
		EffectiveDraws metrics.Number `json:"effective_draws"`
		Effects        []effectJSON   `json:"effects"`
	}{Units: effectUnits(a.run.transform), EffectiveDraws: metrics.Number(math.NaN())}
	if a.run.effects != nil {
		out.EffectiveDraws = metrics.Number(a.run.effects.EffectiveDraws())
	}
	for _, f := range a.effects {
		if a.run.columns != nil && a.run.columns[a.from].Unordered { // levels have no unit
			nan := math.NaN()
			f.Distribution = effects.Distribution{Mean: nan, SD: nan, Q05: nan, Q50: nan, Q95: nan}
			f.Positive, f.Negative, f.InSD = nan, nan, nan
		}
		e := effectJSON{From: names[f.From], To: names[f.To],
			distributionJSON: newDistributionJSON(f.Distribution), Path: metrics.Number(f.Path),
			Positive: metrics.Number(f.Positive), Negative: metrics.Number(f.Negative),
			InSD: metrics.Number(f.InSD)}
		for k, d := range a.curve {
			c := curveJSON{Level: metrics.Number(math.NaN()), Value: metrics.Number(a.at[k]),
				distributionJSON: newDistributionJSON(d)}
			if names := a.run.levelNames(a.from); names != nil {
				contrast := newDistributionJSON(a.contrasts[k])
				c.Name, c.Contrast = names[k], &contrast
			} else {
				c.Level = metrics.Number(effects.Levels[k])
			}
			e.Curve = append(e.Curve, c)
		}
		out.Effects = append(out.Effects, e)
	}
	return out
}
