package figures

import (
	"fmt"
	"math"
	"strconv"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// Calibration are calibration diagrams, a panel for each method: how often edges are there
// among pairs of about the same probability, in ten bins over all data sets, with intervals
// of 95 % (Clopper and Pearson's, as if pairs were independent), and above how many pairs
// each bin has.
type Calibration struct {
	Title, Note string
	Methods     []Judged
}

const (
	bins       = 10
	confidence = 0.95
)

// A bin holds the pairs of about the same probability.
type bin struct {
	pairs, edges int
	sum          float64 // of their probabilities
}

func (j *Judged) bins() (out [bins]bin) {
	for _, set := range j.Sets {
		for k, p := range set.Probabilities {
			b := &out[min(bins-1, int(p*bins))]
			b.pairs++
			b.sum += p
			if set.Edges[k] {
				b.edges++
			}
		}
	}
	return out
}

// interval is that of Clopper and Pearson for a frequency.
func (b *bin) interval() (low, high float64) {
	n, k := float64(b.pairs), float64(b.edges)
	low, high = 0, 1
	if k > 0 {
		low = mathext.InvRegIncBeta(k, n-k+1, (1-confidence)/2)
	}
	if k < n {
		high = mathext.InvRegIncBeta(k+1, n-k, (1+confidence)/2)
	}
	return low, high
}

// Draw draws the figure.
func (c Calibration) Draw() (*Figure, error) {
	if len(c.Methods) == 0 {
		return nil, fmt.Errorf("calibration: no methods")
	}
	for k := range c.Methods {
		if err := c.Methods[k].check(); err != nil {
			return nil, fmt.Errorf("calibration: %w", err)
		}
	}
	s := sheet{title: c.Title, note: c.Note, columns: columnsOf(len(c.Methods), 4), high: 165,
		caption: "probability of an edge; up: frequency of edges; above: pairs in each bin"}
	if s.columns < 4 {
		s.high = 230
	}
	for k := range c.Methods {
		s.panels = append(s.panels, c.Methods[k].calibration())
	}
	return s.figure(fmt.Sprintf("Frequency of edges against their probability for %d methods.",
		len(c.Methods))), nil
}

// errorBars are points with the ends of their intervals, as distances.
type errorBars struct {
	plotter.XYs
	plotter.YErrors
}

// calibration draws a method.
func (j *Judged) calibration() *plot.Plot {
	p := unitPanel(j.Method)
	var bars errorBars
	counts := &plotter.Labels{}
	for _, b := range j.bins() {
		if b.pairs == 0 {
			continue
		}
		at := plotter.XY{X: b.sum / float64(b.pairs), Y: float64(b.edges) / float64(b.pairs)}
		low, high := b.interval()
		bars.XYs = append(bars.XYs, at)
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{at.Y - low, high - at.Y})
		counts.XYs = append(counts.XYs, plotter.XY{X: at.X, Y: 1.04})
		counts.Labels = append(counts.Labels, strconv.Itoa(b.pairs))
		style := words(numberSize-1.5, xfont.WeightNormal, muted)
		style.Rotation, style.YAlign = math.Pi/2, text.YCenter
		counts.TextStyle = append(counts.TextStyle, style)
	}
	whiskers, _ := plotter.NewYErrorBars(bars) // fails for numbers that are not finite
	whiskers.LineStyle = draw.LineStyle{Color: colourOf(0), Width: 1}
	whiskers.CapWidth = 0
	lined(p, bars.XYs, colourOf(0), 0.8, false)
	p.Add(whiskers, &plotter.Scatter{XYs: bars.XYs, GlyphStyle: draw.GlyphStyle{Color: colourOf(0),
		Radius: 2, Shape: draw.CircleGlyph{}}}, counts)
	p.Y.Max = 1.25
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.2}, {Value: 0.4},
		{Value: 0.6}, {Value: 0.8}, {Value: 1, Label: "1"}}
	return p
}
