package exact

import (
	"fmt"
	"math"

	"tobac/internal/vector"
)

// The sums A(U) = Σ_{A⊆U} e^{q(A)} of one child differ by thousands of nats. Each is
// kept as a·2^(levelBits·level)·e^shift, with
//
//	2^−reach ≤ a < 2^(reach + number of variables),   or a = 0 where no A ⊆ U is possible.
//
// The level rises with U, since the largest term does. Nearly always one level is
// enough, and there is no list of levels then.
const (
	reach     = 900
	levelBits = 2 * reach
	never     = math.MinInt16 // level of a set without a possible subset
	tiniest   = -700          // exponentials of less are taken for 0; 2^−reach is e^−624
)

// A table holds the scores of one child for all subsets A of the other variables,
// and their sums over the subsets of each U.
type table struct {
	q     []float64 // ln of score times prior
	a     []float64
	level []int16 // nil means 0 everywhere
	shift float64
}

// newTable returns the table of the scores q, which it keeps.
func newTable(q []float64, kernels vector.Set) (*table, error) {
	top := math.Inf(-1)
	for _, v := range q {
		if !(v <= math.MaxFloat64) {
			return nil, fmt.Errorf("log score is %v, want a finite number", v)
		}
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return nil, fmt.Errorf("no set of parents is possible")
	}
	t := &table{q: q}
	depth := (top - q[0]) / math.Ln2 // no A(U) is further below the top, as A(U) ≥ e^q(∅)
	offset := math.Round(min(max(depth-reach, 0), reach))
	t.shift = top - offset*math.Ln2
	if depth >= 2*reach {
		if err := t.setLevels(top); err != nil {
			return nil, err
		}
	}
	t.a = make([]float64, len(q))
	t.exp(t.a, 0, kernels)
	t.subsetSums(t.a, len(q), kernels)
	return t, nil
}

// setLevels finds the level of max_{A⊆U} q(A) for every U.
func (t *table) setLevels(top float64) error {
	t.level = make([]int16, len(t.q))
	for set, v := range t.q {
		switch below := math.Floor((top - v) / (levelBits * math.Ln2)); {
		case math.IsInf(v, -1):
			t.level[set] = never
		case below >= -never:
			return fmt.Errorf("log scores go from %.3g to %.3g, a wider range than %.3g", v, top,
				-never*levelBits*math.Ln2)
		default:
			t.level[set] = int16(-below)
		}
	}
	for bit := 1; bit < len(t.level); bit *= 2 {
		for at := 0; at < len(t.level); at += 2 * bit {
			lo, hi := t.level[at:at+bit], t.level[at+bit:at+2*bit]
			for i, l := range lo {
				hi[i] = max(hi[i], l)
			}
		}
	}
	return nil
}

// at is A(set) in units of e^shift, as a·2^e.
func (t *table) at(set int) (a float64, e int) {
	if t.level == nil {
		return t.a[set], 0
	}
	return t.a[set], levelBits * int(t.level[set])
}

// exp writes e^{q(A)} for the sets A from from on, each in the units of A(A).
func (t *table) exp(dst []float64, from int, kernels vector.Set) {
	const block = 512
	var args [block]float64
	for len(dst) > 0 {
		n := min(block, len(dst))
		arg, low := args[:n], false
		for i, v := range t.q[from : from+n] {
			v -= t.shift
			if t.level != nil && t.level[from+i] != never {
				v -= levelBits * math.Ln2 * float64(t.level[from+i])
			}
			if v < tiniest { // outside the range of the kernel
				v, low = tiniest, true
			}
			arg[i] = v
		}
		kernels.Exp(dst[:n], arg)
		if low {
			for i, v := range arg {
				if v == tiniest {
					dst[i] = 0
				}
			}
		}
		dst, from = dst[n:], from+n
	}
}

// subsetSums replaces x(U), in the units of A(U), by Σ_{A⊆U} x(A), where A and U are
// alike in all bits from block on, a power of two. It is the zeta transform.
func (t *table) subsetSums(x []float64, block int, kernels vector.Set) {
	if t.level == nil {
		for at := 0; at < len(x); at += block {
			subsetSums(x[at:at+block], kernels)
		}
		return
	}
	for bit := 1; bit < block; bit *= 2 {
		for at := 0; at < len(x); at += 2 * bit {
			for i := at; i < at+bit; i++ {
				x[i+bit] += lift(x[i], t.level[i], t.level[i+bit])
			}
		}
	}
}

