package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scene"
)

// Distances in a layout, in pixels.
const (
	besideBox   = 23.0 // between a box and what is beside it in its layer
	besideCurve = 12.0 // between two curves in a layer
	layerGap    = 40.0 // between two layers of boxes
	labelGap    = 20.0 // between a layer of boxes and one of labels
	headLength  = 10.0 // of an arrow of size 1
)

// Rounds of the two searches.
const (
	orderRounds = 24
	placeRounds = 80
)

// A sketch is a graph to be laid out: boxes of given sizes, and arrows between them.
type sketch struct {
	boxes  []scene.Point // width and height of each
	arrows []sketchArrow
}

type sketchArrow struct {
	from, to int
	size     float64 // of its head; 1 is about 10 pixels
	headless bool
	label    float64 // width of the label that is given room; 0 means none
}

// A layout is where the parts of a sketch are.
type layout struct {
	width, height float64
	boxes         []scene.Point // centres
	arrows        []arrowLayout
}

type arrowLayout struct {
	curve []scene.Point // see the shape curve
	tip   scene.Point   // of the head
	label scene.Point   // centre
}

// arrange lays a sketch out in layers, sources on top, by the method of Sugiyama, Tagawa and Toda
// (1981): arrows that would close a cycle are turned, vertices are put into layers, long arrows are
// cut at each layer that they pass, layers are ordered for few crossings, and what is connected is
// moved together.
func (s *sketch) arrange(ctx context.Context) (*layout, error) {
	l := newLayering(s)
	l.order()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("report: layout of %d variables: %w", len(s.boxes), err)
	}
	l.place()
	return l.draw(), nil
}

// A vertex is a box, or a point at which an arrow passes a layer, which may hold its label.
type vertex struct {
	layer         int
	width, height float64
	isBox         bool
	x, y          float64 // centre
	above, below  []int   // vertices in the layers next to it
}

// A layering is a sketch with the vertices of its layers, from left to right.
type layering struct {
	*sketch
	vertices []vertex // the boxes, then the points of arrows
	layers   [][]int
	at       []int   // place of a vertex in its layer
	chains   [][]int // vertices of each arrow, from top to bottom
	turned   []bool  // arrows that lead upwards
	labelled bool    // every second layer holds labels
}

func newLayering(s *sketch) *layering {
	l := &layering{sketch: s, turned: make([]bool, len(s.arrows)),
		chains: make([][]int, len(s.arrows))}
	step := 1
	if l.labelled = slices.ContainsFunc(s.arrows, func(a sketchArrow) bool {
		return a.label > 0
	}); l.labelled {
		step = 2
	}
	l.turn()
	ranks := l.ranks()
	for k, b := range s.boxes {
		l.vertices =
			append(l.vertices, vertex{layer: step * ranks[k], width: b.X, height: b.Y, isBox: true})
	}
	for k, a := range s.arrows {
		top, bottom := l.ends(k)
		first, last := l.vertices[top].layer, l.vertices[bottom].layer
		chain := []int{top}
		for layer := first + 1; layer < last; layer++ {
			v := vertex{layer: layer}
			if a.label > 0 && layer == (first+last)/2|1 { // an odd layer, which has no boxes
				v.width, v.height = a.label, plateHeight
			}
			chain = append(chain, len(l.vertices))
			l.vertices = append(l.vertices, v)
		}
		l.chains[k] = append(chain, bottom)
		for i, v := range l.chains[k][1:] {
			u := l.chains[k][i]
			l.vertices[u].below = append(l.vertices[u].below, v)
			l.vertices[v].above = append(l.vertices[v].above, u)
		}
	}
	return l
}

// ends are the upper and the lower box of an arrow.
func (l *layering) ends(k int) (top, bottom int) {
	a := l.arrows[k]
	if l.turned[k] {
		return a.to, a.from
	}
	return a.from, a.to
}

// turn turns the arrows that lead back to a box from which they can be reached.
func (l *layering) turn() {
	const open, done = 1, 2
	state := make([]int, len(l.boxes))
	var visit func(v int)
	visit = func(v int) {
		state[v] = open
		for k, a := range l.arrows {
			if a.from != v {
				continue
			}
			switch state[a.to] {
			case open:
				l.turned[k] = true
			case 0:
				visit(a.to)
			}
		}
		state[v] = done
	}
	hasParent := make([]bool, len(l.boxes))
	for _, a := range l.arrows {
		hasParent[a.to] = true
	}
	for _, sources := range []bool{true, false} {
		for v := range l.boxes {
			if state[v] == 0 && hasParent[v] != sources {
				visit(v)
			}
		}
	}
}

