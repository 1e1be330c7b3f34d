package nodescore_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// curve has n rows of x and y = 2 sin(2x) + ε, ε ~ N(0, 0.09), in units of their own.
func curve(n int, rng *rand.Rand) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for r := range n {
		v := 3*rng.Float64() - 1.5
		x.Set(r, 0, 100+10*v)
		x.Set(r, 1, 5+2*math.Sin(2*v)+0.3*rng.NormFloat64())
	}
	return x
}

// The draws of a function have the mean and the standard deviation of the Gaussian processes,
// averaged over the amplitudes, computed with dense matrices.
func TestFunctionsFollowTheProcess(t *testing.T) {
	const n, variance = 40, 0.09
	for _, opt := range []nodescore.GPOptions{{Unit: 1}, {}, {Scale: score.OneUnit},
		{Scale: score.Raw}} {
		rng := rand.New(rand.NewPCG(3, 1))
		x := curve(n, rng)
		if opt.Scale == score.Raw { // 0 is in the midst of the column
			for r := range n {
				x.Set(r, 0, x.At(r, 0)-100)
			}
		}
		checkProcess(t, x, opt, variance, rng)
	}
}

func checkProcess(t *testing.T, x *mat.Dense, opt nodescore.GPOptions, variance float64,
	rng *rand.Rand) {
	t.Helper()
	const n = 40
	g := must.Get(nodescore.NewGP(x, nil, opt))(t)
	// By hand: the centred kernel of the column, standardised or divided by the unit, and y less
	// its mean.
	u, y := mat.Col(nil, 0, x), mat.Col(nil, 1, x)
	unit := opt.Unit
	if unit == 0 {
		unit = math.Sqrt(stat.StdDev(u, nil) * stat.StdDev(y, nil))
	}
	mean := floats.Sum(y) / n
	floats.AddConst(-mean, y)
	m, sd := stat.MeanStdDev(u, nil)
	if opt.Scale != score.Standardised {
		sd = unit
	}
	if opt.Scale == score.Raw {
		m = 0
	}
	floats.AddConst(-m, u)
	floats.Scale(1/sd, u)
	k := mat.NewDense(n, n, nil)
	for a := range n {
		for b := range n {
			la, lb, dot := math.Sqrt(1+u[a]*u[a]), math.Sqrt(1+u[b]*u[b]), 1+u[a]*u[b]
			angle := math.Acos(math.Min(1, dot/(la*lb)))
			k.Set(a, b, la*lb*(math.Sin(angle)+(math.Pi-angle)*math.Cos(angle))/(2*math.Pi))
		}
	}
	h := mat.NewDense(n, n, nil)
	for a := range n {
		for b := range n {
			h.Set(a, b, -1./n)
		}
		h.Set(a, a, 1-1./n)
	}
	k.Product(h, k, h)
	vector := mat.NewVecDense(n, y)
	var logs []float64
	var means, variances [][]float64
	for _, a := range amplitudesOf(opt) {
		c := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				c.SetSym(i, j, 5*a*unit*unit*k.At(i, j))
			}
			c.SetSym(i, i, c.At(i, i)+variance)
		}
		var chol mat.Cholesky
		if !chol.Factorize(c) {
			t.Fatal("no covariance")
		}
		var solved mat.VecDense
		must.Do(t, chol.SolveVecTo(&solved, vector))
		logs = append(logs, -0.5*(chol.LogDet()+mat.Dot(&solved, vector)))
		var inverse mat.SymDense
		must.Do(t, chol.InverseTo(&inverse))
		own, spread := make([]float64, n), make([]float64, n)
		for i := range n {
			// y = f + ε: f's mean is y − v C⁻¹y, its variance v − v² (C⁻¹)_ii.
			own[i] = y[i] - variance*solved.AtVec(i)
			spread[i] = variance - variance*variance*inverse.At(i, i) + variance/(n+1)
		}
		means, variances = append(means, own), append(variances, spread)
	}
	total := floats.LogSumExp(logs)

	const draws = 600
	scorer := g.At(variance)
	values := make([][]float64, draws)
	for d := range draws {
		f := scorer.Function(1, []int{0}, rng)
		if f.NoiseVariance != variance {
			t.Fatalf("noise variance %v", f.NoiseVariance)
		}
		values[d] = make([]float64, n)
		f.Mean(values[d], [][]float64{mat.Col(nil, 0, x)})
	}
	for i := range n {
		want, second := 0.0, 0.0
		for a := range logs {
			w := math.Exp(logs[a] - total)
			want += w * means[a][i]
			second += w * (variances[a][i] + means[a][i]*means[a][i])
		}
		sd := math.Sqrt(second - want*want)
		got, squares := 0.0, 0.0
		for _, v := range values {
			got += v[i] / draws
			squares += v[i] * v[i] / draws
		}
		// A hundred features in the place of the process: a fifth of a standard deviation (the mean
		// of 600 draws alone has a standard error of 1/24 of one), and a quarter of its size.
		if !(math.Abs(got-mean-want) <= 0.35*sd) ||
			!(math.Abs(math.Log(math.Sqrt(squares-got*got)/sd)) <= 0.25) {
			t.Errorf("%+v, row %d: f is %.3f ± %.3f, of the process %.3f ± %.3f", opt, i, got-mean,
				math.Sqrt(squares-got*got), want, sd)
		}
	}
}

