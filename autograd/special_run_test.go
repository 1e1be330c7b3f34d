package autograd_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A grid is the mapped axes of a program and how often it repeats an operation.
type grid struct {
	particles, lanes int  // sizes
	lone             bool // the lanes are the only axis
}

func (g grid) String() string {
	if g.lone {
		return fmt.Sprintf("%d particles", g.lanes)
	}
	return fmt.Sprintf("%d samples", g.lanes)
}

// grids are as many samples as there are special numbers, a few, a lone axis of particles, and
// many samples and particles, the last of which fill no whole register.
func grids() []grid {
	all := []grid{{2, specialCount, false}, {2, 8, false}, {1, specialCount, true}, {1, 70, false},
		{1, 70, true}}
	if testing.Short() {
		return all[:3]
	}
	return all
}

// needs reports whether a grid, by number, can show a fault that those before it do not.
func (m meaning) needs(grid int, roles string) bool {
	switch child := os.Getenv(specialChild) != ""; {
	case strings.Contains(roles, "k"):
		return !child && (grid == 0 || grid == 2)
	case child && m.whole:
		return grid == 1
	case m.whole:
		return grid < 2
	case child && (strings.Contains(roles, "c") || !strings.Contains(roles, "l")):
		return false // to kernels a constant is an operand that is the same in all lanes
	case child: // kernels know a few lanes and many, but not whose they are
		return grid == 1 || grid == 3
	case grid == 4: // many particles have the kernels of many samples: operands are bound alike
		return len(roles) == 1
	case len(roles) > 2: // the layouts are those of two operands
		return grid == 0 || grid == 3
	}
	return true
}

// A meaningRun is one program of a meaning: the operation on specialCount elements.
type meaningRun struct {
	meaning
	grid
	// per operand: l differs between lanes, u does not, c constant, k scalar constant
	roles   string
	numbers []float64
	inputs  []*ad.Node
	outputs []*ad.Node // value, then the gradients asked for
	wrt     []int      // operands of the gradients
	agreed  map[string]float64
	known   map[wantedKey]*wanted
}

// index of the number of operand i at an element, in round r of a particle and at a
// lane. Operands of one role take different steps, so that all pairs occur.
func (p *meaningRun) index(i, e, r, lane int) int {
	nth := 0
	for _, role := range p.roles[:i] {
		if role == rune(p.roles[i]) {
			nth++
		}
	}
	switch p.roles[i] {
	case 'l':
		e += [...]int{1, 2, 7, 11}[nth] * lane
	case 'u':
		e += [...]int{0, 1, 7, 5}[nth] * r
	default:
		e += 5 * nth
	}
	return e % len(p.numbers)
}

// A place is where an operation stands in the data: an element at a particle and a
// lane, in a round of feeds. If level, all lanes hold the same numbers.
type place struct {
	e, round, particle, lane int
	level                    bool
}

// indices of the numbers of all operands at a place.
func (p *meaningRun) indices(at place) (index [maxArity]uint8) {
	r := at.round*p.particles + at.particle
	lane := r*p.lanes + at.lane
	if at.level {
		lane = r
	}
	for i := range p.roles {
		index[i] = uint8(p.index(i, at.e, r, lane))
	}
	return index
}

// number is what an operand holds that has an index.
func (p *meaningRun) number(operand, index int) float64 {
	if v := p.numbers[index]; p.valid == nil || p.valid(operand, v) {
		return v
	}
	return p.instead
}

// A wanted is what is expected for one list of operands.
type wanted struct {
	x      []float64
	value  answer
	slopes []answer // of p.wrt
}

