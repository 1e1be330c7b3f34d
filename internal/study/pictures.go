package study

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/internal/figures"
)

// A Drawing is a figure with the name of its files.
type Drawing struct {
	Name   string // without an ending
	Figure *figures.Figure
}

// Drawings are the pictures of a study: box plots, and of its first section ROC curves,
// calibration, the probabilities on its first data set and learning curves. What the results do not
// have is left out; notes say what could not be drawn.
func (r *Results) Drawings(s Study) (all []Drawing, notes []string) {
	add := func(name string, f *figures.Figure, err error) {
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("The picture %s could not be drawn: %v.", name, err))
		case f != nil:
			all = append(all, Drawing{s.Name + "-" + name, f})
		}
	}
	boxed := []Measure{eshd, auroc}
	if s.Name == SVIDAG {
		boxed = svidagMeasures
	}
	if s.Name == NonlinearFigure || s.Name == Orders {
		boxed = append(boxed, negLL)
	}
	for _, m := range boxed {
		f, err := r.boxes(s, m)
		add(m.Name, f, err)
	}
	first := s.Sections[0]
	lines := chosen(r.Lines(s, first))
	for _, p := range []struct {
		name string
		draw func(Study, Section, []Line) (*figures.Figure, error)
	}{{"roc", roc}, {"calibration", calibration}, {"probabilities", heatMaps},
		{"learning", learning}} {
		f, err := p.draw(s, first, lines)
		add(p.name, f, err)
	}
	return all, notes
}

// The kinds of methods, which have colours.
var kindNames = []string{"TOBAC", "other methods of the paper", "baselines",
	"exact posterior, chains and default"}

func kind(l Line) int {
	switch {
	case l.Name == "tobac-random" || l.Kind != FitKind && l.Kind != PublishedKind:
		return 2
	case len(l.Name) > 5 && l.Name[:5] == "tobac":
		return 0
	case l.Kind == PublishedKind || slices.Contains([]string{"dibs", "bcd", "gfn"}, l.Name):
		return 1
	}
	return 3
}

