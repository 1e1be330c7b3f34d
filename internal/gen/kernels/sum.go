package main

import "github.com/mmcloughlin/avo/operand"

// sum is the kernel of sums.
type sum struct{}

// sumBlocks is the number of blocks that sum takes at a time: as many sums run side by side,
// which hides the latency of an addition.
const sumBlocks = 4

// emit writes a loop over blocks, whose sums are added in pairs.
func (sum) emit(m *machine) {
	m.begin("sum", "func(a []float64"+wideParam+") float64", "the sum of a multiple of 32 numbers.")
	a := m.Load(m.Param("a").Base(), m.GP64())
	left := m.Load(m.Param("a").Len(), m.GP64())
	parts := sumBlock / m.lanes() // vectors of a block
	sums := make([]vector, sumBlocks*parts)
	for i := range sums {
		sums[i] = m.reg(0)
	}
	m.JMP(operand.LabelRef("enter"))
	m.Label("loop")
	for i, s := range sums {
		m.VADDPD(operand.Mem{Base: a, Disp: 8 * m.lanes() * i}, s, s)
	}
	m.ADDQ(operand.I32(8*sumBlocks*sumBlock), a)
	m.Label("enter")
	m.SUBQ(operand.I32(sumBlocks*sumBlock), left)
	m.JGE(operand.LabelRef("loop"))
	for step := 1; step < sumBlocks; step *= 2 {
		for b := 0; b < sumBlocks; b += 2 * step {
			for i := range parts {
				m.VADDPD(sums[(b+step)*parts+i], sums[b*parts+i], sums[b*parts+i])
			}
		}
	}
	m.VMOVSD(m.sumBlockLanes(sums[:parts]), address(m.ReturnIndex(0)))
	m.end()
}
