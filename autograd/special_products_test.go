package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A reduction over lanes, with its definition for the numbers of all lanes.
type laneReduction struct {
	name    string
	build   func(x *ad.Node, lanes *ad.Axis) *ad.Node
	neutral float64 // what the other lanes hold
	value   func(x []float64) answer
	slope   func(x []float64, i int) answer
}

func laneReductions() []laneReduction {
	// Only two lanes hold special numbers, so that the order of the sum says nothing.
	total := func(x []float64) float64 { return sum(x) }
	scale := func(x []float64) float64 { return min(math.MaxFloat64, largest(x)) }
	return []laneReduction{
		{"sum", (*ad.Node).SumOver, 0,
			func(x []float64) answer {
				return answer{numbers: []float64{total(x)}, scale: scale(x)}
			},
			func([]float64, int) answer { return is(1) }},
		{"sum of small numbers", (*ad.Node).SumOver, 0.125,
			func(x []float64) answer {
				return answer{numbers: []float64{total(x)}, scale: scale(x)}
			},
			func([]float64, int) answer { return is(1) }},
		{"mean", (*ad.Node).MeanOver, 0,
			func(x []float64) answer {
				return answer{numbers: []float64{total(x) * (1 / float64(len(x)))}, scale: scale(x)}
			},
			func(x []float64, _ int) answer { return is(1 / float64(len(x))) }},
		{"log-sum-exp", (*ad.Node).LogSumExpOver, math.Inf(-1), func(x []float64) answer {
			return is(plainLogSumExp(x))
		}, weightOf},
		{"log-sum-exp of ordinary numbers", (*ad.Node).LogSumExpOver, 0.25,
			func(x []float64) answer { return is(plainLogSumExp(x)) }, weightOf},
		{"log-mean-exp", (*ad.Node).LogMeanExpOver, 0.25, func(x []float64) answer {
			shift := math.Log(float64(len(x)))
			return answer{numbers: []float64{plainLogSumExp(x) - shift}, scale: shift}
		}, weightOf},
	}
}

// testLaneReductions puts every pair of special numbers into two lanes, wherever they
// are, and compares the reduction and its gradient.
func testLaneReductions(t *testing.T) {
	for _, c := range append(laneReductions(), extremesOverLanes()...) {
		for _, size := range []int{2, 8, 24, 128} {
			if testing.Short() && size > 24 {
				continue
			}
			for _, lone := range []bool{false, true} {
				b := ad.NewBuilder(c.name)
				particles, name := 1, "particles"
				var axes []*ad.Axis
				if !lone {
					particles, name = 2, "samples"
					axes = append(axes, b.Axis("particle", particles))
				}
				lanes := b.Axis("lane", size)
				x := b.Input("x", ad.Shape{specialCount}, append(axes, lanes)...)
				y := c.build(x, lanes)
				r := &reductionRun{laneReduction: c, particles: particles, size: size,
					inputs: nodes(x), outputs: append(nodes(y), b.Grad(y.Sum(), x)...)}
				for _, w := range []way{{"reference", ad.Options{Engine: ad.Reference}},
					{"by value", ad.Options{Without: ad.ElementSchedule}},
					{"lanes", ad.Options{}}} {
					if w.name != "lanes" && size > 24 || w.name == "reference" &&
						os.Getenv(specialChild) != "" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d %s/%s", c.name, size, name, w.name),
						func(t *testing.T) { r.run(t, w.opt) })
				}
			}
		}
	}
}

// A reductionRun is one program of a reduction.
type reductionRun struct {
	laneReduction
	particles, size int
	inputs, outputs []*ad.Node
}

// lanes are the numbers of all lanes for an element of a particle in a round: two
// special ones at places that move.
func (r *reductionRun) lanes(round, particle, e int) []float64 {
	x := make([]float64, r.size)
	for i := range x {
		x[i] = r.neutral
	}
	k := round*r.particles + particle
	first := (e + 3*k) % r.size
	second := (first + 1 + (5*e+k)%(r.size-1)) % r.size
	x[first], x[second] = specials[e], specials[(e+k)%specialCount]
	return x
}

// rounds are the numbers of feeds after which all pairs have occurred; of many lanes some do,
// whose pairs fewer lanes have had.
func (r *reductionRun) rounds() int {
	if r.size > specialCount {
		return 4 / r.particles
	}
	return specialCount / r.particles
}

