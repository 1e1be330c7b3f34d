package vector

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// check panics unless the data of the matrix that is called name holds it.
func check(name string, x *blas64.General) {
	if x.Rows < 0 || x.Cols < 0 || x.Rows > 1 && x.Stride < x.Cols {
		panic(fmt.Sprintf("vector: %s is %d×%d with stride %d", name, x.Rows, x.Cols, x.Stride))
	}
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	if last := (x.Rows-1)*x.Stride + x.Cols; len(x.Data) < last {
		panic(fmt.Sprintf("vector: %s of %d×%d has %d numbers, want %d", name, x.Rows, x.Cols,
			len(x.Data), last))
	}
}

// row is columns [from, to) of row i.
func row(x *blas64.General, i, from, to int) []float64 {
	return x.Data[i*x.Stride+from : i*x.Stride+to]
}

// A Strided is a matrix whose element (i, j) is Data[i·Row+j·Col]. Row and Col are
// not negative, and Col is positive.
type Strided struct {
	Rows, Cols int
	Row, Col   int
	Data       []float64
}

// strided is x, whose rows are contiguous.
func strided(x blas64.General) Strided {
	return Strided{Rows: x.Rows, Cols: x.Cols, Row: x.Stride, Col: 1, Data: x.Data}
}

// Mul is C = A·B for C of m×n, A of m×k and B of k×n, each of which may be zero.
// C overlaps neither operand. Every row is summed in the same order, wherever it
// stands: equal rows of A make rows of C with equal bits.
func (s Set) Mul(c, a, b blas64.General) {
	check("A", &a)
	s.product(c, strided(a), b, false)
}

// MulStrided is [Set.Mul] for an A whose rows need not be contiguous.
func (s Set) MulStrided(c blas64.General, a Strided, b blas64.General) {
	a.check()
	s.product(c, a, b, false)
}

// AddMulStrided is [Set.AddMul] for an A whose rows need not be contiguous.
func (s Set) AddMulStrided(c blas64.General, a Strided, b blas64.General) {
	a.check()
	s.product(c, a, b, true)
}

func (a *Strided) check() {
	if a.Rows < 0 || a.Cols < 0 || a.Row < 0 || a.Col < 1 {
		panic(fmt.Sprintf("vector: A is %d×%d with strides %d and %d", a.Rows, a.Cols, a.Row,
			a.Col))
	}
	if last := (a.Rows-1)*a.Row + (a.Cols-1)*a.Col + 1; a.Rows > 0 && a.Cols > 0 &&
		len(a.Data) < last {
		panic(fmt.Sprintf("vector: A of %d×%d has %d numbers, want %d", a.Rows, a.Cols, len(a.Data),
			last))
	}
}

// MulVec is y = A·x. Every row is summed in the same order, wherever it stands, but for other
// strides of A in another order. y does not overlap the operands.
func (s Set) MulVec(y []float64, a Strided, x []float64) {
	a.check()
	if len(y) != a.Rows || len(x) != a.Cols {
		panic(fmt.Sprintf("vector: y of %d is not A of %d×%d times x of %d", len(y), a.Rows, a.Cols,
			len(x)))
	}
	switch {
	case a.Rows == 0:
	case a.Cols == 0:
		clear(y)
	case a.Col == 1 && s != Portable:
		rowsAVX2(&y[0], &a.Data[0], 8*a.Row, a.Rows, &x[0], a.Cols, &tails[block-a.Cols%4])
	case a.Row == 1 && (a.Col >= a.Rows || a.Cols == 1): // yᵀ = xᵀ·Aᵀ, whose rows are contiguous
		c := blas64.General{Rows: 1, Cols: a.Rows, Stride: a.Rows, Data: y}
		rows := blas64.General{Rows: a.Cols, Cols: a.Rows, Stride: max(a.Col, a.Rows), Data: a.Data}
		s.product(c, Strided{Rows: 1, Cols: a.Cols, Row: a.Cols, Col: 1, Data: x}, rows, false)
	default:
		for i := range y {
			y[i] = dotStrided(a.Data[i*a.Row:], a.Col, x)
		}
	}
}