// ranks numbers the layers of the boxes: as far up as arrows permit, then each box to the side
// where it has more neighbours.
func (l *layering) ranks() []int {
	rank := make([]int, len(l.boxes))
	for changed := true; changed; {
		changed = false
		for k := range l.arrows {
			if top, bottom := l.ends(k); rank[bottom] <= rank[top] {
				rank[bottom], changed = rank[top]+1, true
			}
		}
	}
	for range l.boxes {
		moved := false
		for v := range l.boxes {
			least, most, weight := 0, math.MaxInt, 0
			for k := range l.arrows {
				switch top, bottom := l.ends(k); v {
				case bottom:
					least, weight = max(least, rank[top]+1), weight-1
				case top:
					most, weight = min(most, rank[bottom]-1), weight+1
				}
			}
			want := rank[v]
			if weight > 0 {
				want = most
			} else if weight < 0 {
				want = least
			}
			moved = moved || want != rank[v]
			rank[v] = want
		}
		if !moved {
			break
		}
	}
	lowest := slices.Min(rank)
	for v := range rank {
		rank[v] -= lowest
	}
	return rank
}

// order puts the vertices of each layer in a sequence with few crossings, by medians of neighbours
// in sweeps down and up, and by swaps of neighbours (Gansner et al. 1993).
func (l *layering) order() {
	deepest := 0
	for _, v := range l.vertices {
		deepest = max(deepest, v.layer)
	}
	l.layers, l.at = make([][]int, deepest+1), make([]int, len(l.vertices))
	seen := make([]bool, len(l.vertices))
	var visit func(v int)
	visit = func(v int) {
		if seen[v] {
			return
		}
		seen[v] = true
		layer := &l.layers[l.vertices[v].layer]
		l.at[v] = len(*layer)
		*layer = append(*layer, v)
		for _, w := range l.vertices[v].below {
			visit(w)
		}
		for _, w := range l.vertices[v].above {
			visit(w)
		}
	}
	for v := range l.vertices {
		visit(v)
	}
	best, fewest := l.sequence(), l.crossings()
	for round := range orderRounds {
		if fewest == 0 {
			break
		}
		l.sweep(round%2 == 0)
		l.swap()
		if c := l.crossings(); c < fewest {
			best, fewest = l.sequence(), c
		}
	}
	for k, layer := range best {
		l.set(k, layer)
	}
}

func (l *layering) sequence() [][]int {
	all := make([][]int, len(l.layers))
	for k, layer := range l.layers {
		all[k] = slices.Clone(layer)
	}
	return all
}

func (l *layering) set(k int, layer []int) {
	l.layers[k] = layer
	for i, v := range layer {
		l.at[v] = i
	}
}

// sweep sorts each layer by the medians of its neighbours in the layer before; a vertex without
// neighbours there stays where it is.
func (l *layering) sweep(down bool) {
	for i := range l.layers {
		k := i
		if !down {
			k = len(l.layers) - 1 - i
		}
		layer := l.layers[k]
		key := make(map[int]float64, len(layer))
		for _, v := range layer {
			near := l.vertices[v].above
			if !down {
				near = l.vertices[v].below
			}
			key[v] = l.median(near, float64(l.at[v]))
		}
		sorted := slices.Clone(layer)
		slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		l.set(k, sorted)
	}
}

// median is the median of the places of vertices. With an even number of them it lies nearer to the
// denser side.
func (l *layering) median(near []int, otherwise float64) float64 {
	if len(near) == 0 {
		return otherwise
	}
	places := make([]float64, len(near))
	for i, v := range near {
		places[i] = float64(l.at[v])
	}
	slices.Sort(places)
	m := len(places) / 2
	if len(places)%2 == 1 {
		return places[m]
	}
	if len(places) == 2 {
		return (places[0] + places[1]) / 2
	}
	left, right := places[m-1]-places[0], places[len(places)-1]-places[m]
	if left+right == 0 {
		return (places[m-1] + places[m]) / 2
	}
	return (places[m-1]*right + places[m]*left) / (left + right)
}