func (r *reductionRun) run(t *testing.T, opt ad.Options) {
	t.Helper()
	ev := must.Get(ad.NewEvaluator(r.inputs, r.outputs, opt))(t)
	defer ev.Close()
	faults, got := 0, room(r.outputs)
	fault := func(what string, x []float64, got float64, want answer) {
		if faults++; faults <= 3 {
			t.Errorf("%s at %v: got %v, want %v", what, x, got, want)
		}
	}
	data := make([]float64, r.particles*r.size*specialCount)
	for round := range r.rounds() {
		for particle := range r.particles {
			for e := range specialCount {
				for i, v := range r.lanes(round, particle, e) {
					data[(particle*r.size+i)*specialCount+e] = v
				}
			}
		}
		must.Do(t, evalSafely(ev, got, feeds([][]float64{data})))
		for particle := range r.particles {
			for e := range specialCount {
				x := r.lanes(round, particle, e)
				if g, want := got[0][particle*specialCount+e], r.value(x); !want.admits(g) {
					fault("value", x, g, want)
				}
				for i := range x {
					if g, want := got[1][(particle*r.size+i)*specialCount+e],
						r.slope(x, i); !want.admits(g) {
						fault(fmt.Sprintf("slope of lane %d", i), x, g, want)
					}
				}
			}
		}
	}
	if faults > 3 {
		t.Errorf("%d numbers differ in all", faults)
	}
}

// moderate are the special numbers whose sums of products do not depend on the order:
// nothing overflows.
var moderate = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	5e-324, 1e-300, 0.5, -2, 3}

// testMatrixProducts multiplies matrices of ordinary and a few special numbers, in the
// sizes that the compiler has tiles and blocks for, and reads the products by what it
// joins with them.
func testMatrixProducts(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(y, bias *ad.Node) *ad.Node
		want func(y [][]float64, scale [][]float64, bias []float64) [][]answer
	}{
		{"product", func(y, _ *ad.Node) *ad.Node {
			return y
		}, eachProduct(func(y, _ float64) float64 { return y })},
		{"product and bias", func(y, bias *ad.Node) *ad.Node {
			return y.Add(bias)
		}, eachProduct(func(y, b float64) float64 { return y + b })},
		{"positive part", func(y, bias *ad.Node) *ad.Node { return y.Add(bias).Relu() },
			eachProduct(func(y, b float64) float64 { return max(y+b, 0) })},
		{"negative", func(y, _ *ad.Node) *ad.Node {
			return y.Neg()
		}, eachProduct(func(y, _ float64) float64 { return -y })},
		{"reciprocal of the positive part", func(y, _ *ad.Node) *ad.Node {
			return y.Relu().AddScalar(1).Inverse()
		},
			eachProduct(func(y, _ float64) float64 { return 1 / (max(y, 0) + 1) })},
		{"sums of squares", func(y, _ *ad.Node) *ad.Node {
			return y.Square().Sum(0).Reshape(ad.Shape{1, y.Shape()[1]})
		}, squaresOfProducts},
	} {
		for _, roles := range []string{"ul", "lu", "ll", "uu", "cl"} {
			for seed := range uint64(3) {
				p := newProductRun(roles, seed, tt.then)
				for _, w := range []way{{"reference", ad.Options{Engine: ad.Reference}},
					{"by value", ad.Options{Without: ad.ElementSchedule}},
					{"lanes", ad.Options{}}} {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", tt.name, roles, seed, w.name),
						func(t *testing.T) { p.run(t, w.opt, tt.want) })
				}
			}
		}
	}
}

// eachProduct applies a function to every element of a product and its row's bias.
func eachProduct(f func(y, bias float64) float64) func(y, scale [][]float64,
	bias []float64) [][]answer {
	return func(y, scale [][]float64, bias []float64) [][]answer {
		all := make([][]answer, len(y))
		for i, row := range y {
			for j, v := range row {
				all[i] = append(all[i], answer{numbers: []float64{f(v, bias[i])},
					scale: largest([]float64{scale[i][j], math.Abs(f(0, bias[i]))})})
			}
		}
		return all
	}
}