// dotStrided is Σ a[k·step]·x[k] in four interleaved sums.
func dotStrided(a []float64, step int, x []float64) float64 {
	var s0, s1, s2, s3 float64
	k, at := 0, 0
	for ; k+4 <= len(x); k += 4 {
		s0 += a[at] * x[k]
		s1 += a[at+step] * x[k+1]
		s2 += a[at+2*step] * x[k+2]
		s3 += a[at+3*step] * x[k+3]
		at += 4 * step
	}
	for ; k < len(x); k++ {
		s0 += a[at] * x[k]
		at += step
	}
	return (s0 + s1) + (s2 + s3)
}

// AddMul is C += A·B, under the rules of [Set.Mul]. Each element starts its sum
// with what it was.
func (s Set) AddMul(c, a, b blas64.General) {
	check("A", &a)
	s.product(c, strided(a), b, true)
}

func (s Set) product(c blas64.General, a Strided, b blas64.General, add bool) {
	check("B", &b)
	check("C", &c)
	if a.Rows != c.Rows || b.Cols != c.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("vector: C of %d×%d is not A of %d×%d times B of %d×%d", c.Rows, c.Cols,
			a.Rows, a.Cols, b.Rows, b.Cols))
	}
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if a.Cols == 0 {
		for i := 0; i < c.Rows && !add; i++ {
			clear(row(&c, i, 0, c.Cols))
		}
		return
	}
	if s == Portable {
		multiply(c, a, b, add)
		return
	}
	s.multiplyPanels(c, a, b, add)
}

// cacheLen is how many numbers a product reads before it reads them again: half of
// a second-level cache of 256 KiB.
const cacheLen = 1 << 14

