package numpy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/memory"
)

// Magic is how an NPY file begins.
const Magic = "\x93NUMPY"

// Array is an array, row-major. Either Numbers or Texts holds its elements, as many as the product
// of Shape, which is 1 for no dimension.
type Array struct {
	Shape   []int
	Numbers []float64
	Texts   []string // nil for an array of numbers
}

// Matrix is an array of numbers in two dimensions, or in one, as a column. It shares the numbers.
func (a *Array) Matrix() (*mat.Dense, error) {
	shape := a.Shape
	if len(shape) == 1 {
		shape = []int{shape[0], 1}
	}
	switch {
	case a.Texts != nil:
		return nil, errors.New("NumPy array of texts; allowed: numbers")
	case len(shape) != 2 || min(shape[0], shape[1]) < 1:
		return nil, fmt.Errorf("NumPy array of shape %v; allowed: two dimensions, rows and "+
			"columns, at least one of each", shape)
	}
	return mat.NewDense(shape[0], shape[1], a.Numbers), nil
}

// header is what stands before the elements.
type header struct {
	order   binary.ByteOrder
	kind    byte // f, i, u, b, U or S
	size    int  // bytes of an element
	fortran bool
	shape   []int
	count   int // elements
}

// Read reads an array up to the end of a file. Anything that is not such an array, a file that is
// shorter or longer than its header says, and an array that the memory does not hold are errors.
func Read(r io.Reader) (*Array, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(b)
	if err != nil {
		return nil, err
	}
	a := &Array{Shape: h.shape}
	texts := h.kind == 'U' || h.kind == 'S'
	each := 3 * 8 // bytes: the number, and as much twice for an analysis
	if texts {
		each = 16 + h.size
	}
	if err := memory.Check(fmt.Sprintf("NumPy array of shape %v", h.shape),
		float64(each)*float64(h.count)); err != nil {
		return nil, err
	}
	if texts {
		a.Texts = make([]string, h.count)
	} else {
		a.Numbers = make([]float64, h.count)
	}
	place := h.place()
	element := make([]byte, h.size)
	for k := range h.count {
		if n, err := io.ReadFull(b, element); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, fmt.Errorf("NumPy array of shape %v is cut short: %d bytes after the "+
					"header, want %d of each element", h.shape, k*h.size+n, h.size)
			}
			return nil, err
		}
		at := place(k)
		if !texts {
			a.Numbers[at] = h.number(element)
		} else if a.Texts[at], err = h.text(element); err != nil {
			return nil, err
		}
	}
	if _, err := b.ReadByte(); err == nil {
		return nil, fmt.Errorf("NumPy array of shape %v ends before the file does; allowed: a "+
			"single array in a file", h.shape)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return a, nil
}

// longestHeader is the number of bytes that a header may have.
const longestHeader = 1 << 16

// readHeader reads what stands before the elements: how a file begins, a version, and one
// dictionary with one shape.
func readHeader(r io.Reader) (h header, err error) {
	begin := make([]byte, len(Magic)+2)
	if _, err := io.ReadFull(r, begin); err != nil || string(begin[:len(Magic)]) != Magic {
		return h, cutShort(err, "not a NumPy file: it does not begin as one")
	}
	length := make([]byte, 2)
	switch version := begin[len(Magic)]; {
	case version < 1 || version > 3:
		return h, fmt.Errorf("NumPy format version %d, want 1, 2 or 3", version)
	case version > 1:
		length = make([]byte, 4)
	}
	const ends = "not a NumPy file: it ends in the header"
	if _, err := io.ReadFull(r, length); err != nil {
		return h, cutShort(err, ends)
	}
	size := binary.LittleEndian.Uint32(append(length, 0, 0))
	if size > longestHeader {
		return h, fmt.Errorf("NumPy header of %d bytes, want at most %d", size, longestHeader)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return h, cutShort(err, ends)
	}
	text := strings.TrimSpace(string(data))
	if !strings.HasPrefix(text, "{") || strings.IndexAny(text[1:], "{}") != len(text)-2 ||
		strings.Count(text, "shape") != 1 || !shapeEntry.MatchString(text) {
		return h, errors.New("not a NumPy file: header is malformed")
	}
	return parseHeader(text)
}

// cutShort is the error of a file that ends too early, or that of its reader.
func cutShort(err error, problem string) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New(problem)
	}
	return err
}