// supersetSums replaces x(A) by Σ_{U⊇A} x(U). Numbers come and go in units that are
// the inverse of those of A(U).
func (t *table) supersetSums(x []float64, kernels vector.Set) {
	if t.level == nil {
		supersetSums(x, kernels)
		return
	}
	for bit := 1; bit < len(x); bit *= 2 {
		for at := 0; at < len(x); at += 2 * bit {
			for i := at; i < at+bit; i++ {
				x[i] += lift(x[i+bit], t.level[i], t.level[i+bit])
			}
		}
	}
}

// lift is x·2^(levelBits·(lower−upper)), for lower ≤ upper.
func lift(x float64, lower, upper int16) float64 {
	const reachDown = 0x1p-900
	switch {
	case lower == upper:
		return x
	case int(lower) == int(upper)-1:
		return x * reachDown * reachDown
	}
	return 0
}

// small is the length below which sums over subsets are plain loops.
const small = 64

// subsetSums is Σ_{A⊆U} x(A) in place, by halves.
func subsetSums(x []float64, kernels vector.Set) {
	if len(x) > small {
		half := len(x) / 2
		subsetSums(x[:half], kernels)
		subsetSums(x[half:], kernels)
		kernels.Add(x[half:], x[half:], x[:half])
		return
	}
	if len(x) < 8 {
		for bit := 1; bit < len(x); bit *= 2 {
			for i := range x {
				if i&bit != 0 {
					x[i] += x[i-bit]
				}
			}
		}
		return
	}
	for at := 0; at < len(x); at += 8 {
		y := (*[8]float64)(x[at:])
		y0, y1, y2, y3, y4, y5, y6, y7 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
		y1, y3, y5, y7 = y1+y0, y3+y2, y5+y4, y7+y6
		y2, y3, y6, y7 = y2+y0, y3+y1, y6+y4, y7+y5
		y[1], y[2], y[3], y[4], y[5], y[6], y[7] = y1, y2, y3, y4+y0, y5+y1, y6+y2, y7+y3
	}
	for bit := 8; bit < len(x); bit *= 2 {
		for at := 0; at < len(x); at += 2 * bit {
			lo, hi := x[at:at+bit], x[at+bit:at+2*bit]
			for i := 0; i+8 <= len(lo) && i+8 <= len(hi); i += 8 {
				l, h := (*[8]float64)(lo[i:]), (*[8]float64)(hi[i:])
				h[0] += l[0]
				h[1] += l[1]
				h[2] += l[2]
				h[3] += l[3]
				h[4] += l[4]
				h[5] += l[5]
				h[6] += l[6]
				h[7] += l[7]
			}
		}
	}
}

// supersetSums is Σ_{U⊇A} x(U) in place, by halves.
func supersetSums(x []float64, kernels vector.Set) {
	if len(x) > small {
		half := len(x) / 2
		kernels.Add(x[:half], x[:half], x[half:])
		supersetSums(x[:half], kernels)
		supersetSums(x[half:], kernels)
		return
	}
	for bit := len(x) / 2; bit > 0; bit /= 2 {
		for at := 0; at < len(x); at += 2 * bit {
			lo, hi := x[at:at+bit], x[at+bit:at+2*bit]
			for i, h := range hi {
				lo[i] += h
			}
		}
	}
}

// memberSums writes Σ_{A∋k} x(A) for every bit k, and destroys x.
func memberSums(dst, x []float64, kernels vector.Set) {
	for k := len(dst) - 1; k >= 0; k-- {
		half := len(x) / 2
		dst[k] = total(x[half:])
		kernels.Add(x[:half], x[:half], x[half:])
		x = x[:half]
	}
}

// total is the sum of x, by halves.
func total(x []float64) float64 {
	if len(x) > 128 {
		return total(x[:len(x)/2]) + total(x[len(x)/2:])
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// without is set, which lacks variable j, as a subset of the other variables, and
// with is the inverse.
func without(set, j int) int { return set&(1<<j-1) | set>>(j+1)<<j }

func with(others, j int) int { return others&(1<<j-1) | others>>j<<(j+1) }
