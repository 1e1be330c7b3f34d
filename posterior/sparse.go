package posterior

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A Sparse is a square matrix of few entries, such as the weights of the edges of a graph: it takes
// memory for these alone. All others are 0.
type Sparse struct{ columns [][]entry }

// An entry is one of a column.
type entry struct {
	row   int
	value float64
}

var _ mat.Matrix = (*Sparse)(nil)

// NewSparse is the d×d matrix of zeros.
func NewSparse(d int) *Sparse { return &Sparse{columns: make([][]entry, d)} }

// Dims implements [mat.Matrix].
func (s *Sparse) Dims() (rows, columns int) { return len(s.columns), len(s.columns) }

// At implements [mat.Matrix].
func (s *Sparse) At(i, j int) float64 {
	s.check(i)
	for _, e := range s.columns[j] {
		if e.row == i {
			return e.value
		}
	}
	return 0
}

// T implements [mat.Matrix].
func (s *Sparse) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Set gives an entry a value.
func (s *Sparse) Set(i, j int, v float64) {
	s.check(i)
	for k := range s.columns[j] {
		if s.columns[j][k].row == i {
			s.columns[j][k].value = v
			return
		}
	}
	s.columns[j] = append(s.columns[j], entry{i, v})
}

func (s *Sparse) check(i int) {
	if i < 0 || i >= len(s.columns) {
		panic(fmt.Sprintf("posterior: row %d of %d", i, len(s.columns)))
	}
}

// each visits the entries of a square matrix, of a sparse one those that are kept.
func each(m mat.Matrix, visit func(i, j int, v float64)) {
	if s, ok := m.(*Sparse); ok {
		for j, column := range s.columns {
			for _, e := range column {
				visit(e.row, j, e.value)
			}
		}
		return
	}
	rows, columns := m.Dims()
	for i := range rows {
		for j := range columns {
			visit(i, j, m.At(i, j))
		}
	}
}

// sparse is the matrix without its zeros.
func sparse(m mat.Matrix) *Sparse {
	if s, ok := m.(*Sparse); ok {
		return s
	}
	d, _ := m.Dims()
	s := NewSparse(d)
	each(m, func(i, j int, v float64) {
		if v != 0 {
			s.columns[j] = append(s.columns[j], entry{i, v})
		}
	})
	return s
}
