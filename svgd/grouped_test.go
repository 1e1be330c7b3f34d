package svgd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/svgd"
)

// apply calls a kernel on memory full of ones, which it must overwrite.
func apply(k svgd.Kernel, score, x []*mat.Dense, work *svgd.Work) (driving, repulsive []*mat.Dense,
	neighbours float64) {
	driving, repulsive = zeros(x), zeros(x)
	for b := range x {
		one := func(int, int, float64) float64 { return 1 }
		driving[b].Apply(one, driving[b])
		repulsive[b].Apply(one, repulsive[b])
	}
	neighbours = k.Apply(driving, repulsive, score, x, work)
	return driving, repulsive, neighbours
}

// A scalar kernel carries scores by its Gram matrix.
func TestApplyIsTheGramMatrixTimesTheScores(t *testing.T) {
	x, score := gaussianBlocks(3, 7, 4, 5), gaussianBlocks(4, 7, 4, 5)
	for _, k := range []svgd.ScalarKernel{svgd.RBF{Bandwidth: svgd.Fixed(3)}, svgd.IMQ{},
		svgd.Additive{}, svgd.Linear{}} {
		gram, repulsion := evaluate(k, x)
		driving, repulsive, _ := apply(k, score, x, new(svgd.Work))
		for b := range x {
			var want mat.Dense
			want.Mul(gram, score[b])
			wantClose(t, "driving", driving[b], &want, 1e-13)
			wantClose(t, "repulsive", repulsive[b], repulsion[b], 0)
		}
	}
}

// alone is what the particles receive if every group is a sampler's only block, by the definition:
// group by group with a copy of its coordinates.
func alone(kernels []svgd.Kernel, groups [][]int,
	score, x *mat.Dense) (driving, repulsive *mat.Dense, neighbours float64) {
	n, p := x.Dims()
	driving, repulsive = mat.NewDense(n, p, nil), mat.NewDense(n, p, nil)
	for g, list := range groups {
		own, ownScore := mat.NewDense(n, len(list), nil), mat.NewDense(n, len(list), nil)
		for k, c := range list {
			own.SetCol(k, mat.Col(nil, c, x))
			ownScore.SetCol(k, mat.Col(nil, c, score))
		}
		d, r, count := apply(kernels[g], []*mat.Dense{ownScore}, []*mat.Dense{own}, new(svgd.Work))
		for k, c := range list {
			driving.SetCol(c, mat.Col(nil, k, d[0]))
			repulsive.SetCol(c, mat.Col(nil, k, r[0]))
		}
		neighbours += count
	}
	return driving, repulsive, neighbours / float64(len(groups))
}

// repeat is a kernel for each of n groups.
func repeat(k svgd.Kernel, n int) []svgd.Kernel { return slices.Repeat([]svgd.Kernel{k}, n) }

// Each group of coordinates moves as it does alone, whatever its neighbours are: groups of one
// size, listed ones and single coordinates, whose own code is compared with the general one;
// particles may coincide, and a second call reuses memory after the particles have moved.
func TestGroupsMoveAlone(t *testing.T) {
	base := []svgd.Kernel{svgd.RBF{}, svgd.IMQ{}, svgd.RBF{Bandwidth: svgd.Median{}},
		svgd.RBF{Bandwidth: svgd.Fixed(0.3)}, svgd.IMQ{C: 0.7, Beta: 0.8, Bandwidth: svgd.Fixed(2)},
		svgd.IMQ{Bandwidth: mean{}}, svgd.Linear{}}
	rapid.Check(t, func(rt *rapid.T) {
		n, p := rapid.IntRange(1, 12).Draw(rt, "particles"),
			rapid.SampledFrom([]int{1, 2, 5, 9, 16, 300}).Draw(rt, "coordinates")
		seed, kernel := rapid.Uint64().Draw(rt, "seed"), rapid.SampledFrom(base).Draw(rt, "kernel")
		rng := rand.New(rand.NewPCG(seed, 1))
		size := rapid.IntRange(0, 4).Draw(rt, "size")
		grouped := svgd.Grouped{Kernel: kernel, Size: size}
		var groups [][]int
		if rapid.Bool().Draw(rt, "listed") {
			all := rng.Perm(p)
			for len(all) > 0 {
				k := 1 + rng.IntN(len(all))
				groups, all = append(groups, all[:k]), all[k:]
			}
			grouped.Size, grouped.Lists = 0, groups
		} else {
			if size == 0 {
				size = p
			}
			for from := 0; from < p; from += size {
				var list []int
				for c := from; c < min(from+size, p); c++ {
					list = append(list, c)
				}
				groups = append(groups, list)
			}
		}
		work := new(svgd.Work)
		for call := range uint64(3) {
			x, score := gaussianBlocks(seed+call/2, n, p), gaussianBlocks(seed+7, n, p)
			if rapid.Bool().Draw(rt, "equal") && n > 2 {
				x[0].SetRow(2, x[0].RawRowView(0))
			}
			driving, repulsive, neighbours := apply(grouped, score, x, work)
			d, r, count := alone(repeat(kernel, len(groups)), groups, score[0], x[0])
			wantClose(t, "driving", driving[0], d, 1e-12)
			wantClose(t, "repulsive", repulsive[0], r, 1e-11)
			if !(math.Abs(neighbours-count) <= 1e-12*float64(n)) {
				t.Errorf("%+v: %v neighbours, want %v", grouped, neighbours, count)
			}
			if t.Failed() {
				rt.Fatalf("%+v of %d particles of %d coordinates", grouped, n, p)
			}
		}
	})
}

