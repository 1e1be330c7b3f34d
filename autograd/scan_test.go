package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// loops are the ways to go through a loop forwards.
var loops = []ad.Loop{{}, {Stretch: 1}, {Stretch: 4}, {Stretch: 100}}

// mappings are the axes of what a loop goes through: none, lone particles, samples as lanes.
var mappings = [][]int{{}, {9}, {2, 8}}

// axesOf declares axes of the given sizes.
func axesOf(b *ad.Builder, sizes []int) (axes []*ad.Axis) {
	for i, n := range sizes {
		axes = append(axes, b.Axis(fmt.Sprint("a", i), n))
	}
	return axes
}

// eachParticle calls f with the part of each array that belongs to one index of the axes.
func eachParticle(sizes []int, arrays [][]float64, f func(k int, parts [][]float64)) {
	count := 1
	for _, n := range sizes {
		count *= n
	}
	for k := range count {
		parts := make([][]float64, len(arrays))
		for i, x := range arrays {
			n := len(x) / count
			parts[i] = x[k*n:][:n]
		}
		f(k, parts)
	}
}

// TestScanAutoregression: z[i] = φ·z[i−1] + x[i] with its log density, against the
// recursion in plain Go, and its derivatives against differences of that.
func TestScanAutoregression(t *testing.T) {
	const steps = 11
	rng := rand.New(rand.NewPCG(1, 1))
	recursion := func(phi, z float64, x []float64) (path []float64) {
		for _, e := range x {
			z = phi*z + e
			path = append(path, z)
		}
		return path
	}
	for _, sizes := range mappings {
		for _, loop := range loops {
			loop.Steps = steps
			t.Run(fmt.Sprint(sizes, loop.Stretch), func(t *testing.T) {
				b := ad.NewBuilder("autoregression")
				axes := axesOf(b, sizes)
				inputs := []*ad.Node{b.Input("phi", ad.Shape{}, axes...),
					b.Input("start", ad.Shape{}, axes...), b.Input("x", ad.Shape{steps}, axes...)}
				carry, ys := loop.Scan(inputs[1:2], inputs[2:],
					func(_ int, z, x []*ad.Node) (next, y []*ad.Node) {
						z = []*ad.Node{inputs[0].Mul(z[0]).Add(x[0])}
						return z, z
					})
				if !ys[0].Shape().Equal(ad.Shape{steps}) {
					t.Fatalf("got %v, want %d steps", ys[0], steps)
				}
				loss := ys[0].Square().Sum().Add(carry[0])
				outputs := append([]*ad.Node{ys[0], carry[0]}, b.Grad(loss, inputs...)...)
				at := [][]float64{normals(rng, sizeOf(inputs[0])), normals(rng, sizeOf(inputs[1])),
					normals(rng, sizeOf(inputs[2]))}
				got := runEngines(t, inputs, outputs, at, 1e-11)
				eachParticle(sizes, append(slices.Clone(at), got...), func(_ int, v [][]float64) {
					phi, start, x := v[0][0], v[1][0], v[2]
					path := recursion(phi, start, x)
					compare(t, "path", v[3], path, 1e-13)
					compare(t, "last state", v[4], path[steps-1:], 1e-13)
					value := func(path []float64) float64 { return dot(path, path) + path[steps-1] }
					for k, along := range []func(h float64) []float64{
						func(h float64) []float64 { return recursion(phi+h, start, x) },
						func(h float64) []float64 { return recursion(phi, start+h, x) },
						func(h float64) []float64 {
							moved := slices.Clone(x)
							moved[3] += h
							return recursion(phi, start, moved)
						},
					} {
						want, _ := gradtest.Derivative(func(h float64) float64 {
							return value(along(h))
						}, 0.01)
						if slope := v[5+
							k][3*(k/2)]; !(math.Abs(slope-want) <= 1e-7*max(1, math.Abs(want))) {
							t.Errorf("gradient of operand %d: got %v, want %v", k, slope, want)
						}
					}
				})
			})
		}
	}
}

// kalman is the filter of a local linear trend, level and slope with noise q, observed with
// noise r: the log likelihood of the observations and the filtered levels.
func kalman(q, r float64, observed []float64) (logLikelihood float64, levels []float64) {
	m, p := [2]float64{}, [3]float64{10, 0, 10} // symmetric
	for _, y := range observed {
		m[0] += m[1]
		p = [3]float64{p[0] + 2*p[1] + p[2] + q, p[1] + p[2], p[2] + q}
		s, e := p[0]+r, y-m[0]
		logLikelihood -= (math.Log(2*math.Pi*s) + e*e/s) / 2
		k0, k1 := p[0]/s, p[1]/s
		m[0], m[1] = m[0]+k0*e, m[1]+k1*e
		p = [3]float64{p[0] - k0*p[0], p[1] - k0*p[1], p[2] - k1*p[1]}
		levels = append(levels, m[0])
	}
	return logLikelihood, levels
}

