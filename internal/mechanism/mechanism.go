// Package mechanism simulates data on which no model of this module is right.
package mechanism

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/internal/words"
)

// Mechanism is how variables depend on their parents where neither a sum nor a network says it.
type Mechanism int

const (
	// Sines are additive: x_j = Σ_i a_ij·s_ij(x_i) + ε_j with s_ij(x) = sin(b_ij·x + c_ij).
	Sines Mechanism = iota
	// Products have interactions alone: x_j = Σ a_ij·s_ij(x_i)·s_kj(x_k) + ε_j over parents i and
	// the next one k in the sequence of columns; with one parent as [Sines].
	Products
	// Multiplicative noise: x_j = Σ_i a_ij·s_ij(x_i) + ε_j·exp(Σ_i a_ij·cos(b_ij·x_i + c_ij) /
	// (2√|pa(j)|)).
	Multiplicative
)

// All are all mechanisms, in sequence.
var All = []Mechanism{Sines, Products, Multiplicative}

// String is the name on the command line.
func (m Mechanism) String() string {
	return words.Name(m, "sines", "products", "multiplicative")
}

// Simulate draws for every pair of variables an amplitude a = w + ½·sign(w), w ~ N(0, 1), a
// frequency b uniform on [1, 3] and a phase c uniform on [0, 2π), then training and held-out rows
// of the mechanism on the graph g, as [dataset.SimulateEquations].
func Simulate(g *dag.Graph, m Mechanism, c dataset.LinearConfig) (*dataset.Simulation, error) {
	waves := drawWaves(g.Len(), c.Seed)
	equations := map[Mechanism]func(j int, parents []int, row []float64){
		Sines: waves.sines, Products: waves.products, Multiplicative: waves.multiplicative}
	if equations[m] == nil {
		return nil, fmt.Errorf("mechanism: unknown mechanism %d; allowed: %v", int(m), All)
	}
	return dataset.SimulateEquations(g, c, equations[m])
}

// waves holds amplitude, frequency and phase of every pair of d variables.
type waves struct {
	d   int
	abc [][3]float64 // at i·d+j of parent i and child j
}

func drawWaves(d int, seed uint64) *waves {
	w := &waves{d: d, abc: make([][3]float64, d*d)}
	rng := stream.New(seed, stream.SimulatedParameters)
	for k := range w.abc {
		a := rng.NormFloat64()
		w.abc[k] = [3]float64{a + math.Copysign(0.5, a), 1 + 2*rng.Float64(),
			2 * math.Pi * rng.Float64()}
	}
	return w
}

// at is the amplitude of the wave of parent i of child j, with its sine and cosine at x.
func (w *waves) at(i, j int, x float64) (amplitude, sine, cosine float64) {
	p := w.abc[i*w.d+j]
	sine, cosine = math.Sincos(p[1]*x + p[2])
	return p[0], sine, cosine
}

func (w *waves) sines(j int, parents []int, row []float64) {
	for _, i := range parents {
		a, s, _ := w.at(i, j, row[i])
		row[j] += a * s
	}
}

func (w *waves) products(j int, parents []int, row []float64) {
	if len(parents) == 1 {
		w.sines(j, parents, row)
		return
	}
	for n := 1; n < len(parents); n++ {
		i, k := parents[n-1], parents[n]
		a, s, _ := w.at(i, j, row[i])
		_, next, _ := w.at(k, j, row[k])
		row[j] += a * s * next
	}
}

func (w *waves) multiplicative(j int, parents []int, row []float64) {
	sum := 0.
	for _, i := range parents {
		a, _, c := w.at(i, j, row[i])
		sum += a * c
	}
	if len(parents) > 0 {
		row[j] *= math.Exp(sum / (2 * math.Sqrt(float64(len(parents)))))
	}
	w.sines(j, parents, row)
}
