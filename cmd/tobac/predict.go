package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/metrics"

	"github.com/spf13/cobra"
)

const predictLong = `Predict says what to expect of every other column when some are set, from a folder
that tobac fit --out wrote. --do A=1.5 sets column A to 1.5, whatever its causes are; it
may be repeated. Values are in the units of the data, of the transformed columns after
data.transform.

E is the posterior of the expected value, the average over many observations under
the intervention, over the graphs and the parameters of the draws: mean ± standard
deviation, and the interval from its 5 % to its 95 % quantile. The interval of a new
observation holds a single one with a probability of 90 %. Without --do the
predictions are those of the system as it is. Columns with named levels are set to
one of them; models of categories predict the probability of each level.

--rows prints the expected values of every draw instead, with its weight, as a table
separated by commas.`

func newPredict() *cobra.Command {
	var do []string
	var rows, asJSON, edited bool
	cmd := &cobra.Command{
		Use:   "predict [--do A=VALUE] [--do B=VALUE] RUN",
		Short: "What to expect when columns are set, from a finished fit",
		Long:  predictLong,
		Example: `  tobac fit data.csv --out run
  tobac predict run --do dose=1.5 --do age=40`,
		Args:                  cli.Arguments(1, 1, "one folder written by tobac fit --out"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rows && asJSON {
				return cli.Usagef("--rows and --json contradict each other")
			}
			p := cli.NewProgress(cmd.ErrOrStderr(), cli.IsQuiet(cmd))
			defer p.Close()
			p.During("reading " + args[0])
			r, err := readRun(args[0], edited)
			if err != nil {
				return err
			}
			p.During("")
			settings, err := r.settings(do)
			if err != nil {
				return err
			}
			if err := r.checkEffects(); err != nil {
				return err
			}
			warnings := r.effects.Warnings(settings)
			cli.Warn(cmd.ErrOrStderr(), warnings)
			p.During("predictions")
			if rows {
				return writeDrawn(cli.Beneath(p, cmd.OutOrStdout()), r, settings)
			}
			return writePrediction(cli.Beneath(p, cmd.OutOrStdout()), r, settings, warnings, asJSON)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(cli.SeveralOf(&do, "A=VALUE"), "do", "set a column; repeatable")
	cli.Toggle(f, &rows, "rows", "print the expected values of every draw")
	cli.Toggle(f, &edited, "edited", cli.EditedUsage)
	cli.Toggle(f, &asJSON, "json", cli.JSONUsage)
	return cmd
}

// settings reads the values of --do. A name may hold an equals sign: the last one counts.
func (r *savedRun) settings(do []string) ([]effects.Setting, error) {
	var all []effects.Setting
	for _, text := range do {
		at := strings.LastIndex(text, "=")
		if at < 0 {
			return nil, cli.Usagef("--do %s: no value; allowed: COLUMN=VALUE",
				delimited.Excerpt(text))
		}
		j, err := r.variable("--do", strings.TrimSpace(text[:at]))
		if err != nil {
			return nil, err
		}
		v, ok := delimited.Number(text[at+1:])
		if names := r.levelNames(j); names != nil {
			k := slices.Index(names, strings.TrimSpace(text[at+1:]))
			if k < 0 {
				return nil, cli.Usagef("--do %s: the value is %s; allowed: %s",
					delimited.Excerpt(text), delimited.Excerpt(text[at+1:]),
					delimited.Excerpts(names))
			}
			v, ok = float64(k), true
		}
		if !ok || math.Abs(v) > dataset.Largest {
			return nil, cli.Usagef("--do %s: the value is %s; allowed: numbers of magnitude up "+
				"to %g", delimited.Excerpt(text), delimited.Excerpt(text[at+1:]), dataset.Largest)
		}
		for _, s := range all {
			if s.Var == j {
				return nil, cli.Usagef("--do sets %s twice",
					delimited.Excerpt(r.posterior.Names[j]))
			}
		}
		all = append(all, effects.Setting{Var: j, Value: v})
	}
	if len(all) == len(r.posterior.Names) {
		return nil, cli.Usagef("--do sets every column, which leaves nothing to predict")
	}
	return all, nil
}

// levelNames are the names of the values of a column; nil if they are numbers.
func (r *savedRun) levelNames(j int) []string {
	if r.columns == nil || len(r.columns[j].LevelNames) == 0 {
		return nil
	}
	return r.columns[j].LevelNames
}

// A predicted is a line of a prediction: what is expected of a column, or the probability of a
// level.
type predicted struct {
	label           string
	mean, new, free effects.Distribution
}

// predicted are the lines for a column, with what is expected if nothing is set.
func (r *savedRun) predicted(p, free effects.Prediction) []predicted {
	label := cli.Label(r.posterior.Names[p.Var])
	names := r.levelNames(p.Var)
	if len(p.Levels) == 0 || names == nil {
		return []predicted{{label, p.Mean, p.New, free.Mean}}
	}
	var all []predicted
	for k, level := range p.Levels {
		line := predicted{label: "P(" + label + " = " + cli.Label(names[k]) + ")", mean: level,
			new: unknown}
		if len(free.Levels) > 0 {
			line.free = free.Levels[k]
		}
		all = append(all, line)
	}
	return all
}

// doText writes an intervention.
func (r *savedRun) doText(settings []effects.Setting) string {
	if len(settings) == 0 {
		return "nothing is set"
	}
	var parts []string
	for _, s := range settings {
		value := fmt.Sprintf("%g", s.Value)
		if names := r.levelNames(s.Var); names != nil {
			value = cli.Label(names[int(s.Value)])
		}
		parts = append(parts, cli.Label(r.posterior.Names[s.Var])+" = "+value)
	}
	return "do " + strings.Join(parts, ", ")
}

// writePrediction prints what is expected of every column that is not set.
func writePrediction(stdout io.Writer, r *savedRun, settings []effects.Setting, warnings []string,
	asJSON bool) error {
	all, err := r.effects.Do(settings)
	if err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(stdout, r.predictionJSON(settings, all, warnings))
	}
	baseline := map[int]effects.Prediction{}
	if len(settings) > 0 {
		free, err := r.effects.Do(nil)
		if err != nil {
			return err
		}
		for _, p := range free {
			baseline[p.Var] = p
		}
	}
	var w bytes.Buffer
	fmt.Fprintf(&w, "Expected values, %s, %s\n", r.doText(settings), effectUnits(r.transform))
	known := r.effects.FromPosterior()
	t := cli.NewTable(&w)
	fmt.Fprint(t, "  column\tE")
	if known {
		fmt.Fprint(t, "\t90 % interval of E\t90 % of a new observation")
	}
	if len(settings) > 0 {
		fmt.Fprint(t, "\tE if nothing is set")
	}
	fmt.Fprintln(t)
	for _, p := range all {
		for _, line := range r.predicted(p, baseline[p.Var]) {
			fmt.Fprintf(t, "  %s\t%s", line.label, cli.WeightText(line.mean.Mean, line.mean.SD))
			if known {
				of := intervalText(line.new)
				if math.IsNaN(line.new.Q05) {
					of = "-" // of a level there is none
				}
				fmt.Fprintf(t, "\t%s\t%s", intervalText(line.mean), of)
			}
			if len(settings) > 0 {
				fmt.Fprintf(t, "\t%s", cli.WeightText(line.free.Mean, line.free.SD))
			}
			fmt.Fprintln(t)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&w, "  %s\n", worthText(r.effects))
	return cli.Print(stdout, w.Bytes())
}

// predictionJSON is the prediction in JSON.
func (r *savedRun) predictionJSON(settings []effects.Setting, all []effects.Prediction,
	warnings []string) any {
	type prediction struct {
		Column string                      `json:"column"`
		Mean   distributionJSON            `json:"expected"`
		New    distributionJSON            `json:"new_observation"`
		Levels map[string]distributionJSON `json:"levels,omitempty"` // probabilities
	}
	out := struct {
		Units          string             `json:"units"`
		EffectiveDraws metrics.Number     `json:"effective_draws"`
		Do             map[string]float64 `json:"do"`
		Warnings       []string           `json:"warnings"`
		Predictions    []prediction       `json:"predictions"`
	}{Units: effectUnits(r.transform), EffectiveDraws: metrics.Number(r.effects.EffectiveDraws()),
		Do: map[string]float64{}, Warnings: append([]string{}, warnings...)}
	for _, s := range settings {
		out.Do[r.posterior.Names[s.Var]] = s.Value
	}
	for _, p := range all {
		one := prediction{Column: r.posterior.Names[p.Var], Mean: newDistributionJSON(p.Mean),
			New: newDistributionJSON(p.New)}
		if names := r.levelNames(p.Var); names != nil && len(p.Levels) > 0 {
			one.Levels = map[string]distributionJSON{}
			for k, level := range p.Levels {
				one.Levels[names[k]] = newDistributionJSON(level)
			}
		}
		out.Predictions = append(out.Predictions, one)
	}
	return out
}

// writeDrawn prints the expected values of every draw.
func writeDrawn(stdout io.Writer, r *savedRun, settings []effects.Setting) error {
	rows, err := r.effects.Means(settings)
	if err != nil {
		return err
	}
	text := delimited.AppendTexts([]byte("weight,"), r.posterior.Names...)
	text = append(text, '\n')
	for m, row := range rows {
		text = delimited.AppendNumber(text, r.effects.Weights[m])
		text = append(appendKnown(text, row...), '\n')
	}
	return cli.Print(cli.Exactly(stdout), text)
}