// TestScanKalman: the filter by matrices, against the recursion in plain Go.
func TestScanKalman(t *testing.T) {
	const steps = 9
	rng := rand.New(rand.NewPCG(3, 3))
	observed := normals(rng, steps)
	for _, sizes := range mappings {
		b := ad.NewBuilder("Kalman")
		axes := axesOf(b, sizes)
		q, r := b.Input("q", ad.Shape{}, axes...), b.Input("r", ad.Shape{}, axes...)
		y := b.Constant(observed, ad.Shape{steps})
		f := b.Constant([]float64{1, 1, 0, 1}, ad.Shape{2, 2})
		h := b.Constant([]float64{1, 0}, ad.Shape{1, 2})
		one := b.Constant([]float64{1, 0, 0, 1}, ad.Shape{2, 2})
		init := []*ad.Node{b.Constant([]float64{0, 0}, ad.Shape{2, 1}), one.Scale(10), b.Scalar(0)}
		carry, levels := ad.Scan(steps, init, []*ad.Node{y},
			func(_ int, c, x []*ad.Node) (next, y []*ad.Node) {
				m, p := f.MatMul(c[0]), f.MatMul(c[1]).MatMul(f.T()).Add(one.Mul(q))
				s := h.MatMul(p).MatMul(h.T()).Add(r) // (1,1)
				e := x[0].Sub(h.MatMul(m))
				gain := p.MatMul(h.T()).Div(s)
				m = m.Add(gain.MatMul(e))
				log := s.Scale(2 * math.Pi).Log().Add(e.Square().Div(s)).Sum().Scale(-0.5)
				return []*ad.Node{m, p.Sub(gain.MatMul(h).MatMul(p)), c[2].Add(log)},
					[]*ad.Node{m.Index(0, 0).Sum()}
			})
		inputs := []*ad.Node{q, r}
		at := [][]float64{normals(rng, sizeOf(q)), normals(rng, sizeOf(r))}
		for _, x := range at {
			for i := range x {
				x[i] = 0.3 + x[i]*x[i]
			}
		}
		got := runEngines(t, inputs, append(b.Grad(carry[2], q, r), carry[2], levels[0]), at, 1e-11)
		eachParticle(sizes, append(slices.Clone(at), got...), func(_ int, v [][]float64) {
			log, want := kalman(v[0][0], v[1][0], observed)
			compare(t, "log likelihood", v[4], []float64{log}, 1e-12)
			compare(t, "levels", v[5], want, 1e-12)
			for i := range 2 {
				slope, _ := gradtest.Derivative(func(h float64) float64 {
					noise := [2]float64{v[0][0], v[1][0]}
					noise[i] += h
					l, _ := kalman(noise[0], noise[1], observed)
					return l
				}, 0.01)
				if !(math.Abs(v[2+i][0]-slope) <= 1e-7*max(1, math.Abs(slope))) {
					t.Errorf("gradient of %v: got %v, want %v", inputs[i], v[2+i][0], slope)
				}
			}
		})
	}
}

// TestScanReverse: backwards is forwards through flipped operands, with flipped results, in
// stretches or not; f sees the step that it computes.
func TestScanReverse(t *testing.T) {
	const steps = 7
	f := func(i int, c, x []*ad.Node) (next, y []*ad.Node) {
		z := c[0].Mul(x[0]).AddScalar(float64(i)).Sin()
		return []*ad.Node{z}, []*ad.Node{z, z.Outer(x[1])}
	}
	flipped := func(i int, c, x []*ad.Node) (next, y []*ad.Node) { return f(steps-1-i, c, x) }
	b := ad.NewBuilder("reverse")
	inputs := []*ad.Node{b.Input("c", ad.Shape{2}), b.Input("x", ad.Shape{steps, 2}),
		b.Input("y", ad.Shape{steps, 3})}
	rng := rand.New(rand.NewPCG(4, 4))
	at := [][]float64{normals(rng, 2), normals(rng, 2*steps), normals(rng, 3*steps)}
	outputs := func(c, y []*ad.Node) []*ad.Node {
		loss := c[0].Sum().Add(y[0].Square().Sum()).Add(y[1].Cube().Sum())
		return append(b.Grad(loss, inputs...), c[0], y[0], y[1])
	}
	c, y := ad.Scan(steps, inputs[:1], []*ad.Node{inputs[1].Flip(0), inputs[2].Flip(0)}, flipped)
	want := runEngines(t, inputs, outputs(c, []*ad.Node{y[0].Flip(0), y[1].Flip(0)}), at, 1e-12)
	for _, stretch := range []int{0, 1, 3, 7, 50} {
		c, y := ad.Loop{Steps: steps, Reverse: true, Stretch: stretch}.Scan(inputs[:1], inputs[1:],
			f)
		got := runEngines(t, inputs, outputs(c, y), at, 1e-12)
		for i := range want {
			compare(t, fmt.Sprintf("stretch %d, output %d", stretch, i), got[i], want[i], 1e-14)
		}
	}
}

