package vm

// A Code is the operation of an [Op].
type Code int32

// In the comments r is a register, m a number of the arena, and args the pool of
// operands of the group. Registers and numbers are meant by their place: Dst, A and B
// of the operation are written dst, a and b.
const (
	End          Code = iota // ends every group
	Copy                     // r[dst] = r[a]
	Gather                   // r[dst] = the selected lanes of register a of all lanes
	Fill                     // r[dst] = m[a]
	Neg                      // r[dst] = −r[a]
	Add                      // r[dst] = r[a] + r[b]
	Sub                      // r[dst] = r[a] − r[b]
	Mul                      // r[dst] = r[a]·r[b]
	MulAdd                   // r[dst] += r[a]·r[b]
	Scale                    // r[dst] = m[b]·r[a]
	NegScale                 // r[dst] = −m[b]·r[a]
	AddS                     // r[dst] = r[a] + m[b]
	SubS                     // r[dst] = r[a] − m[b]
	RSubS                    // r[dst] = m[b] − r[a]
	Div                      // r[dst] = r[a]/r[b]
	DivS                     // r[dst] = r[a]/m[b]
	RDivS                    // r[dst] = m[b]/r[a]
	Sqrt                     // r[dst] = √r[a]
	Abs                      // r[dst] = |r[a]|
	Maximum                  // r[dst] = max(r[a], r[b]), as math.Max: an infinity wins over NaN
	Minimum                  // r[dst] = min(r[a], r[b]), as math.Min: −∞ wins over NaN
	Finite                   // r[dst] = r[a], the largest number of its sign if that is infinite
	Larger                   // r[dst] = max(r[a], r[b]), NaN if either is
	Smaller                  // r[dst] = min(r[a], r[b]), NaN if either is
	Greater                  // r[dst] = 1[r[a] > r[b]], NaN if either is
	AtLeast                  // r[dst] = 1[r[a] ≥ r[b]], NaN if either is
	Equal                    // r[dst] = 1[r[a] = r[b]], NaN if either is
	Dot                      // r[dst] = Σ r·m over b pairs at args[a]
	DotPairs                 // r[dst] = Σ r·r over b pairs at args[a]
	Tile                     // sums of products: the tile at args[a]
	TileRelu                 // the same, max(·, 0)
	TileSquares              // r[dst] = Σ squares of the sums, added to r[dst] if b is not 0
	Block                    // sums of products of registers over b terms: the block at args[a]
	Relu                     // r[dst] = max(r[a], 0), +0 for −0, NaN for NaN
	Positive                 // r[dst] = 1[r[a] > 0], NaN for NaN
	SigmoidShift             // r[dst] = p·r[a]/(p·r[a] + q·(1−r[a])), p = m[b], q = m[b+1]
	Less                     // r[dst] = 1[r[a] < m[b]], NaN if either is
	Sum                      // m[dst] = Σ lanes of r[a]
	SumProduct               // m[dst] = Σ lanes of r[a]·r[b]
	Draw                     // r[dst] = the next uniform numbers of stream a
	DrawLess                 // r[dst] = 1[u < m[b]] for the next uniform numbers u of stream a
	DrawShift                // r[dst] = p·u/(p·u + q·(1−u)) for them, p = m[b], q = m[b+1]
	Exp                      // r[dst] = e^r[a]
	Unary                    // r[dst] = unary function b of r[a]
	Binary                   // r[dst] = binary function args[b+1] of r[a] and r[args[b]]
	Where                    // r[dst] = r[a] ≠ 0 ? r[args[b]] : r[args[b+1]]
	LogSumExp                // m[dst] = ln Σ e^lanes of r[a] = m[b] + m[b+1], m[b] the largest
	SumConst                 // m[dst] = m[a] times the number of lanes
	ShiftConst               // m[dst] = m[a] + ln of the number of lanes = m[b] + m[b+1]
	LogSumExpOf              // r[dst] = ln Σ e^r over b registers at args[a]
	MaxLanes                 // m[dst] = the largest lane of r[a]
	Codes                    // their number
)

// An Op is one operation.
type Op struct {
	Code      Code
	Dst, A, B int32
}

// A Group is a list of operations that run on one set of lanes.
type Group struct {
	Code   []Op                        // the last one is End
	Args   []int32                     // pool of operands of operations that have many
	Unary  []func(dst, x []float64)    // of operations Unary; dst may be x
	Binary []func(dst, a, b []float64) // of operations Binary; dst may be an operand
}
