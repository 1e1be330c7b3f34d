package figures

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points.
const (
	pageWidth  vg.Length = 540
	margin     vg.Length = 10
	titleSize  vg.Length = 12
	noteSize   vg.Length = 9
	numberSize vg.Length = 8
	panelGap   vg.Length = 8
)

var (
	ink   = color.RGBA{23, 32, 42, 255}
	muted = color.RGBA{88, 100, 114, 255}
	faint = color.RGBA{195, 202, 211, 255}
	limit = color.RGBA{179, 38, 30, 255}
)

// seriesColours were chosen by a search: 24 apart and more in CIE Lab for every kind of eyes.
var seriesColours = [...]color.RGBA{
	{11, 92, 173, 255}, {224, 122, 0, 255}, {0, 158, 115, 255}, {130, 59, 112, 255},
	{23, 32, 42, 255}, {145, 148, 255, 255}, {200, 126, 187, 255},
}

func colourOf(k int) color.RGBA { return seriesColours[k%len(seriesColours)] }

// translucent is a colour of which so much is seen.
func translucent(c color.RGBA, opacity float64) color.Color {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(255 * opacity))}
}

func sans(size vg.Length, weight xfont.Weight) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size}
}

func words(size vg.Length, weight xfont.Weight, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(size, weight), XAlign: text.XLeft, YAlign: text.YTop,
		Handler: plot.DefaultTextHandler}
}

// newPanel is an empty plot with its name above.
func newPanel(name string) *plot.Plot {
	p := plot.New()
	p.Title.Text = name
	p.Title.TextStyle.Font = sans(noteSize, xfont.WeightBold)
	p.Title.Padding = 3
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(noteSize, xfont.WeightNormal)
		a.Tick.Label.Font = sans(numberSize, xfont.WeightNormal)
		a.Tick.Label.Color, a.LineStyle.Color, a.Tick.Color = muted, faint, faint
		a.Padding = 0
	}
	return p
}

// logarithmic makes an axis one, for numbers that are positive.
func logarithmic(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
}

// decades are powers of ten, or where there are fewer than three, also twice and five times these,
// or round numbers.
func decades(low, high float64) (ticks []plot.Tick) {
	for _, factors := range [][]float64{{1}, {1, 2, 5}} {
		ticks = nil
		for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
			for _, f := range factors {
				if v := f * math.Pow(10, e); v >= low && v <= high {
					ticks = append(ticks,
						plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
				}
			}
		}
		if len(ticks) > 2 {
			return ticks
		}
	}
	return plot.DefaultTicks{}.Ticks(low, high)
}

// rules draws a grid across an axis, or both.
func rules(p *plot.Plot, horizontal bool) {
	g := plotter.NewGrid()
	g.Vertical = draw.LineStyle{Color: faint, Width: 0.4}
	if g.Horizontal = g.Vertical; !horizontal {
		g.Horizontal.Color = nil
	}
	p.Add(g)
}

// lined draws a line, dashed or not.
func lined(p *plot.Plot, points plotter.XYs, c color.Color, width vg.Length,
	dashed bool) *plotter.Line {
	l := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: width}}
	if dashed {
		l.Dashes = []vg.Length{4, 3}
	}
	p.Add(l)
	return l
}

// band fills the area between two curves.
func band(p *plot.Plot, xs, low, high []float64, c color.RGBA) {
	var points plotter.XYs
	for k := range xs {
		points = append(points, plotter.XY{X: xs[k], Y: high[k]})
	}
	for k := len(xs) - 1; k >= 0; k-- {
		points = append(points, plotter.XY{X: xs[k], Y: low[k]})
	}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{points}, Color: translucent(c, 0.18)})
}

// An entry of a legend is a sample with its text.
type entry struct {
	sample plot.Thumbnailer
	text   string
}

// A swatch is a sample of a colour.
type swatch struct{ fill color.Color }

