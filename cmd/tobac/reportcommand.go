package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/report"
	"tobac/internal/stream"
	"tobac/internal/table"

	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	var dataPath, truthPath string
	var force, edited, png bool
	cmd := &cobra.Command{
		Use:   "report [--data FILE] [--truth GRAPH.csv] [--png] DIR",
		Short: "Write the page and the figures of a finished fit again",
		Long: `Report reads particles.json, summary.json and, where it is there, effects.csv in a
folder that tobac fit --out wrote, and writes report.html and the folder figures into
it. It does not repeat the inference, and the page is the one that the fit wrote.

The fit of each column and the scale of the picture of effects need the table, which is
read with the options in run.toml; --data names it if it has moved. Rows that the fit
held out are held out again. --truth names the true graph if it has moved.`,
		Args:                  cli.Arguments(1, 1, "one folder"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Working(cmd.ErrOrStderr(), cli.IsQuiet(cmd),
				"reading "+args[0]+" and drawing its report", func(p *cli.Progress) error {
					return reportAgain(cmd.Context(), args[0], dataPath, truthPath, edited, force,
						png,
						cli.Beneath(p, cmd.OutOrStdout()))
				})
		},
	}
	f := cmd.Flags()
	f.Var(cli.PlainText(&dataPath, "FILE"), "data", "the table of the fit")
	f.Var(cli.PlainText(&truthPath, "GRAPH.csv"), "truth", cli.TruthUsage)
	cli.Toggle(f, &png, "png", "write the figures as PNG too")
	cli.Toggle(f, &edited, "edited", cli.EditedUsage)
	cli.Toggle(f, &force, "force", cli.ForceUsage)
	return cmd
}

// reportAgain writes the report of the fit in a folder; other paths may be empty. With edited it
// reads files that were changed, with force it replaces files that it did not write, with png
// figures are PNG too.
func reportAgain(
	ctx context.Context, dir, dataPath, truthPath string, edited, force, png bool, stdout io.Writer,
) error {
	files, err := file.OpenFolder(dir, edited)
	if err != nil {
		return err
	}
	c, err := cli.Within(ctx, func() (*report.Content, error) {
		return storedContent(files, dir, dataPath, truthPath)
	})
	if err != nil {
		return err
	}
	page, err := cli.Within(ctx, func() (*report.Report, error) { return report.New(ctx, *c) })
	if err != nil {
		return cli.Located(dir, err)
	}
	guard := file.Guard{Inputs: []file.Input{{Path: dataPath, What: "the data"},
		{Path: truthPath, What: "the true graph"}}, Force: force}
	out, err := file.OpenSet(dir, append(figureFiles(), reportFile), guard)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.Write(reportFile, page.WriteHTML); err != nil {
		return err
	}
	if err := writeFigures(ctx, page, out, png); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	formats := "SVG"
	if png {
		formats = "SVG and PNG"
	}
	_, err = fmt.Fprintf(stdout, "in %s: %s, %d figures as %s in %s\n",
		filepath.Clean(dir), reportFile, len(page.Pictures()), formats, figuresFolder)
	if err != nil {
		return file.WithPath("standard output", err)
	}
	return nil
}

// storedContent is what a report of a folder tells.
func storedContent(files *file.Folder, dir, dataPath, truthPath string) (*report.Content, error) {
	p, s, err := readResult(files, dir)
	if err != nil {
		return nil, err
	}
	data, truth, err := s.inputs(files, dir, p.Names, dataPath, truthPath)
	if err != nil {
		return nil, err
	}
	c := newContent(p, s, data, truth)
	f, err := files.Open(effectsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &c, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	all, err := readEffects(f, filepath.Join(dir, effectsFile), p.Names)
	c.Effects = reported(all, p.Names)
	return &c, err
}

// inputs are the rows of the fit, transformed but not standardised, and the true graph;
// nil where they are not known.
func (s *storedSummary) inputs(files *file.Folder, dir string, names []string,
	dataPath, truthPath string) (t *dataset.Table, truth *dag.Graph, err error) {
	if s.config.Data == cli.EmbeddedSachs && dataPath == "" {
		if t, truth, err = dataset.Sachs(); err != nil {
			return nil, nil, err
		}
		if s.config.Truth != cli.EmbeddedSachs {
			truth = nil
		}
	}
	o, err := storedOptions(files, dir)
	if err != nil {
		return nil, nil, err
	}
	if truthPath == "" && cli.Exists(o.truth) {
		truthPath = o.truth
	}
	if truthPath != "" {
		if truth, err = readTruth(truthPath, names); err != nil {
			return nil, nil, err
		}
	}
	path := cli.EmbeddedSachs
	if t == nil {
		if t, path, err = storedTable(o, dataPath, names); err != nil || t == nil {
			return nil, truth, err
		}
	}
	t, err = s.trainingRows(t, path)
	return t, truth, err
}

// storedOptions are those of the fit in a folder, from run.toml; the defaults if it is not there.
func storedOptions(files *file.Folder, dir string) (*fitOptions, error) {
	o := newFitOptions()
	fitCommand(o)
	f, err := files.Open(cli.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	_, _, err = o.command.ReadOptions(f, filepath.Join(dir, cli.ConfigFile), o.assign)
	return o, err
}

// storedTable reads the table of a fit again, with the options of the fit; path, if not empty, is
// where it is now. nil means no path is given, and the table is not where it was, or values were
// missing, so that the rows of the fit are not in the file.
func storedTable(o *fitOptions, path string, names []string) (*dataset.Table, string, error) {
	switch {
	case path != "":
	case o.command.Data == "" || o.command.Data == "-" || !cli.Exists(o.command.Data):
		return nil, path, nil
	default:
		path = o.command.Data
	}
	p, err := o.readTable(path, nil)
	if err != nil || p.Data == nil {
		return nil, path, err
	}
	if o.interventions != "" {
		mask, err := interventionsOf(o.interventions, p)
		if err != nil {
			return nil, path, err
		}
		p.Data.Intervened = mask.X
	}
	t, err := p.Data.Select(names)
	if err != nil {
		return nil, path, cli.Located(path, err)
	}
	return t, path, nil
}

// trainingRows are the rows of a table that the fit saw.
func (s *storedSummary) trainingRows(t *dataset.Table, path string) (_ *dataset.Table, err error) {
	transform := table.Transforms()
	for _, k := range transform {
		if k.String() != s.config.Transform {
			continue
		}
		if t, err = k.Apply(t); err != nil {
			return nil, cli.Located(path, err)
		}
	}
	if s.config.Heldout == "" && s.config.HeldoutRows > 0 {
		if t, _, err =
			t.Split(s.config.Holdout, stream.New(s.config.Seed, stream.HeldoutRows)); err != nil {
			return nil, cli.Located(path, err)
		}
	}
	if n, _ := t.X.Dims(); n != s.config.TrainingRows {
		return nil, fmt.Errorf("%s: %d rows, the fit had %d; allowed: the table of the fit", path,
			n, s.config.TrainingRows)
	}
	return t, nil
}
