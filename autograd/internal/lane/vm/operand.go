package vm

// An operand says what a field of an operation or a number of the pool is.
type operand uint8

const (
	plain      operand = iota // none: unused, a count, or where operands lie in the pool
	read                      // a register that is read
	written                   // a register that is written
	updated                   // a register that is read and written
	started                   // a register that is updated if b is not 0, and else written
	kept                      // a register of all lanes that is read
	number                    // the offset of a number of the arena that is read
	two                       // of two numbers
	result                    // of a number that is written
	twoResults                // of two numbers that are written
	stream                    // a stream
	unaryFn                   // a unary function of the group
	binaryFn                  // a binary function of the group
)

// A visitor is shown an operand where it stands; n is how many numbers of the arena
// there are from an offset on.
type visitor func(o operand, p *int32, n int)

// A pool says where an operation has operands in the pool of its group.
type pool struct {
	at func(op *Op) int32
	// size is the length of what lies there, in args, which starts with it; negative
	// if not even the numbers that say so are there.
	size  func(op *Op, args []int32) int
	visit func(op *Op, args []int32, f visitor)
}

func atA(op *Op) int32 { return op.A }
func atB(op *Op) int32 { return op.B }

// pairs are b pairs of a register and what second says.
func pairs(second operand) *pool {
	return &pool{
		at:   atA,
		size: func(op *Op, _ []int32) int { return 2 * int(op.B) },
		visit: func(op *Op, args []int32, f visitor) {
			for i := range op.B {
				f(read, &args[2*i], 1)
				f(second, &args[2*i+1], 1)
			}
		},
	}
}

// both are two numbers of the pool.
func both(first, second operand) *pool {
	return &pool{
		at:   atB,
		size: func(*Op, []int32) int { return 2 },
		visit: func(_ *Op, args []int32, f visitor) {
			f(first, &args[0], 1)
			f(second, &args[1], 1)
		},
	}
}

// registers are b registers.
var registers = &pool{
	at:   atA,
	size: func(op *Op, _ []int32) int { return int(op.B) },
	visit: func(op *Op, args []int32, f visitor) {
		for i := range op.B {
			f(read, &args[i], 1)
		}
	},
}