// want computes once what is expected of operands with these indices.
func (p *meaningRun) want(engine ad.Engine, level bool, index [maxArity]uint8) *wanted {
	if !strings.ContainsAny(p.roles, "ck") {
		engine = ad.Reference // no exceptions
	}
	key := wantedKey{engine: engine, index: index}
	if level || p.expands {
		key.lanes = p.lanes
	}
	if w := p.known[key]; w != nil {
		return w
	}
	w := &wanted{}
	for i := range p.roles {
		w.x = append(w.x, p.number(i, int(index[i])))
	}
	allow := func(operand int, a answer) answer {
		if operand >= 0 && strings.Contains(p.roles, "k") {
			a.exact = false // slopes of parts are added, which loses the sign of zero
		}
		if engine == ad.Compiled {
			a = p.withExceptions(operand, w.x, a)
		}
		return a
	}
	w.value = allow(-1, p.value(w.x))
	for _, i := range p.wrt {
		a := p.slopes[i](w.x)
		if p.roles[i] == 'u' && (p.expands || level && strings.Contains(p.roles, "l")) {
			a = a.times(p.lanes)
		}
		w.slopes = append(w.slopes, allow(i, a))
	}
	p.known[key] = w
	return w
}

// A wantedKey says what a wanted depends on: gradients that are sums over the lanes on
// their number.
type wantedKey struct {
	engine ad.Engine
	lanes  int
	index  [maxArity]uint8
}

const maxArity = 4

var slopeNames = [maxArity]string{"slope of operand 0", "slope of operand 1", "slope of operand 2",
	"slope of operand 3"}

// build makes the graph.
func (p *meaningRun) build(t *testing.T) {
	t.Helper()
	b := ad.NewBuilder(p.name)
	var loop, axis *ad.Axis
	var shared, all []*ad.Axis
	if p.lone {
		axis = b.Axis("particle", p.lanes)
		all = []*ad.Axis{axis}
	} else {
		loop, axis = b.Axis("particle", p.particles), b.Axis("sample", p.lanes)
		shared, all = []*ad.Axis{loop}, []*ad.Axis{loop, axis}
	}
	const size = specialCount
	x := make([]*ad.Node, len(p.roles))
	for i, role := range p.roles {
		name := fmt.Sprintf("x%d", i)
		switch role {
		case 'l':
			x[i] = b.Input(name, ad.Shape{size}, all...)
		case 'u':
			x[i] = b.Input(name, ad.Shape{size}, shared...)
		default:
			values := make([]float64, size)
			for e := range values {
				values[e] = p.number(i, p.index(i, e, 0, 0))
			}
			x[i] = b.Constant(values, ad.Shape{size})
		}
		if role == 'l' || role == 'u' {
			p.inputs = append(p.inputs, x[i])
		}
	}
	var y *ad.Node
	if strings.Contains(p.roles, "k") {
		y = p.eachScalar(b, axis, x)
	} else {
		y = p.meaning.build(axis, x)
	}
	p.outputs = []*ad.Node{y}
	var wrt []*ad.Node
	for i, role := range p.roles {
		if i < len(p.slopes) && p.slopes[i] != nil && (role == 'l' || role == 'u') {
			wrt, p.wrt = append(wrt, x[i]), append(p.wrt, i)
		}
	}
	if len(wrt) > 0 {
		p.outputs = append(p.outputs, b.Grad(y.Sum(), wrt...)...)
	}
	if !strings.Contains(p.roles, "l") { // what makes a program of lanes
		z := b.Input("z", ad.Shape{}, all...)
		p.inputs = append(p.inputs, z)
		p.outputs = append(p.outputs, z.Exp())
	}
	must.Do(t, b.Err())
}

// eachScalar applies the operation to each element of its own, with scalar constants.
func (p *meaningRun) eachScalar(b *ad.Builder, axis *ad.Axis, x []*ad.Node) *ad.Node {
	parts := make([]*ad.Node, specialCount)
	for e := range parts {
		z := make([]*ad.Node, len(x))
		for i, role := range p.roles {
			if z[i] = x[i].Slice(0, e, e+1); role == 'k' {
				z[i] = b.Scalar(p.number(i, p.index(i, e, 0, 0)))
			}
		}
		parts[e] = p.meaning.build(axis, z)
	}
	return ad.Concat(0, parts[0], parts[1:]...)
}