// vec is a vector of gonum's.
func vec(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// part is rows [i, j) and columns [from, to) of x.
func part(x *blas64.General, i, j, from, to int) blas64.General {
	return blas64.General{Rows: j - i, Cols: to - from, Stride: max(x.Stride, to-from),
		Data: x.Data[i*x.Stride+from:]}
}

// multiply takes row by row, so that all are summed alike.
func multiply(c blas64.General, a Strided, b blas64.General, add bool) {
	beta := 0.0
	if add {
		beta = 1
	}
	width := max(64, cacheLen/a.Cols&^(block-1))
	for from := 0; from < c.Cols; from += width {
		to := min(from+width, c.Cols)
		for i := range c.Rows {
			blas64.Gemv(blas.Trans, 1, part(&b, 0, b.Rows, from, to),
				blas64.Vector{N: a.Cols, Inc: a.Col, Data: a.Data[i*a.Row:]}, beta,
				vec(row(&c, i, from, to)))
		}
	}
}

// tileRows is the number of rows that a tile computes together.
const tileRows = 4

// A panel is a range of the columns of C = A·B and of the terms of their sums.
// Assembly reads it by offset, and moves c and a on by the rows that are done.
type panel struct {
	c, a, b *float64 // first elements
	rows    int      // of C, at least 1
	cols    int      // at least 1
	first   int      // minus the bytes between the first term of A and the end of the last
	cPitch  int      // bytes between rows of C
	aPitch  int      // of A
	bPitch  int      // of B
	step    int      // bytes between terms of A
	add     int      // 0: the sums start with 0; 1: with what c holds
	masks   *uint64  // the end of the whole ones in tails
}

// tails has, from index block−r on, masks of block numbers of which the first r
// count.
var tails = [2 * block]uint64{0: ^uint64(0), 1: ^uint64(0), 2: ^uint64(0), 3: ^uint64(0),
	4: ^uint64(0), 5: ^uint64(0), 6: ^uint64(0), 7: ^uint64(0)}

// Panels have ranges of terms and columns for which their part of B stays in the
// first-level cache. The ranges depend on the shapes only.
const (
	panelTerms = 64
	panelLen   = 1 << 11
	panelCols  = 32 // unit of the columns of a panel, as wide as the widest tile
)

// multiplyPanels computes panels in assembly.
func (s Set) multiplyPanels(c blas64.General, a Strided, b blas64.General, add bool) {
	x := panel{cPitch: 8 * c.Stride, aPitch: 8 * a.Row, bPitch: 8 * b.Stride, step: 8 * a.Col,
		masks: &tails[block]}
	for term := 0; term < a.Cols; term += panelTerms {
		terms := min(panelTerms, a.Cols-term)
		x.first = -terms * x.step
		if add || term > 0 {
			x.add = 1
		}
		width := panelLen / terms / panelCols * panelCols
		for col := 0; col < c.Cols; col += width {
			x.rows, x.cols = c.Rows, min(width, c.Cols-col)
			x.c, x.a, x.b = &c.Data[col], &a.Data[term*a.Col], &b.Data[term*b.Stride+col]
			if s == AVX512 {
				panelAVX512(&x)
			} else {
				panelAVX2(&x)
			}
		}
	}
}

// AddGram adds the lower triangle of A·Aᵀ, diagonal included, to that of C, m×m
// for A of m×k, and leaves the rest of C as it is. C does not overlap A. Every
// element is summed in the same order, wherever it stands: rows i and j of A that
// are equal have equal inner products with every row, with i and j too.
func (s Set) AddGram(c, a blas64.General) { s.AddGramRows(c, a, 0, a.Rows) }

// AddGramRows is [Set.AddGram] for rows [first, end) of C alone, to the same bits.
func (s Set) AddGramRows(c, a blas64.General, first, end int) {
	check("A", &a)
	check("C", &c)
	if c.Rows != a.Rows || c.Cols != a.Rows {
		panic(fmt.Sprintf("vector: C of %d×%d is not A of %d×%d times its transpose", c.Rows,
			c.Cols, a.Rows, a.Cols))
	}
	if first < 0 || end > a.Rows {
		panic(fmt.Sprintf("vector: rows %d to %d of %d", first, end, a.Rows))
	}
	if first >= end || a.Cols == 0 {
		return
	}
	width := max(64, cacheLen/a.Rows&^(block-1))
	for from := 0; from < a.Cols; from += width {
		to := min(from+width, a.Cols)
		switch {
		case s != Portable:
			gramTiles(&c, &a, first, end, from, to)
		case a.Rows < tileRows:
			gramDots(&c, &a, first, end, from, to)
		default:
			gram(&c, &a, first, end, from, to)
		}
	}
}

// gram adds the inner products over a range of columns. gonum takes rows by four,
// and a remainder perhaps in another order: here the last four are taken together,
// and what was not wanted is restored.
func gram(c, a *blas64.General, first, last, from, to int) {
	for i := first; i < last; i++ {
		x := vec(row(a, i, from, to))
		end := (i + tileRows) &^ (tileRows - 1) // of the groups of four up to row i
		done := 0
		if end > a.Rows {
			done, end = end-tileRows, a.Rows
			blas64.Gemv(blas.NoTrans, 1, part(a, 0, done, from, to), x, 1, vec(row(c, i, 0, done)))
		}
		start := 0
		if done > 0 {
			start = end - tileRows
		}
		four := row(c, i, end-tileRows, end)
		before := [tileRows]float64(four)
		blas64.Gemv(blas.NoTrans, 1, part(a, start, end, from, to), x, 1,
			vec(row(c, i, start, end)))
		for j := range four {
			if at := end - tileRows + j; at < done || at > i {
				four[j] = before[j]
			}
		}
	}
}

// gramDots is gram for less than four rows.
func gramDots(c, a *blas64.General, first, last, from, to int) {
	for i := first; i < last; i++ {
		for j := range i + 1 {
			c.Data[i*c.Stride+j] += blas64.Dot(vec(row(a, i, from, to)), vec(row(a, j, from, to)))
		}
	}
}

// gramRows is the number of rows that innerAVX2 multiplies with tileRows others.
const gramRows = 2

// gramTiles is gram in assembly. A tile of fewer rows repeats the last one.
func gramTiles(c, a *blas64.General, first, last, from, to int) {
	var sums [gramRows * tileRows]float64
	at := func(i int) *float64 { return &a.Data[min(i, a.Rows-1)*a.Stride+from] }
	tail := &tails[block-(to-from)%4]
	for i := first; i < last; i += gramRows {
		for j := 0; j < min(i+gramRows, last); j += tileRows {
			innerAVX2(&sums, at(i), at(i+1), at(j), at(j+1), at(j+2), at(j+3), to-from, tail)
			for r := i; r < min(i+gramRows, last); r++ {
				for l := j; l < min(j+tileRows, r+1); l++ {
					c.Data[r*c.Stride+l] += sums[(r-i)*tileRows+l-j]
				}
			}
		}
	}
}
