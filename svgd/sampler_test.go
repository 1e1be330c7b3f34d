package svgd_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
	"tobac/schedule"
	"tobac/svgd"
)

// banana is a coupled, non-Gaussian score over the concatenation of all blocks:
// every coordinate is drawn to the square of the one before it.
//
//	log p = −½ Σ_i (v_i − ½ v_{i−1}²)² − ½ Σ_i (v_i/2)²,   v_{−1} = 0
//
// The step number enters like an annealing schedule.
func banana(dst, x []*mat.Dense, t int) error {
	n, _ := x[0].Dims()
	for r := range n {
		var v []float64
		for _, xb := range x {
			v = append(v, xb.RawRowView(r)...)
		}
		g, before := make([]float64, len(v)), 0.0
		for i := range v {
			e := v[i] - before*before/2
			g[i] -= e + v[i]/4
			if i > 0 {
				g[i-1] += e * before
			}
			before = v[i]
		}
		for _, db := range dst {
			for i := range db.RawRowView(r) {
				db.RawRowView(r)[i] = g[i] * (1 + 1/float64(t+1))
			}
			g = g[len(db.RawRowView(r)):]
		}
	}
	return nil
}

// run takes steps [from, to) and fails on any error.
func run(t *testing.T, s *svgd.Sampler, x []*mat.Dense, from, to int) {
	t.Helper()
	must.Do(t, s.Run(t.Context(), x, from, to))
}

// TestDefinition writes one step of equation (2) out for two blocks, under the
// additive kernel and plain ascent. It also shows that all blocks move from the
// old state.
func TestDefinition(t *testing.T) {
	const n, eta = 5, 0.1
	x := gaussianBlocks(1, n, 2, 3)
	old, score := clone(x), zeros(x)
	h := []float64{2, 7}
	must.Do(t, banana(score, old, 4))
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: svgd.Additive{Bandwidths: h},
		Optimizer: svgd.SGD{StepSize: eta}}
	must.Do(t, s.Step(x, 4))
	want := clone(old)
	for b, wb := range want {
		wb.Apply(func(m, i int, v float64) float64 {
			phi := 0.0
			for r := range n {
				pr, pm := particle(old, r), particle(old, m)
				k := [2]float64{math.Exp(-square(pr[0], pm[0]) / h[0]),
					math.Exp(-square(pr[1], pm[1]) / h[1])}
				phi += ((k[0]+k[1])*score[b].At(r, i) - 2/h[b]*(pr[b][i]-pm[b][i])*k[b]) / n
			}
			return v + eta*phi
		}, wb)
	}
	wantBlocksClose(t, "x", x, want, 1e-14)
}

// TestOneParticleIsGradientAscent: k = 1 and there is nobody to be repelled by.
func TestOneParticleIsGradientAscent(t *testing.T) {
	for _, kernel := range []svgd.Kernel{nil, svgd.RBF{Bandwidth: svgd.Fixed(2)}} {
		x := gaussianBlocks(2, 1, 2, 3)
		want, score := clone(x), zeros(x)
		run(t, &svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: kernel,
			Optimizer: svgd.SGD{StepSize: 0.1}}, x, 0, 25)
		for step := range 25 {
			must.Do(t, banana(score, want, step))
			for b := range want {
				score[b].Scale(0.1, mat.DenseCopyOf(score[b]))
				want[b].Add(want[b], score[b])
			}
		}
		if !sameBits(x, want) {
			t.Errorf("kernel %v: got %v, gradient ascent gives %v", kernel, x, want)
		}
	}
}

func TestSplittingIntoBlocks(t *testing.T) {
	whole := gaussianBlocks(4, 7, 6)
	split := []*mat.Dense{
		mat.DenseCopyOf(whole[0].Slice(0, 7, 0, 1)), mat.DenseCopyOf(whole[0].Slice(0, 7, 1, 4)),
		mat.DenseCopyOf(whole[0].Slice(0, 7, 4, 6)),
	}
	for _, kernel := range []svgd.Kernel{svgd.RBF{Bandwidth: svgd.Fixed(4)}, svgd.RBF{},
		svgd.Linear{}} {
		a, b := clone(whole), clone(split)
		s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: kernel}
		run(t, &s, a, 0, 30)
		run(t, &svgd.Sampler{Target: s.Target, Kernel: kernel}, b, 0, 30)
		var two, three mat.Dense
		two.Augment(b[0], b[1])
		three.Augment(&two, b[2])
		wantClose(t, "split target", &three, a[0], 1e-11)
	}
}

