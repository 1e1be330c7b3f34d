package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/file"
	"tobac/report"
)

// Names of what a report is made of.
const (
	reportFile    = "report.html"
	summaryFile   = "summary.json"
	effectsReport = "effects.csv" // with the header that effectColumns are of
	figuresFolder = "figures"
)

// figureFiles are the names of all files that the folder of figures can have.
func figureFiles() []string {
	var names []string
	for _, name := range report.PictureNames() {
		names = append(names, name+".svg", name+".png")
	}
	return names
}

// draw makes the report of a result from what its files say.
func (r *result) draw(ctx context.Context, j *job) (err error) {
	var text bytes.Buffer
	if err := writeJSON(&text, r.summary); err != nil {
		return err
	}
	s, err := readSummary(text.Bytes())
	if err != nil {
		return err
	}
	c := newContent(r.Posterior, s, j.unscaled(), j.truth)
	if at := slices.IndexFunc(fitOutputs, func(o output) bool { return o.name == effectsReport }); at >= 0 && (fitOutputs[at].has == nil || fitOutputs[at].has(r)) {
		text.Reset()
		if err := fitOutputs[at].write(r, &text); err != nil {
			return err
		}
		if c.Effects, err = reportEffects(&text, r.Names); err != nil {
			return err
		}
	}
	r.page, err = report.New(ctx, c)
	return err
}

// unscaled are the rows of the fit before they were standardised.
func (j *job) unscaled() *dataset.Table {
	if j.scaling == nil {
		return j.train
	}
	x := mat.DenseCopyOf(j.train.X)
	x.Apply(func(_, k int, v float64) float64 { return v*j.scaling.SD[k] + j.scaling.Mean[k] }, x)
	return &dataset.Table{Names: j.train.Names, X: x, Intervened: j.train.Intervened}
}

// writeFigures writes the pictures of a report into a set.
func writeFigures(page *report.Report, out *file.Set) error {
	for _, p := range page.Pictures() {
		if err := out.Write(p.Name+".svg", p.WriteSVG); err != nil {
			return err
		}
		if err := out.Write(p.Name+".png", p.WritePNG); err != nil {
			return err
		}
	}
	return nil
}

// effectColumns are the columns of effects.csv that a report shows.
var effectColumns = []string{"from", "to", "mean", "sd", "q05", "q95", "path"}

// reportEffects reads the effects that a fit wrote. An empty field is an unknown number.
func reportEffects(in io.Reader, names []string) ([]report.Effect, error) {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", effectsReport, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: is empty; allowed: a header and rows", effectsReport)
	}
	at := make([]int, len(effectColumns))
	for k, name := range effectColumns {
		if at[k] = slices.Index(rows[0], name); at[k] < 0 {
			return nil, fmt.Errorf("%s: no column %q in the header", effectsReport, name)
		}
	}
	var effects []report.Effect
	for line, row := range rows[1:] {
		e := report.Effect{From: row[at[0]], To: row[at[1]]}
		for k, to := range []*float64{&e.Mean, &e.SD, &e.Lower, &e.Upper, &e.PathProbability} {
			text := row[at[k+2]]
			if text == "" {
				*to = math.NaN()
				continue
			}
			if *to, err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("%s: line %d: %s is %q, want a number", effectsReport, line+2, effectColumns[k+2], text)
			}
		}
		if !slices.Contains(names, e.From) || !slices.Contains(names, e.To) {
			return nil, fmt.Errorf("%s: line %d: effect of %q on %q, want names of the posterior's variables", effectsReport, line+2, e.From, e.To)
		}
		effects = append(effects, e)
	}
	return effects, nil
}

// errNoSummary is for a folder without what a report needs.
var errNoSummary = errors.New("allowed: a folder written by tobac fit --out")
