package figures

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"tobac/internal/scene"
)

// Growth are times, or other costs, against sizes on logarithmic axes: a panel for each
// parameter, the points, and a line with the exponent fitted to the upper half of them.
type Growth struct {
	Title, Note string
	Y           string // caption of the vertical axes, for instance "seconds per step"
	Panels      []GrowthPanel
}

// A GrowthPanel is one parameter.
type GrowthPanel struct {
	X     string // for instance "d"
	Costs []Cost // at most 7
}

// A Cost is what values of a parameter cost. All numbers are positive, and X ascends.
type Cost struct {
	Name     string
	X, Y     []float64
	Expected *float64 // the exponent that counting operations gives; nil: none
}

// fit is the line through the logarithms of the upper half of the points: the middle one
// included, and at least two.
func (c *Cost) fit() (from int, intercept, exponent float64) {
	from = max(0, min(len(c.X)/2, len(c.X)-2))
	var x, y []float64
	for k := from; k < len(c.X); k++ {
		x, y = append(x, math.Log(c.X[k])), append(y, math.Log(c.Y[k]))
	}
	if len(x) < 2 {
		return from, math.NaN(), math.NaN()
	}
	intercept, exponent = stat.LinearRegression(x, y, nil, false)
	return from, intercept, exponent
}

func (c *Cost) text(parameter string) string {
	_, _, exponent := c.fit()
	text := scene.Clean(c.Name)
	if !math.IsNaN(exponent) {
		text += fmt.Sprintf(": %s^%s", parameter, scene.Minus(strconv.FormatFloat(math.Round(100*exponent)/100+0, 'f', 2, 64)))
	}
	if c.Expected != nil {
		text += fmt.Sprintf(" (expected %s)", scene.TickText(*c.Expected))
	}
	return text
}

func (g *Growth) check() error {
	if len(g.Panels) == 0 {
		return fmt.Errorf("no panels")
	}
	for _, p := range g.Panels {
		if len(p.Costs) == 0 || len(p.Costs) > scene.SeriesColours {
			return fmt.Errorf("%s: got %d costs, want 1 to %d", p.X, len(p.Costs), scene.SeriesColours)
		}
		for _, c := range p.Costs {
			if len(c.X) == 0 || len(c.X) != len(c.Y) {
				return fmt.Errorf("%s, %s: got %d values and %d costs", p.X, c.Name, len(c.X), len(c.Y))
			}
			for k := range c.X {
				if !(c.X[k] > 0) || !(c.Y[k] > 0) || missing(c.X[k]) || missing(c.Y[k]) || k > 0 && c.X[k] <= c.X[k-1] {
					return fmt.Errorf("%s, %s: point %d is (%g, %g), want positive numbers, ascending", p.X, c.Name, k+1, c.X[k], c.Y[k])
				}
			}
		}
	}
	return nil
}

// leastFactor is that between the ends of a vertical axis.
const leastFactor = 20

// Draw draws the figure.
func (g Growth) Draw() (*Figure, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("growth: %w", err)
	}
	s := newSheet(g.Title, g.Note)
	columns := min(len(g.Panels), 2)
	const height, leftRoom = 190.0, 64.0
	width := (pageWidth-2*scene.Margin)/float64(columns) - leftRoom - 4
	for row := 0; row*columns < len(g.Panels); row++ {
		top, most := s.y+6, 0
		for c := range columns {
			k := row*columns + c
			if k >= len(g.Panels) {
				break
			}
			left := scene.Margin + leftRoom + float64(c)*(width+leftRoom+4)
			p := &panel{sheet: s, left: left, top: top, right: left + width, bottom: top + height}
			p.growth(&g.Panels[k], scene.Clean(g.Y))
			most = max(most, len(g.Panels[k].Costs))
		}
		s.y = top + height + 44 + float64(most)*(lineHeight+3) + 8
	}
	return s.figure(g.Title, fmt.Sprintf("%s against %d parameters on logarithmic axes.", g.Y, len(g.Panels))), nil
}

func (p *panel) growth(g *GrowthPanel, caption string) {
	across, up := newBound(), newBound()
	for _, c := range g.Costs {
		for k := range c.X {
			across.add(c.X[k], true)
			up.add(c.Y[k], true)
		}
	}
	if least := math.Sqrt(leastFactor / (up.high / up.low)); least > 1 { // noise is to look small
		up.low, up.high = up.low/least, up.high*least
	}
	p.x, p.y = across.scale(true).between(p.left, p.right), up.scale(true).between(p.bottom, p.top)
	p.x.beyond = 16
	name := scene.Clean(g.X)
	p.frame("")
	p.across(name)
	p.up(true, caption)
	y := p.bottom + 48
	for k, c := range g.Costs {
		ink := scene.Series(k)
		from, intercept, exponent := c.fit()
		if last := len(c.X) - 1; !math.IsNaN(exponent) {
			at := func(x float64) float64 { return math.Exp(intercept + exponent*math.Log(x)) }
			p.path([]float64{c.X[from], c.X[last]}, []float64{at(c.X[from]), at(c.X[last])}, ink, 1.6, false, c.text(name))
		}
		for i := range c.X {
			p.dot(scene.At(p.x.at(c.X[i]), p.y.at(c.Y[i])), ink, fmt.Sprintf("%s = %g: %s", name, c.X[i], scene.Significant(c.Y[i], 3)))
		}
		room := p.right - p.left - sampleWidth - 6
		p.entry(entry{ink: ink, line: true, text: scene.Shorten(c.text(name), noteText, room)}, p.left, y)
		y += lineHeight + 3
	}
}
