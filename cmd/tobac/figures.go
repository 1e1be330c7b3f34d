package main

import (
	"bytes"
	"context"

	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/report"

	"gonum.org/v1/gonum/mat"
)

// Names of what a report is made of.
const (
	reportFile    = "report.html"
	summaryFile   = "summary.json"
	figuresFolder = "figures"
)

// figure is the name of the file of a picture.
func figure(name, ending string) string { return figuresFolder + "/" + name + ending }

// figureFiles are the names of all files that the folder of figures can have.
func figureFiles() []string {
	var names []string
	for _, name := range report.PictureNames() {
		names = append(names, figure(name, ".svg"), figure(name, ".png"))
	}
	return names
}

// draw makes the report of a result from what its files say.
func (r *result) draw(ctx context.Context, j *job) (*report.Report, error) {
	var text bytes.Buffer
	if err := cli.WriteJSON(&text, r.summary); err != nil {
		return nil, err
	}
	s, err := readSummary(text.Bytes())
	if err != nil {
		return nil, err
	}
	c := newContent(r.Posterior, s, j.unscaled(), j.truth)
	c.Effects = reported(r.effects, r.Names)
	return report.New(ctx, c)
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

// writeFigures writes the pictures of a report into a set, as PNG too if asked for, until ctx is
// cancelled.
func writeFigures(ctx context.Context, page *report.Report, out *file.Set, png bool) error {
	for _, p := range page.Pictures() {
		if err := out.Write(figure(p.Name, ".svg"),
			cli.Interruptibly(ctx, p.WriteSVG)); err != nil {
			return err
		}
		if !png {
			continue
		}
		if err := out.Write(figure(p.Name, ".png"),
			cli.Interruptibly(ctx, p.WritePNG)); err != nil {
			return err
		}
	}
	return nil
}

// reported are effects for a report.
func reported(all []effects.Effect, names []string) []report.Effect {
	out := make([]report.Effect, len(all))
	for k, e := range all {
		out[k] = report.Effect{From: names[e.From], To: names[e.To], Mean: e.Mean, SD: e.SD,
			Lower: e.Q05, Upper: e.Q95, PathProbability: e.Path}
	}
	return out
}