// Thumbnail implements [plot.Thumbnailer].
func (s swatch) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	c.FillPolygon(s.fill, corners)
	c.StrokeLines(draw.LineStyle{Color: faint, Width: 0.5}, append(corners, r.Min))
}

// A sheet is a page of panels in lines, below title and note, above a caption and a legend.
type sheet struct {
	title, note, caption string
	panels               []*plot.Plot
	columns              int
	high                 vg.Length // of a line of panels
	legend               []entry
}

const (
	legendLine  vg.Length = 13
	sampleWidth vg.Length = 20
)

// wrap breaks a text into lines between its words.
func wrap(s text.Style, all string, most vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(all) {
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case s.Width(longer) <= most:
			line = longer
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// figure lays the page out.
func (s *sheet) figure(description string) *Figure {
	title, note := words(titleSize, xfont.WeightBold, ink),
		words(noteSize, xfont.WeightNormal, muted)
	titles, notes := wrap(title, s.title, pageWidth-2*margin),
		wrap(note, s.note, pageWidth-2*margin)
	rows := (len(s.panels) + s.columns - 1) / s.columns
	head := margin + 1.35*(vg.Length(len(titles))*titleSize+vg.Length(len(notes))*noteSize) + 4
	foot := margin
	if s.caption != "" {
		foot += 16
	}
	entries := words(noteSize, xfont.WeightNormal, ink)
	entries.YAlign = text.YCenter
	wide := sampleWidth
	for _, e := range s.legend {
		wide = max(wide, sampleWidth+20+entries.Width(e.text))
	}
	abreast := columnsOf(len(s.legend), max(1, int((pageWidth-2*margin)/wide)))
	deep := (len(s.legend) + abreast - 1) / max(1, abreast)
	foot += vg.Length(deep) * legendLine
	f := &Figure{Title: s.title, Description: description, width: pageWidth,
		height: head + vg.Length(rows)*s.high + foot}
	f.draw = func(c draw.Canvas) {
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		y := c.Max.Y - margin
		write := func(style text.Style, lines []string) {
			for _, line := range lines {
				c.FillText(style, vg.Point{X: c.Min.X + margin, Y: y}, line)
				y -= 1.35 * style.Font.Size
			}
		}
		write(title, titles)
		write(note, notes)
		grid := make([][]*plot.Plot, rows)
		for r := range grid {
			grid[r] = make([]*plot.Plot, s.columns)
			copy(grid[r], s.panels[r*s.columns:])
		}
		tiles := draw.Tiles{Rows: rows, Cols: s.columns, PadX: panelGap, PadY: panelGap}
		for r, line := range plot.Align(grid, tiles, draw.Crop(c, margin, -margin, foot, -head)) {
			for k, at := range line {
				if grid[r][k] != nil {
					grid[r][k].Draw(at)
				}
			}
		}
		if s.caption != "" {
			middle := words(noteSize, xfont.WeightNormal, ink)
			middle.XAlign, middle.YAlign = text.XCenter, text.YBottom
			c.FillText(middle, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Min.Y + foot - 14},
				s.caption)
		}
		for k, e := range s.legend {
			x, y := c.Min.X+margin+vg.Length(k/deep)*wide,
				c.Min.Y+margin/2+legendLine*(vg.Length(deep-k%deep)-0.5)
			sample := c
			sample.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: y - 3.5},
				Max: vg.Point{X: x + sampleWidth, Y: y + 3.5}}
			e.sample.Thumbnail(&sample)
			c.FillText(entries, vg.Point{X: x + sampleWidth + 6, Y: y}, e.text)
		}
	}
	return f
}

// columnsOf is into how many columns so many panels go, at most most: lines are as even as they can
// be.
func columnsOf(panels, most int) int {
	if panels == 0 {
		return 0
	}
	rows := (panels + most - 1) / most
	return (panels + rows - 1) / rows
}
