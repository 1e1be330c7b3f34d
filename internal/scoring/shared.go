package scoring

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Possible reports whether v is a log score: finite, or −Inf.
func Possible(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 1) }

// MostCandidates is the largest number of candidates of a table of subsets.
const MostCandidates = 24

// CheckRoom panics unless dst has room for all subsets of the candidates.
func CheckRoom(dst []float64, candidates []int) {
	if len(candidates) > MostCandidates || len(dst) != 1<<len(candidates) {
		panic(fmt.Sprintf("score: %d candidates with room for %d scores, want at most %d "+
			"candidates and 2^candidates scores", len(candidates), len(dst), MostCandidates))
	}
}

// LnChoose is the logarithm of the binomial coefficient n over k.
func LnChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// AlphaMu is the strength of an intercept's prior relative to one observation.
const AlphaMu = 1

// Standardise shifts and scales a column to mean 0 and variance 1, and returns by how much; sd
// is 0 for a column that does not vary.
func Standardise(x []float64) (centre, sd float64) {
	if len(x) == 0 || floats.Min(x) == floats.Max(x) {
		return 0, 0
	}
	centre = stat.Mean(x, nil)
	floats.AddConst(-centre, x)
	largest := floats.Norm(x, math.Inf(1))
	floats.Scale(1/largest, x) // keeps squares in range
	rest := stat.Mean(x, nil)
	floats.AddConst(-rest, x)
	sd = math.Sqrt(floats.Dot(x, x) / float64(len(x)))
	floats.Scale(1/sd, x)
	return centre + rest*largest, sd * largest
}

// Gamma draws from the gamma distribution of the given shape, at least 1, and rate
// 1: Marsaglia and Tsang (2000).
func Gamma(shape float64, rng *rand.Rand) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := rng.NormFloat64()
		v := 1 + c*z
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < 0.5*z*z+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// Factorise returns U with m = UᵀU. The diagonal of m grows by the smallest multiple of 1e-15,
// by tens, with which rounding leaves it positive definite.
func Factorise(m *mat.SymDense) blas64.Triangular {
	n := m.SymmetricDim()
	u := mat.NewSymDense(n, nil)
	for grow := 0.0; ; grow = max(1e-15, 10*grow) {
		u.CopySym(m)
		if root, ok := lapack64.Potrf(u.RawSymmetric()); ok {
			return root
		}
		for i := range n {
			m.SetSym(i, i, m.At(i, i)*(1+grow)+math.SmallestNonzeroFloat64)
		}
	}
}

// Solve replaces b with M⁻¹b, M = UᵀU: where M is nearly singular, by the best result there is.
func Solve(u blas64.Triangular, b []float64) {
	lapack64.Potrs(u, blas64.General{Rows: len(b), Cols: 1, Stride: 1, Data: b})
}

// Spread are m ascending places among n, one in each of m parts of equal length. Those within the
// parts have no period, since the rows of a table may have one.
func Spread(n, m int) []int {
	places := make([]int, m)
	for k := range places {
		from, to := k*n/m, (k+1)*n/m
		places[k] = from + int(float64(to-from)*math.Mod(float64(k)*math.Phi, 1))
	}
	return places
}

// Subset appends to dst the candidates whose bits are set, as scores number subsets.
func Subset(dst, candidates []int, set int) []int {
	for ; set != 0; set &= set - 1 {
		dst = append(dst, candidates[bits.TrailingZeros(uint(set))])
	}
	return dst
}

// Toggle appends to dst an ascending set without i if i is a member of it, and with i if not.
func Toggle(dst, set []int, i int) []int {
	at, found := slices.BinarySearch(set, i)
	dst = append(dst, set[:at]...)
	if found {
		at++
	} else {
		dst = append(dst, i)
	}
	return append(dst, set[at:]...)
}

// A Memory keeps what was found of variables with their parents, of which searches and chains ask
// for the same ones again and again. Its zero value is empty and has no limit. It is safe for
// concurrent use: two that ask for something new at once both find it, to the same bits.
type Memory[V any] struct {
	Most int // things that are kept, before it begins anew; 0 means no limit

	mu sync.RWMutex
	of map[string]V
}

// Of is what find finds, once, of variable j given its parents.
func (m *Memory[V]) Of(j int, parents []int, find func() V) V {
	var room [64]byte
	key := AppendKey(AppendKey(room[:0], j), parents...)
	m.mu.RLock()
	v, ok := m.of[string(key)]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || m.Most > 0 && len(m.of) >= m.Most {
		m.of = map[string]V{}
	}
	m.of[string(key)] = v
	return v
}

// Has reports whether variable j given its parents is kept.
func (m *Memory[V]) Has(j int, parents []int) bool {
	var room [64]byte
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.of[string(AppendKey(AppendKey(room[:0], j), parents...))]
	return ok
}

// AppendKey appends what tells lists of variables apart: three bytes for each.
func AppendKey(key []byte, variables ...int) []byte {
	for _, i := range variables {
		key = append(key, byte(i), byte(i>>8), byte(i>>16))
	}
	return key
}