// mean is a bandwidth rule of one's own: the mean squared distance.
type mean struct{}

func (mean) Bandwidth(sq *mat.Dense) float64 {
	n, _ := sq.Dims()
	sum := 1e-3
	for r := range n {
		for _, v := range sq.RawRowView(r)[:r] {
			sum += v
		}
	}
	return sum / float64(max(n*(n-1)/2, 1))
}

// The bandwidths of single coordinates are those of Median to the bit, with ties, whatever was
// found before.
func TestMedianOfCoordinates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, p := rapid.IntRange(1, 40).Draw(rt, "particles"), 3
		work := new(svgd.Work)
		for range 4 {
			x := mat.NewDense(n, p, nil)
			x.Apply(func(int, int, float64) float64 {
				if rapid.Bool().Draw(rt, "tie") {
					return float64(rapid.IntRange(-2, 2).Draw(rt, "value"))
				}
				return rapid.Float64Range(-3, 3).Draw(rt, "value")
			}, x)
			score := mat.NewDense(n, p, nil)
			fixed := svgd.Blocks{}
			var cut []*mat.Dense
			for c := range p {
				own := mat.NewDense(n, 1, mat.Col(nil, c, x))
				sq := mat.NewDense(n, n, nil)
				sq.Apply(func(i, j int, _ float64) float64 {
					return (own.At(i, 0) - own.At(j, 0)) * (own.At(i, 0) - own.At(j, 0))
				}, sq)
				fixed = append(fixed,
					svgd.Grouped{Kernel: svgd.IMQ{Bandwidth: svgd.Fixed(
						svgd.Median{}.Bandwidth(sq))}, Size: 1})
				cut = append(cut, own)
			}
			_, got, _ := apply(svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}, []*mat.Dense{score},
				[]*mat.Dense{x}, work)
			_, want, _ := apply(fixed, zeros(cut), cut, new(svgd.Work))
			for c := range p {
				for m := range n {
					if g, w := got[0].At(m, c), want[c].At(m, 0); g != w {
						rt.Fatalf("coordinate %d, particle %d: %v, want %v\n%v", c, m, g, w,
							mat.Formatted(x))
					}
				}
			}
		}
	})
}

// Particles at one place receive the same bits from kernels of single coordinates too.
func TestEqualParticlesStayTogetherByCoordinates(t *testing.T) {
	for n := 3; n < 14; n++ {
		x, score := gaussianBlocks(uint64(n), n, 21), gaussianBlocks(uint64(n+1), n, 21)
		x[0].SetRow(n-1, x[0].RawRowView(1))
		for _, k := range []svgd.Kernel{svgd.RBF{}, svgd.IMQ{Beta: 0.9}} {
			driving, repulsive,
				_ := apply(svgd.Grouped{Kernel: k, Size: 1}, score, x, new(svgd.Work))
			for c := range 21 {
				if driving[0].At(1, c) != driving[0].At(n-1, c) ||
					repulsive[0].At(1, c) != repulsive[0].At(n-1, c) {
					t.Fatalf("%+v: equal particles among %d receive different numbers at "+
						"coordinate %d", k, n, c)
				}
			}
		}
	}
}

