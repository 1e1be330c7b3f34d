package vector_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// exactExp is e^x to 50 digits: (e^(x/2^k))^(2^k) by the exponential series.
func exactExp(x float64) *big.Float {
	const halvings, terms, precision = 12, 24, 240 // (750/2^12)^24/24! < 10⁻⁴⁰
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	r, sum := number(math.Ldexp(x, -halvings)), number(1)
	for n := terms; n > 0; n-- {
		sum.Mul(sum, r)
		sum.Quo(sum, number(float64(n)))
		sum.Add(sum, number(1))
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// exactUnits is the distance of got from want in units of its last place, which for
// subnormal numbers is that of 0.
func exactUnits(got float64, want *big.Float) float64 {
	size, _ := want.Float64()
	if math.IsInf(size, 0) {
		return math.Inf(1)
	}
	d := new(big.Float).Sub(want, big.NewFloat(got))
	exponent := max(math.Ilogb(math.Abs(size)), -1022) - 52
	u, _ := d.SetMantExp(d, -exponent).Float64()
	return math.Abs(u)
}

// TestExpUnits bounds errors of exponentials and logistic functions at many arguments,
// among them those at which the result is subnormal.
func TestExpUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 53))
	x := make([]float64, 6000)
	for i := range x {
		switch i % 3 {
		case 0:
			x[i] = -745 + (745+709.78)*rng.Float64()
		case 1:
			x[i] = 4 * (rng.Float64() - 0.5)
		default:
			x[i] = -708 - 37*rng.Float64()
		}
	}
	one := big.NewFloat(1)
	exact := map[string][]*big.Float{}
	for _, v := range x {
		e := exactExp(v)
		sum := new(big.Float).Add(one, e)
		exact["exp"] = append(exact["exp"], e)
		exact["sigmoid"] = append(exact["sigmoid"], new(big.Float).Quo(e, sum))
	}
	y := make([]float64, len(x))
	for _, f := range functions {
		want := exact[f.name]
		if want == nil {
			continue
		}
		for _, set := range vector.Available() {
			t.Run(fmt.Sprint(f.name, "/", set), func(t *testing.T) {
				limit := f.ulp
				if set == vector.Portable {
					limit = f.portable
				}
				f.vec(set, y, x)
				worst, at := 0.0, 0
				for i := range x {
					if u := exactUnits(y[i], want[i]); !(u <= worst) {
						worst, at = u, i
					}
				}
				if !(worst <= limit) {
					t.Errorf("of %v: got %v, want %v, an error of %v units in the last place, "+
						"want at most %v", x[at], y[at], want[at], worst, limit)
				}
				t.Logf("worst error %.3f units in the last place, of %v", worst, x[at])
			})
		}
	}
}

// TestSumExp: a sum is that of the exponentials in the documented order, to the bit, for
// any length and with terms too small to count; NaN is not lost, and AVX2 and AVX-512
// agree.
func TestSumExp(t *testing.T) {
	const shift = 2.5
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(56, 57))
		for n := range 100 {
			a := make([]float64, n)
			for i := range a {
				a[i] = shift - 3*rng.ExpFloat64()
				switch rng.IntN(6) {
				case 0:
					a[i] = -1000 * rng.ExpFloat64()
				case 1:
					a[i] = []float64{shift, -math.MaxFloat64, math.Inf(-1),
						shift - 708}[rng.IntN(4)]
				}
			}
			got, want := set.SumExp(a, shift), sumInOrder(set, a, shift)
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%v: of %d numbers: got %v, want %v", set, n, got, want)
			}
			if n == 0 {
				continue
			}
			if set == vector.AVX512 {
				if other := vector.AVX2.SumExp(a,
					shift); math.Float64bits(got) != math.Float64bits(other) {
					t.Errorf("of %d numbers: AVX2 %v, AVX-512 %v", n, other, got)
				}
			}
			a[rng.IntN(n)] = math.NaN()
			if v := set.SumExp(a, shift); !math.IsNaN(v) {
				t.Errorf("%v: of %d numbers and NaN: got %v", set, n, v)
			}
			if v := set.SumExp(make([]float64, n), math.NaN()); !math.IsNaN(v) {
				t.Errorf("%v: of %d numbers with shift NaN: got %v", set, n, v)
			}
		}
	}
}

// sumInOrder is Σ e^(a−shift) as the documentation of SumExp has it.
func sumInOrder(set vector.Set, a []float64, shift float64) float64 {
	e := make([]float64, len(a))
	for i, v := range a {
		e[i] = math.Max(v-shift, -708)
	}
	set.Exp(e, e)
	n := len(a) / 8 * 8
	if set == vector.Portable {
		n = 0
	}
	var s [8]float64
	for i, v := range e[:n] {
		s[i%8] += v
	}
	rest := 0.0
	for _, v := range e[n:] {
		rest += v
	}
	return ((s[0] + s[4]) + (s[2] + s[6]) + ((s[1] + s[5]) + (s[3] + s[7]))) + rest
}

// TestMax compares with the definition, to the bit, for any length and with awkward
// numbers: NaN if there is one, and no negative zero; −∞ of nothing.
func TestMax(t *testing.T) {
	negative := math.Copysign(0, -1)
	rng := rand.New(rand.NewPCG(58, 59))
	cases := [][]float64{nil, {}, {negative}, {negative, 0}, {0, negative}}
	for n := range 70 {
		x, y, z := arguments(rng, n), sample(rng, n, false), make([]float64, n)
		for i := range z { // zeros of both signs, and what is below
			z[i] = []float64{0, negative, negative, -5e-324, math.Inf(-1)}[rng.IntN(5)]
		}
		nan := append([]float64{}, y...)
		if n > 0 {
			nan[rng.IntN(n)] = math.Float64frombits(0xFFF8000000000123)
		}
		cases = append(cases, x, y, z, nan)
	}
	for _, set := range vector.Available() {
		for _, x := range cases {
			want := math.Inf(-1)
			for _, v := range x {
				if math.IsNaN(v) {
					want = math.NaN()
					break
				}
				if v >= want {
					want = v
				}
			}
			if want == 0 {
				want = 0
			}
			if got := set.Max(x); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%v: of %v: got %v, want %v", set, x, got, want)
			}
		}
	}
}
