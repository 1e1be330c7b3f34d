package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scene"
	"tobac/internal/words"
)

// Limits of the picture of the graph.
const (
	mostEdges   = 250   // edges drawn, the most probable ones
	labelled    = 30    // edges up to which their weights are written beside them
	allNodes    = 30    // variables up to which those without an edge are drawn
	graphWidth  = 560.0 // pixels that parts of the graph are packed into
	nodeHeight  = 34.0
	nodeText    = 13.0
	longestName = 150.0 // pixels of a name in a node
	between     = 26.0  // parts of the graph
)

// drawGraph draws the related pairs in layers. It notes what it leaves out.
func (c *Content) drawGraph(ctx context.Context, all []relation) (*scene.Scene, string, error) {
	edges := related(all)
	note := ""
	if len(edges) > mostEdges {
		note = fmt.Sprintf("Of %d related pairs the %d most probable are drawn.", len(edges),
			mostEdges)
		edges = edges[:mostEdges]
	}
	parts, alone := components(len(c.Names), edges)
	var blocks []block
	for _, members := range parts {
		b, err := c.drawPart(ctx, members, edges)
		if err != nil {
			return nil, "", err
		}
		blocks = append(blocks, *b)
	}
	switch {
	case len(c.Names) <= allNodes:
		for _, v := range alone {
			blocks = append(blocks, c.drawAlone(v))
		}
	case len(alone) > 0:
		note = joined(note, fmt.Sprintf("%s of %d without a related partner are not drawn.",
			words.Counted(len(alone), "variable"), len(c.Names)))
	}
	s := pack(blocks)
	if len(blocks) == 0 {
		s.Add(scene.Words(scene.Margin, scene.Margin+24, 14, scene.Start, scene.Muted,
			"No pair is related with a probability above 50 %."))
		s.Width, s.Height = 400, 60
	}
	legend(s, edges)
	return s, note, nil
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// components are the connected parts of a graph by their smallest variables, and the
// variables without an edge.
func components(d int, edges []relation) (parts [][]int, alone []int) {
	root := make([]int, d)
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for _, e := range edges {
		a, b := find(e.from), find(e.to)
		root[max(a, b)] = min(a, b)
	}
	of := map[int]int{} // part of a root
	size := make([]int, d)
	for v := range d {
		size[find(v)]++
	}
	for v := range d {
		r := find(v)
		if size[r] == 1 {
			alone = append(alone, v)
			continue
		}
		k, known := of[r]
		if !known {
			k = len(parts)
			of[r], parts = k, append(parts, nil)
		}
		parts[k] = append(parts[k], v)
	}
	return parts, alone
}

// A block is a separate part of the picture.
type block struct {
	width, height float64
	marks         []scene.Mark
}

// drawPart lays out one connected part.
func (c *Content) drawPart(ctx context.Context, members []int, edges []relation) (*block, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	at := map[int]int{} // place of a variable among the members
	s := &sketch{}
	var names []string
	for k, v := range members {
		at[v] = k
		name := scene.Shorten(scene.Clean(c.Names[v]), nodeText, longestName)
		names = append(names, name)
		s.boxes = append(s.boxes, scene.At(nodeWidth(name), nodeHeight))
	}
	var drawn []relation
	var weights []string
	for _, e := range edges {
		k, inside := at[e.from]
		if !inside {
			continue
		}
		a := sketchArrow{from: k, to: at[e.to], size: 0.75 + 0.12*edgeWidth(e.adjacent),
			headless: !e.directed()}
		weight := ""
		if len(edges) <= labelled {
			if weight = edgeLabel(&e); weight != "" {
				a.label = plateWidth(weight)
			}
		}
		s.arrows, drawn, weights = append(s.arrows, a), append(drawn, e), append(weights, weight)
	}
	l, err := s.arrange(ctx)
	if err != nil {
		return nil, err
	}
	b := &block{width: l.width, height: l.height}
	for k := range slices.Backward(drawn) { // the surest on top
		b.marks = append(b.marks, c.drawEdge(&drawn[k], &l.arrows[k], s.arrows[k].size)...)
	}
	for k, v := range members {
		b.marks = append(b.marks, c.drawNode(l.boxes[k], s.boxes[k], names[k], v)...)
	}
	for k := range drawn {
		if weights[k] != "" {
			b.marks = append(b.marks,
				drawLabel(l.arrows[k].label, weights[k], drawn[k].sign(), c.tip(&drawn[k]))...)
		}
	}
	return b, nil
}

func nodeWidth(name string) float64 {
	return math.Max(48, scene.TextWidth(name, nodeText, true)+22)
}

// edgeWidth is the width of an edge, from 1 at the threshold to 5 for a sure one.
func edgeWidth(p float64) float64 { return 1 + 4*(p-Related)/(1-Related) }

// edgeLabel is the weight of an edge with its sign; "" if the weight or the direction is unknown.
func edgeLabel(r *relation) string {
	switch {
	case !r.directed(), math.IsNaN(r.weight), math.IsInf(r.weight, 0):
		return ""
	case r.weight < 0:
		return "−" + scene.Significant(-r.weight, 2)
	}
	return "+" + scene.Significant(r.weight, 2)
}

// Sizes of the plate of a weight.
const (
	plateText   = 11.0
	plateHeight = 16.0
)

func plateWidth(weight string) float64 { return scene.TextWidth(weight, plateText, false) + 10 }

func (c *Content) drawNode(centre, size scene.Point, name string, v int) []scene.Mark {
	x, y := centre.X-size.X/2, centre.Y-size.Y/2
	frame := scene.Box(x, y, size.X, size.Y, 7, scene.Panel, scene.Text)
	frame.Width, frame.Tip = 1.3, scene.Clean(c.Names[v])
	caption := scene.Words(centre.X, centre.Y+nodeText*0.35, nodeText, scene.Middle, scene.Text,
		name)
	caption.Bold, caption.Tip = true, frame.Tip
	return []scene.Mark{frame, caption}
}

// drawAlone is a variable without a related partner.
func (c *Content) drawAlone(v int) block {
	name := scene.Shorten(scene.Clean(c.Names[v]), nodeText, longestName)
	size := scene.At(nodeWidth(name), nodeHeight)
	marks := c.drawNode(scene.At(size.X/2, size.Y/2), size, name, v)
	marks[0].Stroke, marks[0].Dashed, marks[0].Width = scene.Hairline, false, 1
	marks[1].Fill, marks[1].Bold = scene.Muted, false
	return block{size.X, size.Y, marks}
}

// drawEdge is the curve with its head.
func (c *Content) drawEdge(r *relation, a *arrowLayout, size float64) []scene.Mark {
	width, colour := edgeWidth(r.adjacent), r.sign()
	m := scene.Mark{Shape: scene.Curve, Points: a.curve, Stroke: colour, Width: width,
		Dashed: !r.directed(), Tip: c.tip(r)}
	marks := []scene.Mark{m}
	if r.directed() {
		marks = append(marks, head(a.curve[len(a.curve)-1], a.tip, 4.2*size, colour, m.Tip))
	}
	return marks
}

// head is the triangle of an arrow.
func head(base, tip scene.Point, half float64, colour scene.Ink, tooltip string) scene.Mark {
	length := math.Max(scene.Distance(base, tip), 1)
	x, y := (tip.X-base.X)/length, (tip.Y-base.Y)/length
	return scene.Mark{Shape: scene.Area,
		Points: []scene.Point{tip, scene.At(base.X-half*y, base.Y+half*x),
			scene.At(base.X+half*y, base.Y-half*x)}, Fill: colour, Tip: tooltip}
}

// drawLabel is a weight on a small plate, which covers edges behind it.
func drawLabel(centre scene.Point, weight string, colour scene.Ink, tooltip string) []scene.Mark {
	w := plateWidth(weight)
	plate := scene.Box(centre.X-w/2, centre.Y-plateHeight/2, w, plateHeight, plateHeight/2,
		scene.Paper, colour)
	plate.Tip = tooltip
	caption := scene.Words(centre.X, centre.Y+plateText*0.36, plateText, scene.Middle, scene.Text,
		weight)
	caption.Tip = tooltip
	return []scene.Mark{plate, caption}
}

// pack puts blocks into rows from left to right, high ones first.
func pack(blocks []block) *scene.Scene {
	order := make([]int, len(blocks))
	wide := graphWidth
	for k := range order {
		order[k] = k
		wide = math.Max(wide, blocks[k].width)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch { // to whole pixels: a difference in rounding moves nothing
		case math.Round(blocks[a].height) > math.Round(blocks[b].height):
			return -1
		case math.Round(blocks[a].height) < math.Round(blocks[b].height):
			return 1
		}
		return 0
	})
	s := &scene.Scene{}
	x, y, high := 0.0, 0.0, 0.0
	for _, k := range order {
		b := blocks[k]
		if x > 0 && x+b.width > wide {
			x, y, high = 0, y+high+between, 0
		}
		s.Add(scene.Move(b.marks, scene.At(scene.Margin+x, scene.Margin+y))...)
		s.Width = math.Max(s.Width, 2*scene.Margin+x+b.width)
		x, high = x+b.width+between, math.Max(high, b.height)
	}
	s.Height = 2*scene.Margin + y + high
	return s
}