func squaresOfProducts(y, scale [][]float64, _ []float64) [][]answer {
	row := make([]answer, len(y[0]))
	for j := range row {
		total, size := 0.0, 0.0
		for i := range y {
			total += y[i][j] * y[i][j]
			size += scale[i][j] * scale[i][j]
		}
		row[j] = answer{numbers: []float64{total}, scale: size}
	}
	return [][]answer{row}
}

// A productRun is a product of a 5×3 with a 3×6 matrix for 2 particles and 13 samples.
type productRun struct {
	roles   string
	inputs  []*ad.Node
	output  *ad.Node
	data    [][]float64
	a, b    []float64 // of all particles and samples, where they differ
	bias    []float64
	samples int
}

const leftRows, innerSize, rightColumns, runParticles, runSamples = 5, 3, 6, 2, 13

func newProductRun(roles string, seed uint64, then func(y, bias *ad.Node) *ad.Node) *productRun {
	rng := rand.New(rand.NewPCG(seed, 31))
	b := ad.NewBuilder("product")
	particle, sample := b.Axis("particle", runParticles), b.Axis("sample", runSamples)
	p := &productRun{roles: roles, samples: runSamples}
	some := func(n int) []float64 {
		x := normals(rng, n)
		for i := range x {
			if rng.IntN(8) == 0 {
				x[i] = moderate[rng.IntN(len(moderate))]
			}
		}
		return x
	}
	operand := func(name string, role byte, shape ad.Shape) (*ad.Node, []float64) {
		switch role {
		case 'c': // without zeros, which would be structural
			x := normals(rng, shape.Len())
			x[rng.IntN(len(x))], x[rng.IntN(len(x))] = math.Inf(1), math.NaN()
			return b.Constant(x, shape), x
		case 'u':
			x := some(runParticles * shape.Len())
			n := b.Input(name, shape, particle)
			p.inputs, p.data = append(p.inputs, n), append(p.data, x)
			return n, x
		}
		x := some(runParticles * runSamples * shape.Len())
		n := b.Input(name, shape, particle, sample)
		p.inputs, p.data = append(p.inputs, n), append(p.data, x)
		return n, x
	}
	left, a := operand("a", roles[0], ad.Shape{leftRows, innerSize})
	right, c := operand("b", roles[1], ad.Shape{innerSize, rightColumns})
	bias, d := operand("bias", 'u', ad.Shape{leftRows, 1})
	p.a, p.b, p.bias = a, c, d
	p.output = then(left.MatMul(right), bias).ExpandOver(sample)
	p.inputs, p.data = append(p.inputs[:len(p.inputs):len(p.inputs)],
		b.Input("z", ad.Shape{}, particle, sample)),
		append(p.data, make([]float64, runParticles*runSamples))
	return p
}

func (p *productRun) run(t *testing.T, opt ad.Options,
	want func(y, scale [][]float64, bias []float64) [][]answer) {
	t.Helper()
	got := eval(t, p.inputs, nodes(p.output), p.data, opt)[0]
	size := p.output.Shape().Len()
	for particle := range runParticles {
		for sample := range runSamples {
			lane := particle*runSamples + sample
			part := func(x []float64, role byte, n int) []float64 {
				return x[map[byte]int{'c': 0, 'u': particle, 'l': lane}[role]*n:][:n]
			}
			a := part(p.a, p.roles[0], leftRows*innerSize)
			b := part(p.b, p.roles[1], innerSize*rightColumns)
			y, scale := make([][]float64, leftRows), make([][]float64, leftRows)
			for i := range y {
				y[i], scale[i] = make([]float64, rightColumns), make([]float64, rightColumns)
				for j := range y[i] {
					for l := range innerSize {
						term := a[i*innerSize+l] * b[l*rightColumns+j]
						y[i][j] += term
						scale[i][j] = min(scale[i][j]+math.Abs(term), 1e100)
					}
				}
			}
			k := lane * size
			for i, row := range want(y, scale, part(p.bias, 'u', leftRows)) {
				for j, w := range row {
					if !w.admits(got[k]) {
						t.Errorf("particle %d, sample %d, element (%d,%d): got %v, want %v of %v "+
							"times %v", particle, sample, i, j, got[k], w, a, b)
						return
					}
					k++
				}
			}
		}
	}
}