// swap exchanges neighbours in a layer as long as crossings go away.
func (l *layering) swap() {
	for improved := true; improved; {
		improved = false
		for _, layer := range l.layers {
			for i := 0; i+1 < len(layer); i++ {
				v, w := layer[i], layer[i+1]
				a, b := &l.vertices[v], &l.vertices[w]
				if l.inverted(a.above, b.above)+l.inverted(a.below, b.below) > l.inverted(b.above,
					a.above)+l.inverted(b.below, a.below) {
					layer[i], layer[i+1] = w, v
					l.at[v], l.at[w] = i+1, i
					improved = true
				}
			}
		}
	}
}

// inverted is the number of crossings of the lines to two lists of neighbours, the first from the
// vertex on the left.
func (l *layering) inverted(left, right []int) (n int) {
	for _, v := range left {
		for _, w := range right {
			if l.at[v] > l.at[w] {
				n++
			}
		}
	}
	return n
}

func (l *layering) crossings() (n int) {
	for _, layer := range l.layers {
		for i, v := range layer {
			for _, w := range layer[i+1:] {
				n += l.inverted(l.vertices[v].below, l.vertices[w].below)
			}
		}
	}
	return n
}

// apart is the least distance of the centres of two neighbours in a layer.
func (l *layering) apart(v, w int) float64 {
	a, b := &l.vertices[v], &l.vertices[w]
	gap := besideCurve
	if a.isBox || b.isBox {
		gap = besideBox
	}
	return (a.width+b.width)/2 + gap
}

// stiffness is the weight of the distance of two connected vertices: long arrows are
// straight before short ones are upright.
func (l *layering) stiffness(v, w int) float64 {
	switch a, b := l.vertices[v].isBox, l.vertices[w].isBox; {
	case a && b:
		return 1
	case a || b:
		return 2
	}
	return 8
}

// place moves the vertices of each layer to the least sum of weighted distances from those that
// they are connected with, given the other layers, in sweeps down and up: of squared distances at
// first, then of distances, which makes few bends, by weights that are divided by them. With the
// distances that neighbours in the layer must have it is a monotone regression.
func (l *layering) place() {
	for _, layer := range l.layers {
		for i := 1; i < len(layer); i++ {
			l.vertices[layer[i]].x = l.vertices[layer[i-1]].x + l.apart(layer[i-1], layer[i])
		}
		middle := (l.vertices[layer[0]].x + l.vertices[layer[len(layer)-1]].x) / 2
		for _, v := range layer {
			l.vertices[v].x -= middle
		}
	}
	for round := range placeRounds {
		for i := range l.layers {
			k := i
			if round%2 == 1 {
				k = len(l.layers) - 1 - i
			}
			l.settle(l.layers[k], round >= placeRounds/4)
		}
	}
	y, gap := 0.0, layerGap
	if l.labelled {
		gap = labelGap
	}
	for k, layer := range l.layers {
		high := 0.0
		for _, v := range layer {
			high = math.Max(high, l.vertices[v].height)
		}
		if k > 0 {
			y += gap
		}
		for _, v := range layer {
			l.vertices[v].y = y + high/2
			if !l.vertices[v].isBox && l.vertices[v].width == 0 {
				l.vertices[v].height = high // which its curve passes upright
			}
		}
		y += high
	}
}

// settle is the monotone regression of one layer, by pooling of adjacent violators.
func (l *layering) settle(layer []int, straight bool) {
	type pool struct {
		sum, weight float64
		size        int
	}
	var pools []pool
	offset := make([]float64, len(layer)) // of a vertex from the first one, at least distances
	for i, v := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + l.apart(layer[i-1], v)
		}
		p := pool{size: 1}
		for _, w := range slices.Concat(l.vertices[v].above, l.vertices[v].below) {
			s := l.stiffness(v, w)
			if straight {
				s /= math.Abs(l.vertices[v].x-l.vertices[w].x) + besideCurve/4
			}
			p.sum += s * (l.vertices[w].x - offset[i])
			p.weight += s
		}
		if p.weight == 0 {
			p.sum, p.weight = l.vertices[v].x-offset[i], 1
		}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum*p.weight < p.sum*last.weight {
				break
			}
			p = pool{p.sum + last.sum, p.weight + last.weight, p.size + last.size}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.size {
			l.vertices[layer[i]].x = p.sum/p.weight + offset[i]
			i++
		}
	}
}

