package numpy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Magic is how an NPY file begins.
const Magic = "\x93NUMPY"

// Array is an array, row-major. Either Numbers or Texts holds its elements, as many as the product of Shape, which is 1 for no dimension.
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
		return nil, fmt.Errorf("NumPy array of shape %v; allowed: two dimensions, rows and columns, at least one of each", shape)
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

// Read reads an array from the bytes of a file. Anything that is no such array, and a file shorter than its header says, is an error.
func Read(data []byte) (*Array, error) {
	text, body, err := Header(data)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	if h.count > 0 && h.size > 0 && h.count > len(body)/h.size || h.size == 0 && h.count > len(body)+1 {
		return nil, fmt.Errorf("NumPy array of shape %v is cut short: %d bytes after the header, want %d of each element", h.shape, len(body), h.size)
	}
	a := &Array{Shape: h.shape}
	if h.kind == 'U' || h.kind == 'S' {
		a.Texts = make([]string, h.count)
	} else {
		a.Numbers = make([]float64, h.count)
	}
	place := h.place()
	for k := range h.count {
		element, at := body[k*h.size:(k+1)*h.size], place(k)
		if a.Texts == nil {
			a.Numbers[at] = h.number(element)
		} else if a.Texts[at], err = h.text(element); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Header separates the text of the header, one dictionary with one shape, from the bytes of the elements.
func Header(data []byte) (text string, body []byte, err error) {
	if !bytes.HasPrefix(data, []byte(Magic)) || len(data) < 10 {
		return "", nil, errors.New("not a NumPy file: it does not begin as one")
	}
	length, start := int(binary.LittleEndian.Uint16(data[8:])), 10
	switch version := data[6]; {
	case version < 1 || version > 3:
		return "", nil, fmt.Errorf("NumPy format version %d, want 1, 2 or 3", version)
	case version > 1:
		if len(data) < 12 {
			return "", nil, errors.New("not a NumPy file: it ends in the header")
		}
		length, start = int(binary.LittleEndian.Uint32(data[8:])), 12
	}
	if length > len(data)-start {
		return "", nil, errors.New("not a NumPy file: it ends in the header")
	}
	text = strings.TrimSpace(string(data[start : start+length]))
	if !strings.HasPrefix(text, "{") || strings.IndexAny(text[1:], "{}") != len(text)-2 || strings.Count(text, "shape") != 1 || !shapeEntry.MatchString(text) {
		return "", nil, errors.New("not a NumPy file: header is malformed")
	}
	return text, data[start+length:], nil
}

// The header is a Python dictionary with three entries in any sequence.
var (
	descrEntry   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([<>|=]?)([a-zA-Z?])(\d*)['"]`)
	fortranEntry = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	shapeEntry   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(((?:\s*\d+L?\s*,)*(?:\s*\d+L?)?\s*)\)`) // Python 2 wrote 3L
)

// allowedTypes is for errors.
const allowedTypes = "f4, f8, i1 to i8, u1 to u8, b1, U and S"

func parseHeader(text string) (h header, err error) {
	descr, fortran, shape := descrEntry.FindStringSubmatch(text), fortranEntry.FindStringSubmatch(text), shapeEntry.FindStringSubmatch(text)
	if descr == nil || fortran == nil || shape == nil {
		return h, fmt.Errorf("NumPy array with the header %.80q; allowed: one type of %s, two orders, a shape", text, allowedTypes)
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
	for _, word := range words {
		word = strings.TrimSuffix(strings.TrimSpace(word), "L")
		n, err := strconv.Atoi(word)
		if err != nil || n > math.MaxInt32 || n > 0 && h.count > math.MaxInt32/n {
			return h, fmt.Errorf("NumPy array of shape (%.60s), want at most %d elements", shape[1], math.MaxInt32)
		}
		h.shape, h.count = append(h.shape, n), h.count*n
	}
	return h, nil
}

// known reports whether there are elements of this type and size.
func (h *header) known() bool {
	switch h.kind {
	case 'f':
		return h.size == 4 || h.size == 8
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
		if h.size == 4 {
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