// Every block moves as it does alone under its kernel, and one without coupling follows its score.
func TestBlocks(t *testing.T) {
	x, score := gaussianBlocks(7, 6, 5, 4, 3), gaussianBlocks(8, 6, 5, 4, 3)
	kernels := svgd.Blocks{svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}, svgd.Alone{}, nil}
	d, r, n := apply(kernels, score, x, new(svgd.Work))
	d0, r0, n0 := apply(kernels[0], score[:1], x[:1], new(svgd.Work))
	d2, r2, n2 := apply(svgd.RBF{}, score[2:], x[2:], new(svgd.Work))
	six := mat.NewDense(6, 4, nil)
	six.Scale(6, score[1])
	if !sameBits(d, []*mat.Dense{d0[0], six, d2[0]}) ||
		!sameBits(r, []*mat.Dense{r0[0], mat.NewDense(6, 4, nil), r2[0]}) || n != (n0+n2)/2 {
		t.Error("a block differs from its kernel")
	}
	moved := clone(x)
	s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic), Kernel: svgd.Alone{},
		Optimizer: svgd.SGD{StepSize: 0.25}}
	must.Do(t, s.Step(moved, 0))
	for b, xb := range x {
		var want mat.Dense
		want.Scale(0.75, xb)
		wantClose(t, "gradient ascent", moved[b], &want, 1e-15)
	}
}

// A sum of kernels gives the sum of what they give.
func TestSum(t *testing.T) {
	x, score := gaussianBlocks(3, 7, 4, 2), gaussianBlocks(4, 7, 4, 2)
	kernels := svgd.Sum{svgd.IMQ{}, svgd.Linear{}, svgd.Grouped{Size: 1}}
	work := new(svgd.Work)
	for range 2 {
		d, r, n := apply(kernels, score, x, work)
		wantD, wantR, wantN := zeros(x), zeros(x), 0.0
		for _, k := range kernels {
			kd, kr, kn := apply(k, score, x, new(svgd.Work))
			for b := range x {
				wantD[b].Add(wantD[b], kd[b])
				wantR[b].Add(wantR[b], kr[b])
			}
			wantN += kn / 3
		}
		wantBlocksClose(t, "driving", d, wantD, 1e-14)
		wantBlocksClose(t, "repulsive", r, wantR, 1e-14)
		if !(math.Abs(n-wantN) <= 1e-12) {
			t.Errorf("%v neighbours, want %v", n, wantN)
		}
	}
	wantPanic(t, "svgd: sum of no kernels", func() { apply(svgd.Sum{}, score, x, work) })
}

func TestGroupedPanics(t *testing.T) {
	x := gaussianBlocks(9, 4, 3)
	for want, k := range map[string]svgd.Kernel{
		"svgd: 2 kernels for 1 blocks": svgd.Blocks{nil, nil},
		"svgd: groups of -1 coordinates and 0 lists of " +
			"them, want one of the two": svgd.Grouped{Size: -1},
		"svgd: groups of 1 coordinates and 1 lists of " +
			"them, want one of the two": svgd.Grouped{Size: 1, Lists: [][]int{{0}}},
		"svgd: group 1 has coordinate 0 of 3, which does not " +
			"exist or is in a group already": svgd.Grouped{Lists: [][]int{{0, 1}, {0, 2}}},
		"svgd: group 0 has coordinate 3 of 3, which does not " +
			"exist or is in a group already": svgd.Grouped{Lists: [][]int{{3}}},
		"svgd: group 0 has no coordinates": svgd.Grouped{Lists: [][]int{{}}},
		"svgd: groups of 2 coordinates, " +
			"the block has 3": svgd.Grouped{Lists: [][]int{{0, 2}}},
		"svgd: c of an inverse multiquadric " +
			"-1 is not positive": svgd.IMQ{C: -1},
		"svgd: bandwidth -1 is not positive": svgd.Grouped{Kernel: svgd.IMQ{Bandwidth: svgd.Fixed(
			-1)}, Size: 1},
	} {
		wantPanic(t, want, func() { apply(k, x, x, new(svgd.Work)) })
	}
	two := gaussianBlocks(9, 4, 3, 2)
	wantPanic(t, "svgd: lists of coordinates for 2 blocks, want one block; Blocks has a kernel "+
		"for each", func() { apply(svgd.Grouped{Lists: [][]int{{0}}}, two, two, new(svgd.Work)) })
}
