package report

import (
	"context"
	"fmt"
	"io"

	"tobac/internal/scene"
	"tobac/internal/words"
)

// A Report is content with its pictures drawn. It may be used by several goroutines.
type Report struct {
	content   Content
	relations []relation
	effects   []Effect // the surest first
	graphNote string   // what the picture of the graph leaves out
	mapNote   string   // what the heat maps leave out
	pictures  []Picture
}

// A Picture is one figure of a report.
type Picture struct {
	Name        string // "graph": of its file, without an ending
	Title       string
	Description string // what it shows, for readers who do not see it

	scene *scene.Scene
	// how far it shrinks on narrow screens and grows on wide ones, relative to its size
	least, most float64
}

// WriteSVG writes the picture as a Scalable Vector Graphics file.
func (p *Picture) WriteSVG(w io.Writer) error { return p.scene.WriteSVG(w, p.Title, p.Description) }

// WritePNG writes the picture as a Portable Network Graphics file, with four pixels of the
// image for each of a screen: fewer where there would be more than 16 million.
func (p *Picture) WritePNG(w io.Writer) error { return p.scene.WritePNG(w) }

// Names of the pictures, in the sequence in which a report has them.
const (
	graphPicture       = "graph"
	adjacencyPicture   = "adjacency"
	directionPicture   = "direction"
	effectsPicture     = "effects"
	ancestorsPicture   = "ancestors"
	orderPicture       = "order"
	convergencePicture = "convergence"
	edgesPicture       = "edges"
	fitPicture         = "fit"
)

// PictureNames are the names that pictures can have. A report has those for which its
// content holds something.
func PictureNames() []string {
	return []string{graphPicture, adjacencyPicture, directionPicture, effectsPicture,
		ancestorsPicture, orderPicture, convergencePicture, edgesPicture, fitPicture}
}

// New checks content and draws its pictures. The content must not be modified afterwards.
// It stops when ctx is done.
func New(ctx context.Context, content Content) (*Report, error) {
	r := &Report{content: content}
	c := &r.content
	if err := c.check(); err != nil {
		return nil, err
	}
	r.relations, r.effects = c.relations(), strongest(c.Effects)
	graph, note, err := c.drawGraph(ctx, r.relations)
	if err != nil {
		return nil, err
	}
	r.graphNote = note
	variables := c.shown(r.relations)
	if len(variables) < len(c.Names) {
		r.mapNote = fmt.Sprintf("Of %d variables the %d with the surest relations are drawn.",
			len(c.Names), len(variables))
	}
	sure := related(r.relations)
	directed := 0
	for k := range sure {
		if sure[k].directed() {
			directed++
		}
	}
	r.add(graphPicture, "Causal graph", fmt.Sprintf("%s related with a probability above 50 %%, "+
		"%d of them with a known direction, causes above effects. The table of pairs lists them.",
		words.Counted(len(sure), "pair"), directed), graph, 0.8, 1.3)
	r.add(adjacencyPicture, "Adjacency", "Heat map of the probability that two variables are "+
		"related, in either direction. The table of pairs lists the numbers.",
		c.adjacencyMap(variables), 0.55, 1)
	r.add(directionPicture, "Direction, given adjacency", "Heat map of the probability that the "+
		"row variable causes the column variable directly, given that they are related. The "+
		"table of pairs lists the numbers.", c.directionMap(variables), 0.55, 1)
	r.add(effectsPicture, "Total effects", "Total effects with intervals, in standard "+
		"deviations. The table of effects lists the numbers.", c.effectsChart(r.effects), 0.62, 1.3)
	if c.Ancestors != nil {
		r.add(ancestorsPicture, "Causes, direct or indirect", "Heat map of the probability that "+
			"the row variable causes the column variable, directly or through others.",
			c.matrixMap(c.Ancestors, variables, "cause", "effect", func(i, j, p string) string {
				return i + " causes " + j + ", directly or not: " + p
			}), 0.55, 1)
	}
	if c.Precedes != nil {
		r.add(orderPicture, "Order", "Heat map of the probability that the row variable precedes "+
			"the column variable in the causal order.",
			c.matrixMap(c.Precedes, variables, "before", "after", func(i, j, p string) string {
				return i + " before " + j + ": " + p
			}), 0.55, 1)
	}
	r.add(convergencePicture, "Agreement of the chains",
		"R̂ of each quantity. The table of convergence lists the numbers.", c.convergenceChart(),
		0.62, 1.3)
	r.add(edgesPicture, "Number of edges", "Bars of the probability of each number of edges.",
		c.countChart(), 0.6, 1)
	r.add(fitPicture, "Fit of each column",
		"Bars of R² of each column that has parents. The table of fits lists the numbers.",
		c.fitChart(), 0.62, 1.3)
	return r, nil
}

// add keeps a picture unless there is nothing to draw.
func (r *Report) add(name, title, description string, s *scene.Scene, least, most float64) {
	if s != nil {
		r.pictures = append(r.pictures, Picture{name, title, description, s, least, most})
	}
}

// Pictures are the pictures of the report.
func (r *Report) Pictures() []Picture { return append([]Picture(nil), r.pictures...) }

// Picture finds a picture by its name; nil means the report has none of that name.
func (r *Report) Picture(name string) *Picture {
	for k := range r.pictures {
		if r.pictures[k].Name == name {
			return &r.pictures[k]
		}
	}
	return nil
}
