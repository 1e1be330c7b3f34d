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
	"tobac/metrics"

	"github.com/spf13/cobra"
)

const effectLong = `Effect prints the posterior of the total effect of A on B: the change of the expected
value of B when A is set one unit higher by an intervention. RUN is a folder that tobac fit
--out wrote. The effect averages over the graphs and parameters of the posterior; a graph
without a directed path from A to B contributes an effect of 0. Without --to all columns
are listed; with it, a histogram and the expected value of B at quantiles of A follow, or at
every level of A with the difference from the first. Levels without an order have no unit:
for a category A only these are printed, and for a category B the probability of each of its
levels, with the difference from that at the first value of A. contrasts.csv has them all.

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
	curve   *curve           // nil means that there is none
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
	a.effects = r.effects.Of(a.from)
	if a.single {
		a.effects = slices.DeleteFunc(a.effects, func(f effects.Effect) bool {
			return f.To != target
		})
		a.values = r.effects.Values(a.from, target)
	}
	if r.columns != nil {
		list := slices.DeleteFunc(slices.Clone(a.effects), func(f effects.Effect) bool {
			return !a.single && (f.Path == 0 || !math.IsNaN(f.Mean))
		})
		if len(list) > 0 {
			if a.curve, err = newCurve(r.effects, list); err != nil {
				return nil, err
			}
		}
	}
	if a.single {
		return a, nil
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
	total := slices.DeleteFunc(slices.Clone(a.effects), func(f effects.Effect) bool {
		return math.IsNaN(f.Mean)
	})
	if len(total) > 0 {
		if err := a.writeTotal(&w, total); err != nil {
			return err
		}
	}
	if a.curve != nil {
		for t := range a.curve.to {
			if w.Len() > 0 {
				fmt.Fprintln(&w)
			}
			if err := a.curve.write(&w, t); err != nil {
				return err
			}
		}
	}
	if len(total) == 0 {
		if a.curve == nil {
			fmt.Fprintf(&w, "No draw has a directed path from %s\n",
				cli.Label(a.run.posterior.Names[a.from]))
		}
		fmt.Fprintf(&w, "  %s\n", worthText(a.run.effects))
	}
	return cli.Print(stdout, w.Bytes())
}

// writeTotal prints total effects of a unit.
func (a *effectAnswer) writeTotal(w io.Writer, total []effects.Effect) error {
	r := a.run
	name := func(j int) string { return cli.Label(r.posterior.Names[j]) }
	known := !math.IsNaN(total[0].SD)
	unit := "unit"
	if r.levelNames(a.from) != nil {
		unit = "level"
	}
	fmt.Fprintf(w, "Total effect of %s: change of E[B] when it is set one %s higher, %s\n",
		name(a.from), unit, effectUnits(r.transform))
	t := cli.NewTable(w)
	fmt.Fprint(t, "  B\teffect")
	if known {
		fmt.Fprint(t, "\t90 % interval\tabove 0\tbelow 0")
	}
	fmt.Fprintln(t, "\tpath\tin SDs")
	for _, f := range total {
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
		fmt.Fprintln(w, "  effect: posterior mean ± posterior standard deviation; path: "+
			"probability of a directed path")
	} else {
		fmt.Fprintln(w, "  effect: mean; path: probability of a directed path")
	}
	fmt.Fprintf(w, "  %s\n", worthText(r.effects))
	if a.single && known {
		writeHistogram(w, a.values, r.effects.Weights)
	}
	return nil
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
		e := effectJSON{From: names[f.From], To: names[f.To],
			distributionJSON: newDistributionJSON(f.Distribution), Path: metrics.Number(f.Path),
			Positive: metrics.Number(f.Positive), Negative: metrics.Number(f.Negative),
			InSD: metrics.Number(f.InSD)}
		if a.curve != nil {
			if t := slices.Index(a.curve.to, f.To); t >= 0 {
				e.Curve = a.curve.json(t)
			}
		}
		out.Effects = append(out.Effects, e)
	}
	return out
}
