package native

// signRegister holds the sign bits, signRegisters are those that hold numbers.
const (
	signRegister = 15
	registers    = 15
)

// A held is what a register holds.
type held struct {
	key
	valid   bool
	unsaved bool // the arena does not have it yet, and something reads it there
	pinned  bool // an operand of the present operation
	next    int32
}

// A compiler walks through the operations with what registers hold.
type compiler struct {
	text text
	ops  []Op
	uses []uses
	regs [registers]held
	// Number of the array that AX points to, after the first.
	array int16
	begun bool
	// Class of each number of the arena, where functions share the code.
	classes []uint8
}

// number is a number of the arena.
func (c *compiler) number(at int32) place {
	p := place{memory: true, at: at, base: bases[0]}
	if c.classes != nil {
		p.base = bases[c.classes[at]]
	}
	return p
}

// compile writes operation i.
func (c *compiler) compile(i int) {
	op, u := c.ops[i], c.uses[i]
	if op.Code == Load || op.Code == Store {
		c.transfer(op, u)
		return
	}
	a, b := op.a(), op.b()
	commutes := op.Code == Add || op.Code == Mul
	if commutes && c.find(a) < 0 &&
		(c.find(b) >= 0 || c.fromMemory(a, u.a) && !c.fromMemory(b, u.b)) {
		a, b, u.a, u.b = b, a, u.b, u.a
	}
	var first int
	second := place{}
	if op.Code.binary() {
		first = c.fetch(a)
		second = c.operand(b, u.b)
		// which would read two numbers from the arena
	} else if op.N == 1 && (op.Code == Neg || op.Code == Abs) {
		second = register(c.fetch(a))
	} else {
		second = c.operand(a, u.a)
	}
	c.release(a, u.a)
	if op.Code.binary() {
		c.release(b, u.b)
	}
	c.overwrite(op.dst())
	r := c.free()
	switch op.Code {
	case Sqrt:
		c.text.sqrt(op.N, r, second)
	case Copy:
		if second.memory {
			c.text.load(r, op.N, second)
		} else {
			c.text.move(r, second.reg)
		}
	case Neg, Abs:
		c.text.binary(opcodes[op.Code], op.N, r, signRegister, second)
	default:
		c.text.binary(opcodes[op.Code], op.N, r, first, second)
	}
	c.unpin()
	if u.dst.live {
		c.regs[r] = held{key: op.dst(), valid: true, unsaved: true, next: u.dst.next}
	}
}

// transfer writes Load or Store.
func (c *compiler) transfer(op Op, u uses) {
	if !c.begun || c.array != op.Array {
		c.text.array(op.Array)
		c.begun, c.array = true, op.Array
	}
	if op.Code == Store {
		c.storeParts(op)
		c.release(op.a(), u.a)
		c.unpin()
		return
	}
	c.overwrite(op.dst())
	r := c.free()
	c.text.load(r, op.N, place{memory: true, base: arrayBase, at: op.A})
	if u.dst.live {
		c.regs[r] = held{key: op.dst(), valid: true, unsaved: true, next: u.dst.next}
	}
}

// storeParts writes Store, of the numbers as registers hold them.
func (c *compiler) storeParts(op Op) {
	for i := uint8(0); i < op.N; {
		k := key{op.A + int32(i), 4, false}
		for k.n > 1 && (k.n > op.N-i || c.find(k) < 0 && c.partly(k)) {
			k.n /= 2
		}
		r := c.fetch(k)
		c.text.store(r, k.n, place{memory: true, base: arrayBase, at: op.Dst + int32(i)})
		c.unpin()
		i += k.n
	}
}

// partly reports whether a register holds some of the numbers of k.
func (c *compiler) partly(k key) bool {
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && h.overlaps(k) {
			return true
		}
	}
	return false
}

// find is the register that holds k, or −1.
func (c *compiler) find(k key) int {
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && h.key == k {
			return r
		}
	}
	return -1
}

// fromMemory reports whether an operation reads k from the arena if no register holds it:
// nothing reads the same again.
func (c *compiler) fromMemory(k key, u use) bool {
	return !k.one && u.next == never
}

