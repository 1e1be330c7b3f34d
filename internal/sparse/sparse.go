package sparse

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A Matrix is a square matrix of few entries, such as the weights of the edges of a graph: it takes
// memory for these alone. All others are 0.
type Matrix struct {
	Columns [][]Entry // of each column those that were set
}

// An Entry is one of a column.
type Entry struct {
	Row   int
	Value float64
}

var _ mat.Matrix = (*Matrix)(nil)

// New is the d×d matrix of zeros.
func New(d int) *Matrix { return &Matrix{Columns: make([][]Entry, d)} }

// Dims implements [mat.Matrix].
func (s *Matrix) Dims() (rows, columns int) { return len(s.Columns), len(s.Columns) }

// At implements [mat.Matrix].
func (s *Matrix) At(i, j int) float64 {
	s.check(i)
	for _, e := range s.Columns[j] {
		if e.Row == i {
			return e.Value
		}
	}
	return 0
}

// T implements [mat.Matrix].
func (s *Matrix) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Set gives an entry a value.
func (s *Matrix) Set(i, j int, v float64) {
	s.check(i)
	for k := range s.Columns[j] {
		if s.Columns[j][k].Row == i {
			s.Columns[j][k].Value = v
			return
		}
	}
	s.Columns[j] = append(s.Columns[j], Entry{i, v})
}

func (s *Matrix) check(i int) {
	if i < 0 || i >= len(s.Columns) {
		panic(fmt.Sprintf("sparse: row %d of %d", i, len(s.Columns)))
	}
}

// Each visits the entries of a matrix, of a sparse one those that are kept.
func Each(m mat.Matrix, visit func(i, j int, v float64)) {
	if s, ok := m.(*Matrix); ok {
		for j, column := range s.Columns {
			for _, e := range column {
				visit(e.Row, j, e.Value)
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

// Of is a square matrix without its zeros.
func Of(m mat.Matrix) *Matrix {
	if s, ok := m.(*Matrix); ok {
		return s
	}
	d, _ := m.Dims()
	s := New(d)
	Each(m, func(i, j int, v float64) {
		if v != 0 {
			s.Columns[j] = append(s.Columns[j], Entry{i, v})
		}
	})
	return s
}