// boxes is a panel for each section, with a row for each method that any of them has.
func (r *Results) boxes(s Study, m Measure) (*figures.Figure, error) {
	b := figures.Boxes{Title: s.Title + ": " + m.Title, Axis: m.Title, KindNames: kindNames,
		Log: m.Name == negLL.Name}
	if len(s.Sections) > 1 {
		b.Note = commonTitle(s.Sections)
	}
	var keys []string
	for _, section := range s.Sections {
		// methods that this section has and an earlier one lacks stand before those that follow
		// them here
		before := len(keys)
		for _, l := range slices.Backward(r.Lines(s, section)) {
			if at := slices.Index(keys, l.Key()); at >= 0 {
				before = at
			} else if len(Known(l.Values(m))) > 0 {
				keys = slices.Insert(keys, before, l.Key())
				b.Methods, b.Kinds = slices.Insert(b.Methods, before, l.name()),
					slices.Insert(b.Kinds, before, kind(l))
			}
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	if m.Name == eshd.Name {
		b.LevelName = "graph without edges"
	}
	for _, section := range s.Sections {
		g := figures.Group{Name: cmp.Or(section.Panel, section.Title),
			Values: make([][]float64, len(keys))}
		for _, l := range r.Lines(s, section) {
			values := Known(l.Values(m))
			if k := slices.Index(keys, l.Key()); k >= 0 {
				if g.Values[k] = values; b.Log {
					g.Values[k] = slices.DeleteFunc(values, func(v float64) bool { return v <= 0 })
				}
			}
			if m.Name == eshd.Name && g.Level == nil {
				if edges := trueEdges(l); len(edges) > 0 {
					mean := stat.Mean(edges, nil)
					g.Level = &mean
				}
			}
		}
		b.Groups = append(b.Groups, g)
	}
	return b.Draw()
}

// commonTitle are the parts that all titles have.
func commonTitle(sections []Section) string {
	common := strings.Split(sections[0].Title, ", ")
	for _, section := range sections[1:] {
		parts := strings.Split(section.Title, ", ")
		common = slices.DeleteFunc(common, func(part string) bool {
			return !slices.Contains(parts, part)
		})
	}
	return strings.Join(common, ", ")
}

// trueEdges are the numbers of edges of the data sets of a line.
func trueEdges(l Line) (all []float64) {
	for _, res := range l.Results {
		if res.Outcome != nil {
			all = append(all, float64(res.Outcome.Edges))
		}
	}
	return all
}

// chosen are the lines for pictures with few methods: those of the paper as far as they were run,
// the posterior, and the default.
func chosen(lines []Line) (all []Line) {
	for _, key := range []string{"tobac-eqvar", "tobac-npvar", "tobac-score", "tobac-true", "dibs",
		"bcd", "gfn", "exact", "mcmc", "default"} {
		for _, l := range lines {
			if l.Key() == key && len(l.outcomes()) > 0 && len(all) < 7 {
				all = append(all, l)
			}
		}
	}
	return all
}

// outcomes are those that the line has.
func (l Line) outcomes() (all []*Result) {
	for _, res := range l.Results {
		if res.Outcome != nil && l.View(res.Outcome) != nil {
			all = append(all, res)
		}
	}
	return all
}

// matrices are the probabilities of an outcome and its true graph.
func (l Line) matrices(res *Result) (p, truth *mat.Dense, err error) {
	d := res.Outcome.Variables
	g, err := dag.FromEdges(d, res.Outcome.TrueEdges)
	if err != nil {
		return nil, nil, err
	}
	return mat.NewDense(d, d, l.View(res.Outcome).Probabilities), g.Matrix(), nil
}

// judged are the predictions of lines.
func judged(lines []Line, withDiagonal bool) (all []figures.Judged, err error) {
	for _, l := range lines {
		j := figures.Judged{Method: l.name()}
		for _, res := range l.outcomes() {
			p, truth, err := l.matrices(res)
			if err != nil {
				return nil, err
			}
			j.Sets = append(j.Sets, figures.Pairs(p, truth, withDiagonal))
		}
		all = append(all, j)
	}
	return all, nil
}

func roc(s Study, section Section, lines []Line) (*figures.Figure, error) {
	all, err := judged(lines, true)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return figures.ROC{Title: s.Title + ": receiver operating characteristic",
		Note: section.Title + "; with the diagonal, as published", Methods: all}.Draw()
}

func calibration(s Study, section Section, lines []Line) (*figures.Figure, error) {
	all, err := judged(lines, false)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return figures.Calibration{Title: s.Title + ": calibration", Note: section.Title,
		Methods: all}.Draw()
}

func heatMaps(s Study, section Section, lines []Line) (*figures.Figure, error) {
	m := figures.Maps{Title: s.Title + ": edge probabilities", Note: section.Title}
	for _, l := range lines {
		if l.Results[0].Outcome == nil {
			continue
		}
		p, truth, err := l.matrices(l.Results[0])
		if err != nil {
			return nil, err
		}
		m.Truth, m.Names = truth, l.Results[0].Outcome.Names
		m.Note = section.Title + ", " + l.Results[0].Cell.Data.Name
		m.Maps = append(m.Maps, figures.Map{Name: l.name(), Probabilities: p})
	}
	if len(m.Maps) == 0 {
		return nil, nil
	}
	return m.Draw()
}

// learning are the curves of particles.
func learning(s Study, section Section, lines []Line) (*figures.Figure, error) {
	c := figures.Curves{Title: s.Title + ": E-SHD along the steps", Note: section.Title, X: "step",
		Y: "E-SHD", LevelName: "graph without edges"}
	for _, l := range lines {
		series := figures.Series{Name: l.name()}
		for _, res := range l.outcomes() {
			o := res.Outcome
			if len(o.Curve) == 0 {
				continue
			}
			var x, y []float64
			for _, p := range o.Curve {
				x, y = append(x, float64(p.Step)), append(y, float64(p.ESHD))
			}
			series.X, series.Runs = x, append(series.Runs, y)
		}
		if len(series.Runs) > 0 {
			c.Series = append(c.Series, series)
			mean := stat.Mean(trueEdges(l), nil)
			c.Level = &mean
		}
	}
	if len(c.Series) == 0 {
		return nil, nil
	}
	return c.Draw()
}

// picture is a drawing as a part of a page.
func (d Drawing) picture() *Picture {
	return &Picture{Name: d.Name, SVG: template.HTML(d.Figure.SVG(d.Name)),
		Alt: d.Figure.Title + ". " + d.Figure.Description}
}