// The header is a Python dictionary with three entries in any sequence.
var (
	descrEntry   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([<>|=]?)([a-zA-Z?])(\d*)['"]`)
	fortranEntry = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	// Python 2 wrote 3L
	shapeEntry = regexp.MustCompile(`['"]shape['"]\s*:\s*\(((?:\s*\d+L?\s*,)*(?:\s*\d+L?)?\s*)\)`)
)

// allowedTypes is for errors.
const allowedTypes = "f2, f4, f8, i1 to i8, u1 to u8, b1, U and S"

func parseHeader(text string) (h header, err error) {
	descr, fortran, shape := descrEntry.FindStringSubmatch(text),
		fortranEntry.FindStringSubmatch(text), shapeEntry.FindStringSubmatch(text)
	if descr == nil || fortran == nil || shape == nil {
		return h, fmt.Errorf("NumPy array with the header %.80q; allowed: one type of %s, two "+
			"orders, a shape", text, allowedTypes)
	}
	h.kind, h.fortran, h.order = descr[2][0], fortran[1] == "True", binary.LittleEndian
	if descr[1] == ">" {
		h.order = binary.BigEndian
	}
	if h.size, err = strconv.Atoi(descr[3]); err != nil || !h.known() {
		return h, fmt.Errorf("NumPy type %q; allowed: %s", descr[2]+descr[3], allowedTypes)
	}
	if h.kind == 'U' {
		h.size *= 4 // characters of UTF-32
	}
	h.count = 1
	words := strings.Split(shape[1], ",")
	if strings.TrimSpace(words[len(words)-1]) == "" {
		words = words[:len(words)-1] // of (), or after the comma of (3,)
	}
	const mostDims = 64 // of NumPy 2
	if len(words) > mostDims {
		return h, fmt.Errorf("NumPy array of %d dimensions, want at most %d", len(words), mostDims)
	}
	for _, word := range words {
		word = strings.TrimSuffix(strings.TrimSpace(word), "L")
		n, err := strconv.Atoi(word)
		if err != nil || n > math.MaxInt32 || n > 0 && h.count > math.MaxInt32/n {
			return h, fmt.Errorf("NumPy array of shape (%.60s), want at most %d elements", shape[1],
				math.MaxInt32)
		}
		h.shape, h.count = append(h.shape, n), h.count*n
	}
	const mostEmpty = 1 << 20
	if h.size == 0 && h.count > mostEmpty {
		return h, fmt.Errorf("NumPy array of %d texts without characters, want at most %d", h.count,
			mostEmpty)
	}
	return h, nil
}

// known reports whether there are elements of this type and size.
func (h *header) known() bool {
	switch h.kind {
	case 'f':
		return h.size == 2 || h.size == 4 || h.size == 8
	case 'i', 'u':
		return h.size == 1 || h.size == 2 || h.size == 4 || h.size == 8
	case 'b':
		return h.size == 1
	case 'U', 'S':
		return h.size <= 1<<20
	}
	return false
}

// place says where element k of the file stands in row-major order.
func (h *header) place() func(k int) int {
	if !h.fortran {
		return func(k int) int { return k }
	}
	stride := h.count
	strides := make([]int, len(h.shape))
	for j, n := range h.shape {
		stride /= max(n, 1)
		strides[j] = stride
	}
	return func(k int) int {
		at := 0
		for j, n := range h.shape {
			at += k % n * strides[j]
			k /= n
		}
		return at
	}
}

func (h *header) number(b []byte) float64 {
	var bits uint64
	switch h.size {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(h.order.Uint16(b))
	case 4:
		bits = uint64(h.order.Uint32(b))
	default:
		bits = h.order.Uint64(b)
	}
	switch h.kind {
	case 'f':
		switch h.size {
		case 2:
			return Half(uint16(bits))
		case 4:
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	case 'i':
		unused := 64 - 8*h.size
		return float64(int64(bits<<unused) >> unused)
	case 'b':
		return float64(min(bits, 1))
	}
	return float64(bits)
}

// Half is the number of half precision with these bits: a sign, 5 bits of an exponent, and 10 of a
// fraction.
func Half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}

// text decodes a fixed number of characters, the unused ones of which are zero.
func (h *header) text(b []byte) (string, error) {
	if h.kind == 'S' {
		text := strings.TrimRight(string(b), "\x00")
		if strings.ToValidUTF8(text, "") != text {
			return "", fmt.Errorf("NumPy text %q is not UTF-8", text)
		}
		return text, nil
	}
	var out strings.Builder
	for ; len(b) > 0; b = b[4:] {
		c := h.order.Uint32(b)
		if c > 0x10FFFF || 0xD800 <= c && c < 0xE000 {
			return "", fmt.Errorf("NumPy text with the character %#x, which Unicode lacks", c)
		}
		out.WriteRune(rune(c))
	}
	return strings.TrimRight(out.String(), "\x00"), nil
}
