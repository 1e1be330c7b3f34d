package autograd_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// FuzzElements compares one operation with its definition at random numbers: any bits,
// numbers of the usual size, and special ones. A number of the seed corpus is one row
// of the table with one pattern of operands.
func FuzzElements(f *testing.F) {
	for row := range uint16(len(meanings())) {
		f.Add(uint64(row), row, uint8(row), uint8(row))
	}
	f.Fuzz(func(t *testing.T, seed uint64, row uint16, pattern, size uint8) {
		all := meanings()
		m := all[int(row)%len(all)]
		list, gs := m.roles(), grids()
		roles, grid := list[int(pattern)%len(list)], int(size)%len(gs)
		if !m.needs(grid, roles) {
			grid = 0
		}
		p := &meaningRun{
			meaning: m, roles: roles, grid: gs[grid], numbers: randomNumbers(seed),
			agreed: map[string]float64{}, known: map[wantedKey]*wanted{},
		}
		p.build(t)
		for _, opt := range []ad.Options{{Engine: ad.Reference}, {Without: ad.ElementSchedule},
			{}} {
			ev := p.prepare(t, opt)
			p.run(t, ev, opt.Engine, false)
			if strings.Contains(roles, "u") {
				p.run(t, ev, opt.Engine, true)
			}
			ev.Close()
			if t.Failed() {
				t.Fatalf("row %s/%s, operands %s, %v, %+v", m.op, m.name, p.roles, p.grid, opt)
			}
		}
	})
}

// randomNumbers draws as many as there are special ones.
func randomNumbers(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 37))
	x := make([]float64, specialCount)
	for i := range x {
		switch rng.IntN(6) {
		case 0:
			x[i] = math.Float64frombits(rng.Uint64())
		case 1:
			x[i] = specials[rng.IntN(specialCount)]
		case 2:
			x[i] = 30 * rng.NormFloat64()
		case 3:
			x[i] = float64(rng.IntN(9) - 4)
		default:
			x[i] = rng.NormFloat64()
		}
	}
	return x
}