// TestLinearKernelMatchesGaussian checks theorem 3.1 of [2]: at a fixed point
// mean and population covariance are exactly those of the target. The target has
// a 2-vector and a scalar as blocks.
func TestLinearKernelMatchesGaussian(t *testing.T) {
	const n = 8
	mean := []float64{1, -2, 0.5}
	covariance := mat.NewSymDense(3, []float64{2, 0.6, -0.3, 0.6, 1, 0.2, -0.3, 0.2, 0.5})
	var precision mat.Dense
	must.Do(t, precision.Inverse(covariance))
	target := func(dst, x []*mat.Dense, _ int) error {
		for r := range n {
			d := mat.NewVecDense(3, []float64{x[0].At(r, 0) - mean[0], x[0].At(r, 1) - mean[1],
				x[1].At(r, 0) - mean[2]})
			var g mat.VecDense
			g.MulVec(&precision, d)
			dst[0].SetRow(r, []float64{-g.AtVec(0), -g.AtVec(1)})
			dst[1].SetRow(r, []float64{-g.AtVec(2)})
		}
		return nil
	}
	x := gaussianBlocks(5, n, 2, 1)
	run(t, &svgd.Sampler{Target: svgd.ScorerFunc(target), Kernel: svgd.Linear{},
		Optimizer: svgd.SGD{StepSize: 0.02}}, x, 0, 4000)
	var all, got mat.Dense
	all.Augment(x[0], x[1])
	for j, want := range mean {
		if m := stat.Mean(mat.Col(nil, j, &all), nil); !(math.Abs(m-want) <= 1e-12) {
			t.Errorf("mean[%d] = %v, want %v", j, m, want)
		}
	}
	var centred mat.Dense
	centred.Apply(func(_, j int, v float64) float64 { return v - mean[j] }, &all)
	got.Mul(centred.T(), &centred)
	got.Scale(1.0/n, mat.DenseCopyOf(&got))
	wantClose(t, "covariance", &got, covariance, 1e-12)
}

// TestCoincidingParticlesStay: equal particles receive equal bits and can never
// part, whatever the sums' order.
func TestCoincidingParticlesStay(t *testing.T) {
	x := gaussianBlocks(6, 7, 3, 2)
	for _, xb := range x {
		xb.SetRow(5, xb.RawRowView(1))
	}
	run(t, &svgd.Sampler{Target: svgd.ScorerFunc(banana)}, x, 0, 100)
	for b, xb := range x {
		if !mat.Equal(xb.RowView(1), xb.RowView(5)) {
			t.Errorf("block %d: particles that started together parted: %v, %v", b,
				xb.RawRowView(1), xb.RawRowView(5))
		}
	}
}

// TestShapesMayChange: one sampler serves particles of different shapes in turn.
func TestShapesMayChange(t *testing.T) {
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Optimizer: svgd.SGD{}}
	for _, x := range [][]*mat.Dense{gaussianBlocks(1, 4, 2), gaussianBlocks(1, 3, 2, 5),
		gaussianBlocks(1, 4, 2, 5)} {
		want := clone(x)
		run(t, &s, x, 0, 3)
		run(t, &svgd.Sampler{Target: s.Target, Optimizer: svgd.SGD{}}, want, 0, 3)
		if !sameBits(x, want) {
			t.Error("a used sampler and a new one differ")
		}
	}
}

