package figures

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mathext"

	"tobac/internal/scene"
)

// Calibration are calibration diagrams, a panel for each method: how often edges are there
// among pairs of about the same probability, in ten bins over all data sets, with intervals
// of 95 % (Clopper and Pearson's, as if pairs were independent), and below how many pairs
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
	s := newSheet(c.Title, c.Note)
	columns := panelColumns(len(c.Methods))
	left := scene.Margin + 48
	side := math.Min(300, (pageWidth-scene.Margin-left+panelGap)/float64(columns)-panelGap)
	const countHeight = 46.0
	high := side + countHeight + 64
	for k := range c.Methods {
		row, column := k/columns, k%columns
		p := s.rocPanel(left+float64(column)*(side+panelGap), s.y+22+float64(row)*high, side)
		p.calibration(&c.Methods[k], column == 0)
		p.counts(c.Methods[k].bins(), p.bottom+6, countHeight)
	}
	s.y += 22 + float64((len(c.Methods)+columns-1)/columns)*high - 18
	s.Add(scene.Words(left+(float64(columns)*(side+panelGap)-panelGap)/2, s.y, noteText, scene.Middle, scene.Text, "probability of an edge; bars: pairs in each bin, on a logarithmic scale"))
	s.y += 4
	return s.figure(c.Title, fmt.Sprintf("Frequency of edges against their probability for %d methods.", len(c.Methods))), nil
}

func (p *panel) calibration(j *Judged, first bool) {
	p.frame(scene.Clean(j.Method))
	caption := ""
	if first {
		caption = "frequency of edges"
	}
	p.upright() // its numbers stand below the counts
	p.up(first, caption)
	p.chance()
	var xs, ys []float64
	for _, b := range j.bins() {
		if b.pairs == 0 {
			continue
		}
		x, y := b.sum/float64(b.pairs), float64(b.edges)/float64(b.pairs)
		low, high := b.interval()
		tip := fmt.Sprintf("%d of %d pairs are edges: %s (%s to %s), mean probability %s", b.edges, b.pairs, scene.Percent(y), scene.Percent(low), scene.Percent(high), scene.Percent(x))
		whisker := scene.Rule(p.x.at(x), p.y.at(low), p.x.at(x), p.y.at(high), scene.Series(0))
		whisker.Width, whisker.Tip = 1.6, tip
		p.Add(whisker)
		xs, ys = append(xs, x), append(ys, y)
	}
	p.path(xs, ys, scene.Series(0), 1, false, "")
	for k := range xs {
		p.dot(scene.At(p.x.at(xs[k]), p.y.at(ys[k])), scene.Series(0), "")
	}
}

// counts draws how many pairs each bin has, and the numbers of the horizontal axis.
func (p *panel) counts(all [bins]bin, top, height float64) {
	most := 1
	for _, b := range all {
		most = max(most, b.pairs)
	}
	bottom := top + height
	p.Add(scene.Rule(p.left, bottom, p.right, bottom, scene.Hairline))
	for k, b := range all {
		if b.pairs == 0 {
			continue
		}
		x, w := p.x.at((float64(k)+0.1)/bins), 0.8*(p.right-p.left)/bins
		h := height * math.Log1p(float64(b.pairs)) / math.Log1p(float64(most))
		m := scene.Box(x, bottom-h, w, h, 0, scene.Series(0), scene.None)
		m.Opacity = 0.35
		base := bottom - 4
		if scene.TextWidth(strconv.Itoa(b.pairs), 10, false)+6 > h {
			base = bottom - h - 3 // above a bar that is too low for its number
		}
		text := scene.Words(x+w/2+3.5, base, 10, scene.Start, scene.Text, strconv.Itoa(b.pairs))
		text.Turned = true
		p.Add(m, text)
	}
	p.numbersBelow(bottom)
}
