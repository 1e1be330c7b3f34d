package figures

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/scene"
)

// A Figure is a picture that is drawn.
type Figure struct {
	Title       string
	Description string // what it shows, for readers who do not see it

	scene *scene.Scene
}

// Size is the width and the height in pixels of a screen (96 for each inch).
func (f *Figure) Size() (width, height float64) { return f.scene.Width, f.scene.Height }

// WriteSVG writes the figure as a Scalable Vector Graphics file.
func (f *Figure) WriteSVG(w io.Writer) error { return f.scene.WriteSVG(w, f.Title, f.Description) }

// WritePNG writes the figure as a Portable Network Graphics file, with four pixels of the
// image for each of a screen.
func (f *Figure) WritePNG(w io.Writer) error { return f.scene.WritePNG(w) }

// SVG is the figure as an element of an HTML page with the identifier id. Its colours are
// those of [StyleSheet], which the page must have.
func (f *Figure) SVG(id string) string {
	return f.scene.InlineSVG(id, f.Title, f.Description, 0.6, 1.25)
}

// StyleSheet declares the colours of figures in a page, for light and dark screens, as
// variables of the root: --paper is the background, --text and --muted are texts.
func StyleSheet() string { return scene.StyleSheet() }

// Predictions are probabilities of edges of one data set, each with whether there is one.
type Predictions struct {
	Probabilities []float64 // from 0 to 1
	Edges         []bool    // as many
}

// Pairs are the predictions of d×d matrices: entry (i, j) of p is the probability of the
// edge from i to j, which is there if that of truth is not 0. The diagonal, which holds no
// edge, is part of them if withDiagonal says so, as in the paper's ROC curves. It panics if
// the matrices are not square or not of one size.
func Pairs(p, truth mat.Matrix, withDiagonal bool) Predictions {
	d, c := p.Dims()
	if r, s := truth.Dims(); d != c || r != d || s != d {
		panic(fmt.Sprintf("figures: got matrices %d×%d and %d×%d, want square ones of one size", d, c, r, s))
	}
	var out Predictions
	for i := range d {
		for j := range d {
			if i == j && !withDiagonal {
				continue
			}
			out.Probabilities = append(out.Probabilities, p.At(i, j))
			out.Edges = append(out.Edges, truth.At(i, j) != 0)
		}
	}
	return out
}

// A Judged is a method with its predictions on each of several data sets.
type Judged struct {
	Method string
	Sets   []Predictions
}

// check returns the first fault of the predictions.
func (j *Judged) check() error {
	if len(j.Sets) == 0 {
		return fmt.Errorf("%s: no data sets", j.Method)
	}
	for k, s := range j.Sets {
		if len(s.Probabilities) != len(s.Edges) || len(s.Edges) == 0 {
			return fmt.Errorf("%s, data set %d: %d probabilities of %d pairs", j.Method, k+1, len(s.Probabilities), len(s.Edges))
		}
		for i, p := range s.Probabilities {
			if !(p >= 0 && p <= 1+1e-9) {
				return fmt.Errorf("%s, data set %d, pair %d: got probability %g, want 0 to 1", j.Method, k+1, i+1, p)
			}
		}
	}
	return nil
}

// missing reports that there is no number.
func missing(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
