package chainplot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours are told apart by readers with the common colour deficiencies (Okabe and Ito).
var colours = []color.Color{
	color.RGBA{
		0,
		114,
		178,
		255,
	}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255}, color.RGBA{204, 121, 167, 255},
	color.RGBA{86, 180, 233, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{0, 0, 0, 255},
}

func colour(k int) color.Color { return colours[k%len(colours)] }

func check(chains [][]float64) error {
	if len(chains) == 0 || len(chains[0]) < 2 {
		return fmt.Errorf("chainplot: no chains, or fewer than 2 draws")
	}
	for k, c := range chains {
		if len(c) != len(chains[0]) {
			return fmt.Errorf(
				"chainplot: chain %d has %d draws, want %d",
				k,
				len(c),
				len(chains[0]),
			)
		}
		for i, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf(
					"chainplot: draw %d of chain %d is %v, want a finite number",
					i,
					k,
					v,
				)
			}
		}
	}
	return nil
}

func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	return p
}

// line adds a line in the colour of number k.
func line(p *plot.Plot, points plotter.XYs, k int, name string) error {
	l, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("chainplot: %w", err)
	}
	l.Color, l.Width = colour(k), vg.Points(0.7)
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
	return nil
}

// Trace draws a parameter along the draws of each chain: chains that agree cover each other, and
// look like noise.
func Trace(name string, chains [][]float64) (*plot.Plot, error) {
	if err := check(chains); err != nil {
		return nil, err
	}
	p := newPlot(name, "draw", "")
	for k, c := range chains {
		points := make(plotter.XYs, len(c))
		for i, v := range c {
			points[i] = plotter.XY{X: float64(i), Y: v}
		}
		if err := line(p, points, k, ""); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Ranks draws, for each chain, how many of its draws have ranks in each of 20 groups among the
// draws of all chains: level lines where chains agree.
func Ranks(name string, chains [][]float64) (*plot.Plot, error) {
	const groups = 20
	if err := check(chains); err != nil {
		return nil, err
	}
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	p := newPlot(name, "rank", "draws")
	p.Y.Min = 0
	for k, c := range chains {
		counts := make([]float64, groups)
		for _, v := range c {
			at, _ := slices.BinarySearch(all, v)
			counts[at*groups/len(all)]++
		}
		var points plotter.XYs
		for g, n := range counts {
			from, to := float64(g*len(all))/groups, float64((g+1)*len(all))/groups
			points = append(points, plotter.XY{X: from, Y: n}, plotter.XY{X: to, Y: n})
		}
		if err := line(p, points, k, fmt.Sprintf("chain %d", k+1)); err != nil {
			return nil, err
		}
	}
	p.Y.Max = math.Max(p.Y.Max, 2*float64(len(chains[0]))/groups)
	return p, nil
}

// Pair draws two parameters against each other; divergent draws, if any are marked, in another
// colour: where they gather the density is too curved for the step size.
func Pair(xName, yName string, x, y [][]float64, divergent [][]bool) (*plot.Plot, error) {
	if err := check(x); err != nil {
		return nil, err
	}
	if err := check(y); err != nil {
		return nil, err
	}
	if len(x) != len(y) || len(x[0]) != len(y[0]) || divergent != nil && len(divergent) != len(x) {
		return nil, fmt.Errorf(
			"chainplot: %d and %d chains of %d and %d draws, with marks for %d, want the same "+
				"numbers",
			len(x),
			len(y),
			len(x[0]),
			len(y[0]),
			len(divergent),
		)
	}
	groups := [2]plotter.XYs{}
	for k := range x {
		if divergent != nil && len(divergent[k]) != len(x[k]) {
			return nil, fmt.Errorf(
				"chainplot: chain %d has %d marks of %d draws",
				k,
				len(divergent[k]),
				len(x[k]),
			)
		}
		for i := range x[k] {
			group := 0
			if divergent != nil && divergent[k][i] {
				group = 1
			}
			groups[group] = append(groups[group], plotter.XY{X: x[k][i], Y: y[k][i]})
		}
	}
	p := newPlot("", xName, yName)
	for group, points := range groups {
		if len(points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return nil, fmt.Errorf("chainplot: %w", err)
		}
		s.GlyphStyle = draw.GlyphStyle{
			Color:  colour(group),
			Radius: vg.Points(1 + float64(group)),
			Shape:  draw.CircleGlyph{},
		}
		p.Add(s)
		if divergent != nil {
			p.Legend.Add([]string{"draws", "divergent"}[group], s)
		}
	}
	return p, nil
}

// Energy draws the distribution of the energies of all chains about their means, and of the
// changes from draw to draw: where the second is much narrower, tails are explored slowly.
func Energy(energies [][]float64) (*plot.Plot, error) {
	if err := check(energies); err != nil {
		return nil, err
	}
	var marginal, steps []float64
	for _, e := range energies {
		mean := stat.Mean(e, nil)
		for i, v := range e {
			marginal = append(marginal, v-mean)
			if i > 0 {
				steps = append(steps, v-e[i-1])
			}
		}
	}
	p := newPlot("", "energy", "density")
	width := 3.5 * stat.StdDev(slices.Concat(marginal, steps), nil) / math.Cbrt(
		float64(len(marginal)),
	)
	if width == 0 {
		return nil, fmt.Errorf("chainplot: all energies are the same")
	}
	for k, values := range [][]float64{marginal, steps} {
		low, high := slices.Min(values), slices.Max(values)
		counts := make([]float64, int((high-low)/width)+1)
		for _, v := range values {
			counts[int((v-low)/width)]++
		}
		points := plotter.XYs{{X: low, Y: 0}}
		for i, n := range counts {
			y := n / (width * float64(len(values)))
			from := low + float64(i)*width
			points = append(points, plotter.XY{X: from, Y: y}, plotter.XY{X: from + width, Y: y})
		}
		points = append(points, plotter.XY{X: low + float64(len(counts))*width, Y: 0})
		if err := line(p, points, k, []string{"energies", "changes"}[k]); err != nil {
			return nil, err
		}
	}
	return p, nil
}
