package native

import (
	"fmt"
	"math"
)

// A Code is what an operation computes.
type Code uint8

// The operations. A result may be an operand.
const (
	Add   Code = iota // a + b
	Sub               // a − b
	Mul               // a·b
	Div               // a/b
	Neg               // −a
	Abs               // |a|
	Sqrt              // √a
	Copy              // a
	Load              // numbers of an array from A on
	Store             // a, to an array from Dst on
	codes
)

var opcodes = [codes]byte{Add: opAdd, Sub: opSub, Mul: opMul, Div: opDiv, Neg: opXor, Abs: opAndN,
	Sqrt: opSqrt, Copy: opMove}

// binary reports whether the operation has two operands.
func (c Code) binary() bool { return c <= Div }

// An Op computes N numbers, 1, 2 or 4, which lie one behind the other in the arena.
type Op struct {
	Code Code
	N    uint8
	// Where the first number of the result and of the operands is.
	Dst, A, B int32
	// The operand is one number for all N.
	AOne, BOne bool
	// Number of the array of Load and Store, see [Func.RunOn].
	Array int16
}

// A key is an operand: where it starts, how many numbers, and whether they are repetitions of
// the first.
type key struct {
	at  int32
	n   uint8
	one bool
}

func (op *Op) dst() key { return key{op.Dst, op.N, false} }
func (op *Op) a() key   { return key{op.A, op.N, op.AOne && op.N > 1} }
func (op *Op) b() key   { return key{op.B, op.N, op.BOne && op.N > 1} }

// room is how many numbers of the arena it is made of.
func (k key) room() int32 {
	if k.one {
		return 1
	}
	return int32(k.n)
}

func (k key) overlaps(o key) bool { return k.at < o.at+o.room() && o.at < k.at+k.room() }

// never is a use that does not come.
const never = math.MaxInt32

// A use is what follows an operation: when the same operand is read next, and whether
// anything reads its numbers before they are written.
type use struct {
	next int32
	live bool
}

// uses are those of the result and the operands of an operation.
type uses struct{ dst, a, b use }

func (op *Op) check(arena int, arrays []int) error {
	if op.Code >= codes || op.N != 1 && op.N != 2 && op.N != 4 {
		return fmt.Errorf("code %d of %d numbers", op.Code, op.N)
	}
	keys := []key{op.dst(), op.a(), op.b()}
	switch {
	case op.Code == Load || op.Code == Store:
		at, arenaKey := op.A, op.dst()
		if op.Code == Store {
			at, arenaKey = op.Dst, key{op.A, op.N, false}
		}
		if op.Array < 0 || int(op.Array) >= len(arrays) || at < 0 ||
			int(at)+int(op.N) > arrays[op.Array] || at > math.MaxInt32/8-4 || op.AOne {
			return fmt.Errorf("%d numbers at %d of array %d of %d", op.N, at, op.Array, len(arrays))
		}
		keys = []key{arenaKey}
	case !op.Code.binary():
		keys = keys[:2]
	}
	for _, k := range keys {
		if k.at < 0 || int(k.at)+int(k.room()) > arena || k.at > math.MaxInt32/8-4 {
			return fmt.Errorf("%d numbers at %d of an arena of %d", k.n, k.at, arena)
		}
	}
	return nil
}

// operands calls f for what an operation reads and writes in the arena.
func (op *Op) operands(f func(slot int, k key) bool) bool {
	return (op.Code == Store || f(0, op.dst())) && (op.Code == Load || f(1, op.a())) &&
		(!op.Code.binary() || f(2, op.b()))
}
