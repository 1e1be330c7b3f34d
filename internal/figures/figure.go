package figures

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a picture that is drawn.
type Figure struct {
	Title       string
	Description string // what it shows, for readers who do not see it

	width, height vg.Length
	draw          func(c draw.Canvas)
}

// WriteSVG writes the figure as a Scalable Vector Graphics file.
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(f.width, f.height)
	f.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// WritePNG writes the figure as a Portable Network Graphics file with 288 pixels for each inch.
func (f *Figure) WritePNG(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(288))
	f.draw(draw.New(c))
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.Image())
}

// SVG is the figure as an element of an HTML page with the identifier id.
func (f *Figure) SVG(id string) string {
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		return "" // no writing to memory fails
	}
	_, svg, _ := bytes.Cut(b.Bytes(), []byte("<svg "))
	head, body, _ := bytes.Cut(svg, []byte(">"))
	return fmt.Sprintf(
		`<svg id="%s" role="img" style="max-width:100%%;height:auto" %s><title>%s</title><desc>%s</desc>%s`,
		html.EscapeString(id), head, html.EscapeString(f.Title), html.EscapeString(f.Description),
		body)
}

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
		panic(fmt.Sprintf("figures: got matrices %d×%d and %d×%d, want square ones of one size", d,
			c, r, s))
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
			return fmt.Errorf("%s, data set %d: %d probabilities of %d pairs", j.Method, k+1,
				len(s.Probabilities), len(s.Edges))
		}
		for i, p := range s.Probabilities {
			if !(p >= 0 && p <= 1+1e-9) {
				return fmt.Errorf("%s, data set %d, pair %d: got probability %g, want 0 to 1",
					j.Method, k+1, i+1, p)
			}
		}
	}
	return nil
}

// missing reports that there is not a number.
func missing(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// known are the numbers that there are.
func known(x []float64) (out []float64) {
	for _, v := range x {
		if !missing(v) {
			out = append(out, v)
		}
	}
	return out
}

// meanError is the mean of the numbers that are known, and its standard error: NaN for
// fewer than two.
func meanError(x []float64) (mean, err float64) {
	x = known(x)
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return mean, stat.StdErr(sd, float64(len(x)))
}

// meanBand is the mean over runs at each of n places, with one standard error below and
// above; where there is one run, the band has no width.
func meanBand(runs [][]float64, n int) (mean, low, high []float64) {
	mean, low, high = make([]float64, n), make([]float64, n), make([]float64, n)
	column := make([]float64, len(runs))
	for k := range n {
		for i, run := range runs {
			column[i] = run[k]
		}
		m, e := meanError(column)
		if math.IsNaN(e) {
			e = 0
		}
		mean[k], low[k], high[k] = m, m-e, m+e
	}
	return mean, low, high
}