// draw draws the arrows and puts the upper left corner at 0.
func (l *layering) draw() *layout {
	out := &layout{arrows: make([]arrowLayout, len(l.arrows))}
	least, most := scene.At(math.Inf(1), math.Inf(1)), scene.At(math.Inf(-1), math.Inf(-1))
	include := func(p scene.Point, width, height float64) {
		least = scene.At(math.Min(least.X, p.X-width/2), math.Min(least.Y, p.Y-height/2))
		most = scene.At(math.Max(most.X, p.X+width/2), math.Max(most.Y, p.Y+height/2))
	}
	for k, b := range l.boxes {
		out.boxes = append(out.boxes, scene.At(l.vertices[k].x, l.vertices[k].y))
		include(out.boxes[k], b.X, b.Y)
	}
	ports := l.ports()
	for k := range l.arrows {
		out.arrows[k] = l.arrow(k, ports)
		for _, p := range out.arrows[k].curve {
			include(p, 0, 0)
		}
		if l.arrows[k].label > 0 {
			include(out.arrows[k].label, l.arrows[k].label, plateHeight)
		}
	}
	move := func(p *scene.Point) { p.X, p.Y = p.X-least.X, p.Y-least.Y }
	for k := range out.boxes {
		move(&out.boxes[k])
	}
	for k := range out.arrows {
		a := &out.arrows[k]
		for i := range a.curve {
			move(&a.curve[i])
		}
		move(&a.tip)
		move(&a.label)
	}
	out.width, out.height = most.X-least.X, most.Y-least.Y
	return out
}

// arrow is the curve between the borders of two boxes. It is vertical where it passes a layer.
func (l *layering) arrow(k int, ports [][2]scene.Point) (a arrowLayout) {
	var points []scene.Point
	chain := l.chains[k]
	for _, v := range chain[1 : len(chain)-1] {
		p := &l.vertices[v]
		if p.width > 0 {
			a.label = scene.At(p.x, p.y)
			points = append(points, a.label)
		} else {
			points = append(points, scene.At(p.x, p.y-p.height/2), scene.At(p.x, p.y+p.height/2))
		}
	}
	start, tip := ports[k][0], ports[k][1]
	if l.turned[k] {
		slices.Reverse(points)
		start, tip = tip, start
	}
	last := start
	if len(points) > 0 {
		last = points[len(points)-1]
	}
	a.tip = tip
	end := a.tip
	if head := headLength * l.arrows[k].size; !l.arrows[k].headless {
		d := scene.Distance(last, a.tip)
		end = scene.At(a.tip.X+(last.X-a.tip.X)*head/d, a.tip.Y+(last.Y-a.tip.Y)*head/d)
	}
	a.curve = smooth(append(append([]scene.Point{start}, points...), end))
	return a
}

// ports are where each arrow leaves its upper box and enters its lower one: at equal distances
// along the side of the box, in the sequence of what they lead to.
func (l *layering) ports() [][2]scene.Point {
	ports := make([][2]scene.Point, len(l.chains))
	for v := range l.boxes {
		box := &l.vertices[v]
		for side := range 2 {
			var ends []int // arrows
			toward := map[int]float64{}
			for k, chain := range l.chains {
				switch last := len(chain) - 1; {
				case side == 0 && chain[0] == v:
					ends, toward[k] = append(ends, k), l.vertices[chain[1]].x
				case side == 1 && chain[last] == v:
					ends, toward[k] = append(ends, k), l.vertices[chain[last-1]].x
				}
			}
			slices.SortStableFunc(ends, func(a, b int) int {
				return cmp.Compare(toward[a], toward[b])
			})
			for i, k := range ends {
				x := box.x + box.width*(float64(i+1)/float64(len(ends)+1)-0.5)
				ports[k][side] = scene.At(x, box.y+box.height*(0.5-float64(side)))
			}
		}
	}
	return ports
}

// smooth is the curve through points, parallel at each to the line between its neighbours and
// vertical where it passes a layer. Between two points it is monotone.
func smooth(p []scene.Point) []scene.Point {
	curve := []scene.Point{p[0]}
	slope := func(i int) float64 { // dx/dy
		a, b := p[max(i-1, 0)], p[min(i+1, len(p)-1)]
		if i > 0 && i < len(p)-1 && (p[i].X == a.X || p[i].X == b.X) {
			return 0 // it passes a layer
		}
		return (b.X - a.X) / (b.Y - a.Y)
	}
	for i := 0; i+1 < len(p); i++ {
		a, b := p[i], p[i+1]
		third := (b.Y - a.Y) / 3
		curve = append(curve, scene.At(a.X+slope(i)*third, a.Y+third),
			scene.At(b.X-slope(i+1)*third, b.Y-third), b)
	}
	return curve
}