func TestStats(t *testing.T) {
	const n, h = 5, 3.0
	x := gaussianBlocks(7, n, 2, 4)
	old, silent, score := clone(x), clone(x), zeros(x)
	var got svgd.Stats
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: svgd.RBF{Bandwidth: svgd.Fixed(h)}}
	run(t, &s, silent, 9, 10)
	s = svgd.Sampler{Target: s.Target, Kernel: s.Kernel, Recorder: func(stats svgd.Stats) {
		got = stats
	}}
	run(t, &s, x, 9, 10)
	if !sameBits(x, silent) {
		t.Error("the recorder changes the run")
	}
	must.Do(t, banana(score, old, 9))
	gram, repulsion := evaluate(s.Kernel.(svgd.ScalarKernel), old)
	neighbours := 0.0
	for m := range n {
		k := mat.Col(nil, m, gram)
		sum, squares := 0.0, 0.0
		for _, v := range k {
			sum, squares = sum+v, squares+v*v
		}
		neighbours += sum * sum / squares / n
	}
	if got.Step != 9 || !(math.Abs(got.Neighbours-neighbours) <= 1e-14) {
		t.Errorf("step %d, neighbours %v, want 9, %v", got.Step, got.Neighbours, neighbours)
	}
	for b := range old {
		var drive mat.Dense
		drive.Mul(gram, score[b])
		wantSlice(t, "driving", got.Driving[b:b+1],
			[]float64{mat.Norm(&drive, 2) / n / math.Sqrt(n)}, 1e-13)
		wantSlice(t, "repulsive", got.Repulsive[b:b+1],
			[]float64{mat.Norm(repulsion[b], 2) / n / math.Sqrt(n)}, 1e-13)
	}
}

func TestNeighboursLimits(t *testing.T) {
	for _, c := range []struct {
		name      string
		bandwidth svgd.Fixed
		want      float64
	}{{"apart", 1e-6, 1}, {"together", 1e12, 6}} {
		s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: svgd.RBF{Bandwidth: c.bandwidth}}
		s.Recorder = func(got svgd.Stats) {
			if !(math.Abs(got.Neighbours-c.want) <= 1e-9) {
				t.Errorf("%s: neighbours %v, want %v", c.name, got.Neighbours, c.want)
			}
		}
		run(t, &s, gaussianBlocks(8, 6, 3), 0, 1)
	}
}

// TestSteadyStateAllocatesNothing covers every kernel and optimiser, with and
// without a recorder.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	kernels := []svgd.Kernel{nil, svgd.RBF{Bandwidth: svgd.Fixed(5)}, svgd.Additive{},
		svgd.Additive{Bandwidths: []float64{5, 500}}, svgd.Linear{},
		svgd.IMQ{}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}, svgd.Sum{svgd.IMQ{}, svgd.Linear{}},
		svgd.Blocks{svgd.Grouped{Size: 1}, svgd.Grouped{Kernel: svgd.IMQ{Beta: 1}, Size: 9}},
		svgd.Blocks{svgd.Grouped{Lists: evenAndOdd(70)}, svgd.Alone{}}}
	optimizers := []svgd.Optimizer{nil, svgd.SGD{}, svgd.RMSProp{}, svgd.Adam{},
		svgd.Scheduled{Factor: schedule.Ramp{From: 1, Start: 5, End: 10}}}
	for _, recorder := range []svgd.Recorder{nil, func(svgd.Stats) {}} {
		for _, kernel := range kernels {
			for _, optimizer := range optimizers {
				s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic), Kernel: kernel,
					Optimizer: optimizer, Recorder: recorder}
				x, step := gaussianBlocks(9, 30, 70, 40), 2
				run(t, &s, x, 0, step)
				allocs := testing.AllocsPerRun(5, func() {
					must.Do(t, s.Step(x, step))
					step++
				})
				if allocs != 0 {
					t.Errorf("%T, %T, recorder %t: %v allocations per step", kernel, optimizer,
						recorder != nil, allocs)
				}
			}
		}
	}
}

// evenAndOdd are the even and the odd numbers below n.
func evenAndOdd(n int) [][]int {
	lists := make([][]int, 2)
	for k := range n {
		lists[k%2] = append(lists[k%2], k)
	}
	return lists
}