// feed fills the inputs for a round.
func (p *meaningRun) feed(round int, level bool) [][]float64 {
	var data [][]float64
	for i, role := range p.roles {
		lanes := map[rune]int{'l': p.lanes, 'u': 1}[role]
		if lanes == 0 {
			continue
		}
		var v []float64
		for particle := range p.particles {
			for lane := range lanes {
				for e := range specialCount {
					v = append(v,
						p.number(i, int(p.indices(place{e, round, particle, lane, level})[i])))
				}
			}
		}
		data = append(data, v)
	}
	if len(data) < len(p.inputs) {
		data = append(data, make([]float64, p.particles*p.lanes))
	}
	return data
}

// rounds are the numbers of feeds after which all pairs have occurred.
func (p *meaningRun) rounds(level bool) int {
	each := p.particles
	if !level && strings.Count(p.roles, "u") < 2 {
		each *= p.lanes
	}
	return (len(p.numbers) + each - 1) / each
}

// prepare makes the program on an engine.
func (p *meaningRun) prepare(t *testing.T, opt ad.Options) ad.Evaluator {
	t.Helper()
	ev := must.Get(ad.NewEvaluator(p.inputs, p.outputs, opt))(t)
	return ev
}

// run evaluates the program and compares. The gradient of an operand that is the same in
// all lanes is compared where all lanes hold the same numbers.
func (p *meaningRun) run(t *testing.T, ev ad.Evaluator, engine ad.Engine, level bool) {
	t.Helper()
	lanes := p.lanes
	if level || !strings.Contains(p.roles, "l") && !p.expands {
		lanes = 1
	}
	faults, got := 0, room(p.outputs)
	fault := func(what string, x []float64, got float64, want answer) {
		if faults++; faults <= 3 {
			t.Errorf("%s at %v, lanes that are level %v: got %v, want %v", what, x, level, got,
				want)
		}
	}
	wants := make([][specialCount]*wanted, len(p.numbers))
	for round := range p.rounds(level) {
		must.Do(t, evalSafely(ev, got, feeds(p.feed(round, level))))
		for particle := range p.particles {
			for lane := range lanes {
				for e := range specialCount {
					// Numbers come again after so many lanes.
					at := &wants[lane%len(p.numbers)][e]
					if lane < len(p.numbers) {
						*at = p.want(engine, level,
							p.indices(place{e, round, particle, lane, level}))
					}
					want := *at
					if g := got[0][p.offset(p.outputs[0], particle, lane, e)]; !p.admits("value",
						want.x, want.value, g) {
						fault("value", want.x, g, want.value)
					}
					for k, i := range p.wrt {
						if p.roles[i] == 'u' && strings.Contains(p.roles, "l") && !level {
							continue // a sum of different slopes
						}
						what := slopeNames[i]
						if g := got[1+k][p.offset(p.outputs[1+k], particle, lane, e)]; !p.admits(
							what, want.x, want.slopes[k], g) {
							fault(what, want.x, g, want.slopes[k])
						}
					}
				}
			}
		}
	}
	if faults > 3 {
		t.Errorf("%d numbers differ in all", faults)
	}
}

// evalSafely makes an error of a panic.
func evalSafely(ev ad.Evaluator, dst [][]float64, src []ad.Feed) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return ev.Eval(dst, src)
}

// offset of an element in the data of a node.
func (p *meaningRun) offset(n *ad.Node, particle, lane, e int) int {
	switch axes := len(n.Axes()); {
	case p.lone && axes == 1:
		return lane*specialCount + e
	case p.lone:
		return e
	case axes == 1:
		return particle*specialCount + e
	}
	return (particle*p.lanes+lane)*specialCount + e
}

// admits reports whether a number is wanted: one of the answer's, or without any what
// the first engine returned.
func (p *meaningRun) admits(what string, x []float64, want answer, got float64) bool {
	if len(want.numbers) > 0 {
		return want.admits(got)
	}
	key := fmt.Sprintf("%s %d %x", what, want.count, x)
	first, seen := p.agreed[key]
	if !seen {
		p.agreed[key] = got
		return true
	}
	return is(first).admits(got) || math.Abs(got-first) <= 1e-12*math.Abs(first)+specialUnderflow
}