// TestScanEdges: no steps, no results, no operands.
func TestScanEdges(t *testing.T) {
	b := ad.NewBuilder("edges")
	x := b.Input("x", ad.Shape{})
	double := func(_ int, c, _ []*ad.Node) (next, y []*ad.Node) {
		return []*ad.Node{c[0].Scale(2)}, nil
	}
	for steps, want := range []float64{3, 6, 12} {
		for _, stretch := range []int{0, 1} {
			c, y := ad.Loop{Steps: steps, Stretch: stretch}.Scan([]*ad.Node{x}, nil, double)
			if len(y) != 0 {
				t.Errorf("got %d results, want none", len(y))
			}
			compare(t, "state", eval(t, []*ad.Node{x}, c, [][]float64{{3}}, ad.Options{})[0],
				[]float64{want}, 0)
		}
	}
	_, y := ad.Scan(3, nil, []*ad.Node{b.Constant([]float64{1, 2, 3}, ad.Shape{3})},
		func(_ int, _, x []*ad.Node) (next, y []*ad.Node) { return nil, []*ad.Node{x[0].Square()} })
	compare(t, "no state", eval(t, nil, y, nil, ad.Options{})[0], []float64{1, 4, 9}, 0)
	defer func() {
		if recover() == nil {
			t.Error("without nodes: no panic")
		}
	}()
	ad.Scan(3, nil, nil, double)
}

// TestScanSize: programs of loops, their gradients included, grow in proportion to the
// steps, if each step reads its part of an operand and adds to a result.
func TestScanSize(t *testing.T) {
	size := func(steps, particles int) (values int) {
		b := ad.NewBuilder("size")
		p := b.Axis("particle", particles)
		w, h, x := b.Input("w", ad.Shape{}, p), b.Input("h", ad.Shape{}, p),
			b.Input("x", ad.Shape{steps}, p)
		_, ys := ad.Scan(steps, []*ad.Node{h}, []*ad.Node{x},
			func(_ int, c, x []*ad.Node) (next, y []*ad.Node) {
				z := []*ad.Node{c[0].Mul(w).Add(x[0]).Tanh()}
				return z, z
			})
		p2 := must.Get(ad.Compile([]*ad.Node{w, h, x},
			append(b.Grad(ys[0].Square().Sum(), w, h, x), ys[0])))(t)
		must.Get(fmt.Sscanf(p2.String(), `program "size": %d values`, &values))(t)
		return values
	}
	for _, particles := range []int{1, 16} {
		if one, two := size(500, particles), size(1000, particles); two > 2*one+2*500 ||
			one > 25*500 {
			t.Errorf("%d particles: got %d values for 500 steps, %d for 1000", particles, one, two)
		}
	}
}

// TestScanMemory: in stretches the gradient of a loop needs a fraction of the memory.
func TestScanMemory(t *testing.T) {
	const steps, d = 256, 40
	need := func(stretch int) int {
		b := ad.NewBuilder("memory")
		w, h, x := b.Input("w", ad.Shape{d}), b.Input("h", ad.Shape{d}),
			b.Input("x", ad.Shape{steps})
		last, _ := ad.Loop{Steps: steps, Stretch: stretch}.Scan([]*ad.Node{h}, []*ad.Node{x},
			func(_ int, c, x []*ad.Node) (next, y []*ad.Node) {
				return []*ad.Node{c[0].Mul(w).Add(x[0]).Sigmoid().Tanh()}, nil
			})
		bytes, _ := storage(t, []*ad.Node{w, h, x}, b.Grad(last[0].Sum(), w, h, x))
		return bytes
	}
	kept, again := need(0), need(16)
	t.Logf("%d bytes kept, %d in stretches", kept, again)
	if again*3 > kept {
		t.Errorf("got %d bytes, want less than a third of %d", again, kept)
	}
}

func TestScanErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(x, xs *ad.Node)
		want string
	}{
		{"dimension", func(x, xs *ad.Node) { ad.Scan(5, []*ad.Node{x}, []*ad.Node{xs}, nil) },
			"scan: xs(4,2), want leading dimension 5"},
		{"scalar", func(x, xs *ad.Node) { ad.Scan(5, []*ad.Node{x}, []*ad.Node{x.Sum()}, nil) },
			"want leading dimension 5"},
		{"negative", func(x, xs *ad.Node) { ad.Scan(-1, []*ad.Node{x}, nil, nil) },
			"scan: -1 steps"},
		{"state", func(x, xs *ad.Node) {
			ad.Scan(4, []*ad.Node{x}, []*ad.Node{xs},
				func(i int, c, x []*ad.Node) (next, y []*ad.Node) { return nil, nil })
		}, "scan: step 0: got a state of 0 nodes, want 1"},
		{"shape of the state", func(x, xs *ad.Node) {
			ad.Scan(4, []*ad.Node{x}, []*ad.Node{xs},
				func(i int, c, x []*ad.Node) (next, y []*ad.Node) {
					if i == 2 {
						return []*ad.Node{c[0].Sum()}, nil
					}
					return c, nil
				})
		}, "scan: step 2: state 0 is sum"},
		{"number of results", func(x, xs *ad.Node) {
			ad.Scan(4, []*ad.Node{x}, []*ad.Node{xs},
				func(i int, c, x []*ad.Node) (next, y []*ad.Node) {
					return c, [][]*ad.Node{nil, c}[min(i, 1)]
				})
		}, "scan: step 1: got 1 results, want 0 as in the first step"},
		{"shape of a result", func(x, xs *ad.Node) {
			ad.Loop{Steps: 4, Stretch: 1}.Scan([]*ad.Node{x}, []*ad.Node{xs},
				func(i int, c, x []*ad.Node) (next, y []*ad.Node) {
					if i == 3 {
						return c, []*ad.Node{c[0].Sum()}
					}
					return c, c
				})
		}, "scan: step 3: result 0 is sum"},
		{"failure within", func(x, xs *ad.Node) {
			ad.Scan(4, []*ad.Node{x}, []*ad.Node{xs}, func(i int, c, x []*ad.Node) (next,
				y []*ad.Node) {
				return []*ad.Node{c[0].Reshape(ad.Shape{9})}, nil
			})
		}, "reshape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("errors")
			tt.do(b.Input("x", ad.Shape{2}), b.Input("xs", ad.Shape{4, 2}))
			if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// A balance that earns interest and receives a payment at the end of each year, and what it
// gains from a higher rate.
func ExampleScan() {
	b := ad.NewBuilder("balance")
	rate, payments := b.Input("rate", ad.Shape{}), b.Input("payments", ad.Shape{3})
	last, years := ad.Scan(3, []*ad.Node{b.Scalar(100)}, []*ad.Node{payments},
		func(_ int, c, x []*ad.Node) (next, y []*ad.Node) {
			balance := c[0].Mul(rate.AddScalar(1)).Add(x[0])
			return []*ad.Node{balance}, []*ad.Node{balance}
		})
	got := run([]*ad.Node{rate, payments}, []*ad.Node{years[0], b.Grad(last[0], rate)[0]},
		[]float64{0.1}, []float64{10, 20, 30})
	fmt.Printf("balances %.1f, derivative by the rate %.1f\n", got[0], got[1])
	// Output: balances [120.0 152.0 197.2], derivative by the rate [405.0]
}

// The value of payments that are due in three years, discounted year by year from the last
// one on.
func ExampleLoop() {
	b := ad.NewBuilder("discounted")
	factor, payments := b.Input("factor", ad.Shape{}), b.Input("payments", ad.Shape{3})
	backwards := ad.Loop{Steps: 3, Reverse: true}
	_, values := backwards.Scan([]*ad.Node{b.Scalar(0)}, []*ad.Node{payments},
		func(_ int, c, x []*ad.Node) (next, y []*ad.Node) {
			value := c[0].Add(x[0]).Mul(factor)
			return []*ad.Node{value}, []*ad.Node{value}
		})
	got := run([]*ad.Node{factor, payments}, values, []float64{0.5}, []float64{8, 16, 32})
	fmt.Printf("values at the start of each year: %.0f\n", got[0])
	// Output: values at the start of each year: [12 16 16]
}