// operand is where an operation reads k: a register, or the arena.
func (c *compiler) operand(k key, u use) place {
	from, _ := c.lane(k)
	_, high, _ := c.halves(k)
	if from < 0 && high < 0 && c.find(k) < 0 && c.fromMemory(k, u) {
		c.saveParts(k)
		return c.number(k.at)
	}
	return register(c.fetch(k))
}

// lane is a register that holds k, one number, among others, and which of them it is.
func (c *compiler) lane(k key) (r int, i int32) {
	if k.n == 1 {
		for r := range c.regs {
			if h := &c.regs[r]; h.valid && !h.one && h.at <= k.at && k.at < h.at+h.room() {
				return r, k.at - h.at
			}
		}
	}
	return -1, 0
}

// halves are two registers that hold the first and the last of the four numbers of k, shift
// numbers behind the first of one and in the order of the arena. To write them out and load
// the four would take longer than to shift: the processor waits for both writes.
func (c *compiler) halves(k key) (low, high int, shift int32) {
	if k.n != 4 || k.one {
		return -1, -1, 0
	}
	low, high = -1, -1
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && !h.one && h.n == 4 && h.at < k.at && k.at < h.at+4 {
			low, shift = r, k.at-h.at
		}
	}
	if low < 0 {
		return -1, -1, 0
	}
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && !h.one && h.at == c.regs[low].at+4 && h.room() >= shift {
			high = r
		}
	}
	return low, high, shift
}

// fetch is a register that holds k, pinned.
func (c *compiler) fetch(k key) int {
	r := c.find(k)
	if r < 0 {
		if from, i := c.lane(k); from >= 0 {
			r = c.freeBeside(from, from)
			c.text.lane(r, from, i)
		} else if low, high, shift := c.halves(k); high >= 0 {
			r = c.freeBeside(low, high)
			c.text.shift(r, low, high, shift)
		} else if scalar := c.find(key{k.at, 1, false}); k.one && scalar >= 0 {
			r = c.freeBeside(scalar, scalar)
			c.text.repeat(r, k.n, register(scalar))
		} else {
			c.saveParts(k)
			r = c.free()
			if k.one {
				c.text.repeat(r, k.n, c.number(k.at))
			} else {
				c.text.load(r, k.n, c.number(k.at))
			}
		}
		c.regs[r] = held{key: k, valid: true}
	}
	c.regs[r].pinned = true
	return r
}

// saveParts stores what k is made of, as far as registers alone have it.
func (c *compiler) saveParts(k key) {
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && h.overlaps(k) {
			c.save(r)
		}
	}
}

// save stores what a register holds, if the arena needs it.
func (c *compiler) save(r int) {
	if h := &c.regs[r]; h.valid && h.unsaved {
		c.text.store(r, h.n, c.number(h.at))
		h.unsaved = false
	}
}

// release notes when an operand is read next. Its register is free if that is never, though it
// stays an operand of the present operation.
func (c *compiler) release(k key, u use) {
	r := c.find(k)
	if r < 0 {
		return
	}
	h := &c.regs[r]
	h.next = u.next
	h.unsaved = h.unsaved && u.live
	h.valid = h.unsaved || u.next != never
	h.pinned = h.valid
}

// overwrite forgets what the arena's numbers at k were. Numbers beside them that a register
// holds with them are stored.
func (c *compiler) overwrite(k key) {
	for r := range c.regs {
		if h := &c.regs[r]; h.valid && h.overlaps(k) {
			if h.at < k.at || h.at+h.room() > k.at+k.room() {
				c.save(r)
			}
			h.valid = false
		}
	}
}

// free is a register that holds nothing, or the one whose number is read last.
func (c *compiler) free() int {
	best := -1
	for r := range c.regs {
		h := &c.regs[r]
		switch {
		case h.pinned:
		case !h.valid:
			return r
		case best < 0 || h.next > c.regs[best].next:
			best = r
		}
	}
	c.save(best)
	c.regs[best].valid = false
	return best
}

// freeBeside is a free register other than two that are read to fill it.
func (c *compiler) freeBeside(a, b int) int {
	pinned := [2]bool{c.regs[a].pinned, c.regs[b].pinned}
	c.regs[a].pinned, c.regs[b].pinned = true, true
	r := c.free()
	c.regs[a].pinned, c.regs[b].pinned = pinned[0], pinned[1]
	return r
}

func (c *compiler) unpin() {
	for r := range c.regs {
		c.regs[r].pinned = false
	}
}
