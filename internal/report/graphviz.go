package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	graphviz "github.com/goccy/go-graphviz"

	"tobac/internal/report/internal/privatecache"
	"tobac/internal/scene"
)

func init() { privatecache.Restore() }

// Sizes that dot gets, in inches of 72 pixels.
const dotPixels = 72.0

// Labels are placed by dot as lines of digits in a font of its own, of half its height
// in width.
const (
	labelFont  = 14.0
	digitWidth = labelFont / 2
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
	label    float64 // width of the label that dot leaves room for; 0 means none
}

// A layout is where dot puts the parts of a sketch.
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

// dotting is held while the layout library works, whose state is one for the process.
var dotting sync.Mutex

// arrange lays a sketch out in layers, sources on top.
func (s *sketch) arrange(ctx context.Context) (*layout, error) {
	dotting.Lock()
	defer dotting.Unlock()
	text, err := runDot(ctx, s.language())
	if err != nil {
		return nil, fmt.Errorf("report: layout of %d variables: %w", len(s.boxes), err)
	}
	l, err := s.read(text)
	if err != nil {
		return nil, fmt.Errorf("report: layout of %d variables: %w", len(s.boxes), err)
	}
	return l, nil
}

// runDot lays out a graph. A panic of the library, which runs machine code of another
// language, is an error here.
func runDot(ctx context.Context, source []byte) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic of the layout library: %v", p)
		}
	}()
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := g.Close(); err == nil {
			err = closed
		}
	}()
	graph, err := graphviz.ParseBytes(source)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := graph.Close(); err == nil {
			err = closed
		}
	}()
	var out bytes.Buffer
	if err := g.Render(ctx, graph, "json0", &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// language is the sketch for dot. Boxes are named by their numbers, so that nothing of the
// user's reaches it.
func (s *sketch) language() []byte {
	var b bytes.Buffer
	b.WriteString("digraph {\ngraph [rankdir=TB, nodesep=0.32, ranksep=0.55];\nnode [shape=box, fixedsize=true, label=\"\"];\n")
	fmt.Fprintf(&b, "edge [fontsize=%g];\n", labelFont)
	for k, box := range s.boxes {
		fmt.Fprintf(&b, "%d [width=%.4f, height=%.4f];\n", k, box.X/dotPixels, box.Y/dotPixels)
	}
	for k, a := range s.arrows {
		fmt.Fprintf(&b, "%d -> %d [id=%d, arrowsize=%.2f", a.from, a.to, k, a.size)
		if a.headless {
			b.WriteString(", dir=none")
		}
		if a.label > 0 { // as many digits as are that wide to dot
			fmt.Fprintf(&b, ", label=\"%s\"", strings.Repeat("0", int(math.Ceil(a.label/digitWidth))))
		}
		b.WriteString("];\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// dotResult is what is read of dot's answer.
type dotResult struct {
	Box     string `json:"bb"`
	Objects []struct {
		Name     string `json:"name"`
		Position string `json:"pos"`
	} `json:"objects"`
	Edges []struct {
		ID       string `json:"id"`
		Position string `json:"pos"`
		Label    string `json:"lp"`
	} `json:"edges"`
}

// read turns dot's coordinates, whose y axis points up, into those of a scene.
func (s *sketch) read(text []byte) (*layout, error) {
	var r dotResult
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	bounds, err := numbers(r.Box, 4)
	if err != nil {
		return nil, err
	}
	l := &layout{width: bounds[2] - bounds[0], height: bounds[3] - bounds[1], boxes: make([]scene.Point, len(s.boxes)), arrows: make([]arrowLayout, len(s.arrows))}
	place := func(v []float64) scene.Point { return scene.At(v[0]-bounds[0], bounds[3]-v[1]) }
	if len(r.Objects) != len(s.boxes) || len(r.Edges) != len(s.arrows) {
		return nil, fmt.Errorf("got %d boxes and %d arrows, want %d and %d", len(r.Objects), len(r.Edges), len(s.boxes), len(s.arrows))
	}
	for _, o := range r.Objects {
		k, err := index(o.Name, len(s.boxes))
		if err != nil {
			return nil, err
		}
		v, err := numbers(o.Position, 2)
		if err != nil {
			return nil, err
		}
		l.boxes[k] = place(v)
	}
	for _, e := range r.Edges {
		k, err := index(e.ID, len(s.arrows))
		if err != nil {
			return nil, err
		}
		if l.arrows[k], err = readArrow(e.Position, e.Label, place); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// readArrow reads "e,x,y x,y x,y …": the tip of the head, where there is one, and the
// points of the curve.
func readArrow(position, label string, place func([]float64) scene.Point) (a arrowLayout, err error) {
	headed := false
	for _, field := range strings.Fields(position) {
		coordinates, isTip := strings.CutPrefix(field, "e,")
		v, err := numbers(coordinates, 2)
		if err != nil {
			return a, err
		}
		if isTip {
			a.tip, headed = place(v), true
		} else {
			a.curve = append(a.curve, place(v))
		}
	}
	if len(a.curve) < 4 || len(a.curve)%3 != 1 {
		return a, fmt.Errorf("a curve of %d points, want 4, 7, 10, …", len(a.curve))
	}
	if !headed {
		a.tip = a.curve[len(a.curve)-1]
	}
	if label != "" {
		v, err := numbers(label, 2)
		if err != nil {
			return a, err
		}
		a.label = place(v)
	}
	return a, nil
}

// numbers reads want numbers that are separated by commas.
func numbers(text string, want int) ([]float64, error) {
	fields := strings.Split(text, ",")
	if len(fields) != want {
		return nil, fmt.Errorf("coordinates %q, want %d numbers", text, want)
	}
	out := make([]float64, want)
	for k, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, fmt.Errorf("coordinates %q: %w", text, err)
		}
		out[k] = v
	}
	return out, nil
}

func index(text string, size int) (int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= size {
		return 0, fmt.Errorf("number %q, want one below %d", text, size)
	}
	return k, nil
}
