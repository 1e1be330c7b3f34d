package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tobac/internal/must"
	_ "tobac/internal/rapidseed"
	"tobac/internal/scene"
)

// on is a point of a curve.
func on(curve []scene.Point, segment int, t float64) scene.Point {
	p, u := curve[3*segment:3*segment+4], 1-t
	w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	var q scene.Point
	for k := range w {
		q.X, q.Y = q.X+w[k]*p[k].X, q.Y+w[k]*p[k].Y
	}
	return q
}

// Of any graph: boxes and labels keep apart, arrows go from border to border of their boxes and
// through no other, downwards where there is no cycle, and nothing is outside.
func TestLayersOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "boxes")
		cyclic, labels := rapid.Bool().Draw(t, "cyclic"), rapid.Bool().Draw(t, "labels")
		s := &sketch{}
		for range n {
			s.boxes = append(s.boxes,
				scene.At(float64(rapid.IntRange(48, 170).Draw(t, "width")), nodeHeight))
		}
		for i := range n {
			for j := range i {
				if rapid.IntRange(0, 3).Draw(t, "arrow") > 0 {
					continue
				}
				a := sketchArrow{from: j, to: i, size: 1.2,
					headless: rapid.Bool().Draw(t, "headless")}
				if cyclic && rapid.Bool().Draw(t, "back") {
					a.from, a.to = i, j
				}
				if labels && rapid.Bool().Draw(t, "label") {
					a.label = 45
				}
				s.arrows = append(s.arrows, a)
			}
		}
		l := must.Get(s.arrange(t.Context()))(t)
		type frame struct{ left, top, right, bottom float64 }
		around := func(p, size scene.Point) frame {
			return frame{p.X - size.X/2, p.Y - size.Y/2, p.X + size.X/2, p.Y + size.Y/2}
		}
		var frames []frame
		for k, p := range l.boxes {
			frames = append(frames, around(p, s.boxes[k]))
		}
		for k, a := range s.arrows {
			if a.label > 0 {
				frames = append(frames, around(l.arrows[k].label, scene.At(a.label, plateHeight)))
			}
		}
		for i, a := range frames {
			if a.left < -1e-6 || a.top < -1e-6 || a.right > l.width+1e-6 ||
				a.bottom > l.height+1e-6 {
				t.Errorf("%v is outside of %g×%g", a, l.width, l.height)
			}
			for _, b := range frames[:i] {
				if a.left < b.right+besideCurve-1e-6 && b.left < a.right+besideCurve-1e-6 &&
					a.top < b.bottom && b.top < a.bottom {
					t.Errorf("%v and %v are closer than %v", a, b, besideCurve)
				}
			}
		}
		border := func(k int, p scene.Point) bool {
			f := frames[k]
			x, y := math.Min(math.Abs(p.X-f.left), math.Abs(p.X-f.right)),
				math.Min(math.Abs(p.Y-f.top), math.Abs(p.Y-f.bottom))
			return math.Min(x, y) < 1e-6 && p.X > f.left-1e-6 && p.X < f.right+1e-6 &&
				p.Y > f.top-1e-6 && p.Y < f.bottom+1e-6
		}
		for k, a := range s.arrows {
			d := l.arrows[k]
			if len(d.curve)%3 != 1 || !border(a.from, d.curve[0]) || !border(a.to, d.tip) {
				t.Fatalf("arrow %d → %d: %v to %v", a.from, a.to, d.curve, d.tip)
			}
			end := d.curve[len(d.curve)-1]
			if head := scene.Distance(end, d.tip); a.headless && head > 0 || !a.headless &&
				math.Abs(head-12) > 1e-6 {
				t.Errorf("arrow %d → %d: a head of length %v", a.from, a.to, head)
			}
			if !cyclic && d.curve[0].Y >= end.Y {
				t.Errorf("arrow %d → %d leads upwards", a.from, a.to)
			}
			for segment := range len(d.curve) / 3 {
				for step := range 21 {
					p := on(d.curve, segment, float64(step)/20)
					for v, f := range frames[:n] {
						if v != a.from && v != a.to && p.X > f.left && p.X < f.right &&
							p.Y > f.top && p.Y < f.bottom {
							t.Fatalf("arrow %d → %d passes through box %d", a.from, a.to, v)
						}
					}
				}
			}
		}
	})
}

// Trees, and graphs that have such a drawing in layers, are drawn without crossings.
func TestLayersWithoutCrossings(t *testing.T) {
	for name, arrows := range map[string][][2]int{
		"tree":    {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}, {6, 7}},
		"merging": {{3, 0}, {4, 0}, {5, 1}, {6, 1}, {0, 2}, {1, 2}},
		"ladder":  {{0, 2}, {1, 3}, {0, 3}, {2, 4}, {3, 5}, {2, 5}, {4, 6}},
		"bypass":  {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}},
	} {
		s := &sketch{}
		for range 8 {
			s.boxes = append(s.boxes, scene.At(60, nodeHeight))
		}
		for _, a := range arrows {
			s.arrows = append(s.arrows, sketchArrow{from: a[0], to: a[1], size: 1})
		}
		l := newLayering(s)
		l.order()
		if n := l.crossings(); n != 0 {
			t.Errorf("%s: %d crossings", name, n)
		}
	}
}

// A chain is a straight line, and a parent stands above the middle of its children.
func TestLayersAreUpright(t *testing.T) {
	box := scene.At(60, nodeHeight)
	s := &sketch{boxes: []scene.Point{box, box, box, box},
		arrows: []sketchArrow{{from: 0, to: 1}, {from: 1, to: 2}, {from: 1, to: 3}}}
	l := must.Get(s.arrange(t.Context()))(t)
	b := l.boxes
	if math.Abs(b[0].X-b[1].X) > 0.5 || math.Abs(b[1].X-(b[2].X+b[3].X)/2) > 0.5 ||
		math.Abs(b[2].X-b[3].X) < 80 {
		t.Errorf("boxes at %v", b)
	}
}