// legend says below the graph what its lines mean, as far as they occur.
func legend(s *scene.Scene, edges []relation) {
	var items []block
	sample := func(caption string, colour scene.Ink, width float64, dashed, headed bool) {
		const long = 46.0
		m := []scene.Mark{{Shape: scene.Line, Points: []scene.Point{scene.At(0, 8),
			scene.At(long, 8)}, Stroke: colour, Width: width, Dashed: dashed}}
		if headed {
			m[0].Points[1].X = long - 9
			m = append(m, head(scene.At(long-9, 8), scene.At(long, 8), 5, colour, ""))
		}
		m = append(m, scene.Words(long+7, 12, 12, scene.Start, scene.Text, caption))
		items = append(items, block{long + 7 + scene.TextWidth(caption, 12, false), 16, m})
	}
	has := func(test func(*relation) bool) bool {
		return slices.ContainsFunc(edges, func(r relation) bool { return test(&r) })
	}
	for _, k := range []struct {
		colour  scene.Ink
		caption string
	}{{scene.Positive, "raises (+)"}, {scene.Negative, "lowers (−)"},
		{scene.Uncertain, "sign not known"}} {
		if has(func(r *relation) bool { return r.sign() == k.colour }) {
			sample(k.caption, k.colour, 3, false, true)
		}
	}
	if has(func(r *relation) bool { return !r.directed() }) {
		sample("open direction", scene.Text, 3, true, false)
	}
	if len(edges) > 0 {
		sample("related: 50 %", scene.Text, edgeWidth(Related), false, false)
		sample("related: 100 %", scene.Text, edgeWidth(1), false, false)
	}
	x, y := scene.Margin, s.Height+8
	wide := math.Max(s.Width, 440)
	for _, b := range items {
		if x > scene.Margin && x+b.width > wide-scene.Margin {
			x, y = scene.Margin, y+24
		}
		s.Add(scene.Move(b.marks, scene.At(x, y))...)
		s.Width = math.Max(s.Width, x+b.width+scene.Margin)
		x += b.width + 22
	}
	if len(items) > 0 {
		s.Height = y + 30
	}
}