// The functions of a variable without parents are its mean, and noise variances that are not given
// are drawn about those of the data; units change nothing but themselves.
func TestFunctionsOfOwnVariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x := curve(150, rng)
	moved := mat.DenseCopyOf(x)
	moved.Apply(func(_, j int, v float64) float64 { return []float64{0.001, 1000}[j]*v - 7 }, moved)
	g := must.Get(nodescore.NewGP(x, nil, nodescore.GPOptions{}))(t)
	other := must.Get(nodescore.NewGP(moved, nil, nodescore.GPOptions{}))(t)
	mean, noise := 0.0, 0.0
	const draws = 200
	for d := range draws {
		f := g.Integrated().Function(1, []int{0}, rand.New(rand.NewPCG(uint64(d), 2)))
		q := other.Integrated().Function(1, []int{0}, rand.New(rand.NewPCG(uint64(d), 2)))
		a, b := make([]float64, 1), make([]float64, 1)
		f.Mean(a, [][]float64{{103}})
		q.Mean(b, [][]float64{{0.001*103 - 7}})
		if !(math.Abs(b[0]-(1000*a[0]-7)) <= 1e-5*math.Abs(b[0])) ||
			!(math.Abs(q.NoiseVariance/f.NoiseVariance-1e6) <= 1) {
			t.Fatalf("f(103) = %v with the noise variance %v, in other units %v and %v", a[0],
				f.NoiseVariance, b[0], q.NoiseVariance)
		}
		mean += a[0] / draws
		noise += f.NoiseVariance / draws
		alone := g.Integrated().Function(1, nil, rand.New(rand.NewPCG(uint64(d), 3)))
		alone.Mean(a, nil)
		if !(math.Abs(a[0]-5) <= 1.2) || alone.NoiseVariance < 1 || alone.NoiseVariance > 4 {
			t.Errorf("without parents: mean %v, noise variance %v", a[0], alone.NoiseVariance)
		}
	}
	// 2 sin 0.6 = 1.13; 150 rows of noise 0.3 leave a standard deviation of about 0.07, and a
	// relative one of the noise variance of about 0.13.
	if !(math.Abs(mean-6.13) <= 0.25) || !(math.Abs(noise-0.09) <= 0.04) {
		t.Errorf("f(103) = %v with the noise variance %v, want about 6.13 and 0.09", mean, noise)
	}
}

// A function is its parameters: what they give again has the same values, bit by bit, and what no
// function has is refused.
func TestFunctionParameters(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	x := curve(30, rng)
	g := must.Get(nodescore.NewGP(x, nil, nodescore.GPOptions{}))(t)
	for _, parents := range [][]int{nil, {0}} {
		f := g.Integrated().Function(1, parents, rng)
		p := f.Parameters()
		again, rest, err := nodescore.NewFunction(len(parents), append(p, 7, 8))
		if err != nil || len(rest) != 2 || rest[0] != 7 {
			t.Fatalf("%d parents: rest %v, error %v", len(parents), rest, err)
		}
		columns := [][]float64{{90, 100, 103}}[:len(parents)]
		want, got := make([]float64, 3), make([]float64, 3)
		f.Mean(want, columns)
		again.Mean(got, columns)
		if !slices.Equal(got, want) || again.NoiseVariance != f.NoiseVariance {
			t.Errorf("%d parents: %v with the noise variance %v, want %v and %v", len(parents), got,
				again.NoiseVariance, want, f.NoiseVariance)
		}
		for k := range p {
			if _, _, err := nodescore.NewFunction(len(parents), p[:k]); err == nil {
				t.Errorf("%d parents: the first %d of %d parameters are accepted", len(parents), k,
					len(p))
			}
			bad := slices.Clone(p)
			bad[k] = math.NaN()
			if _, _, err := nodescore.NewFunction(len(parents), bad); err == nil {
				t.Errorf("%d parents: parameter %d that is no number is accepted", len(parents), k)
			}
		}
	}
	for _, bad := range [][]float64{{-1, 0, 0, 0, 0}, {1, 0, 0, 0.5, 0}, {1, 0, 0, 1 << 53, 0},
		{1, 0, 0, 0, 1e9}, {1, 0, 0, 0, 0, 0, 0}} {
		if _, _, err := nodescore.NewFunction(len(bad)/7, bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
