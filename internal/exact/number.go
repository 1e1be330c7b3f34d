package exact

import "math"

const (
	exponentBias  = 1023
	fraction      = 1<<52 - 1
	insignificant = 64 // binary orders below a sum at which a term is left out
)

// A number is the positive number m·2^e with 1 ≤ m < 2, or 0 with m = 0. Sums over
// orders differ by more than the range of a float64, and a logarithm would cost an
// exponential for every term.
type number struct {
	m float64
	e int
}

// normal is m·2^e for a normal m > 0, and for m = 0.
func normal(m float64, e int) number {
	if m == 0 {
		return number{}
	}
	b := math.Float64bits(m)
	return number{math.Float64frombits(b&fraction | exponentBias<<52), int(b>>52) - exponentBias +
		e}
}

// log is the natural logarithm.
func (x number) log() float64 { return math.Log(x.m) + float64(x.e)*math.Ln2 }

// biased is the exponent of a normal m, either sign, plus exponentBias.
func biased(m float64) int { return int(math.Float64bits(m) >> 52 & 0x7ff) }

// float is m·2^e for a normal m, either sign, and for 0; it is 0 below the normal
// range, and must not be above it.
func float(m float64, e int) float64 {
	if m == 0 || biased(m)+e <= 0 {
		return 0
	}
	return math.Float64frombits(math.Float64bits(m) + uint64(e)<<52)
}

// terms are the addends of one sum.
type terms struct {
	n, top   int // top is the largest exponent
	fraction [MaxVariables]uint64
	exponent [MaxVariables]int
	choice   [MaxVariables]uint8 // what an addend stands for
}

func (t *terms) reset() { t.n, t.top = 0, math.MinInt }

// add adds m·2^e for a normal m > 0; m = 0 adds nothing.
func (t *terms) add(m float64, e, choice int) {
	if m == 0 {
		return
	}
	b := math.Float64bits(m)
	e += int(b >> 52)
	t.top = max(t.top, e)
	t.fraction[t.n], t.exponent[t.n], t.choice[t.n] = b&fraction, e, uint8(choice)
	t.n++
}

// relative is addend i in units of 2^(top−bias).
func (t *terms) relative(i int) float64 {
	below := t.exponent[i] - t.top
	if below < -insignificant {
		return 0
	}
	return math.Float64frombits(t.fraction[i] | uint64(exponentBias+below)<<52)
}

// sum adds the addends in the sequence of their arrival.
func (t *terms) sum() number {
	if t.n == 0 {
		return number{}
	}
	total := 0.0
	for i := range t.n {
		total += t.relative(i)
	}
	return normal(total, t.top-exponentBias)
}

// pick returns the choice at the fraction u of the sum, 0 ≤ u < 1. There must be an addend.
func (t *terms) pick(u float64) int {
	total := 0.0
	for i := range t.n {
		total += t.relative(i)
	}
	u *= total
	last := 0
	for i := range t.n {
		r := t.relative(i)
		if r > 0 {
			last = int(t.choice[i])
		}
		if u -= r; u < 0 {
			break
		}
	}
	return last
}
