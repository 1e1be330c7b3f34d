package numpy_test

import (
	"slices"
	"testing"

	"tobac/internal/numpy"
)

// Arrays of numbers in two dimensions are matrices, those in one columns, and no others.
func TestMatrix(t *testing.T) {
	numbers := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		array      numpy.Array
		rows, cols int // 0: an error
	}{
		{numpy.Array{Shape: []int{2, 3}, Numbers: numbers}, 2, 3},
		{numpy.Array{Shape: []int{6, 1}, Numbers: numbers}, 6, 1},
		{numpy.Array{Shape: []int{6}, Numbers: numbers}, 6, 1},
		{numpy.Array{Shape: []int{1}, Numbers: numbers[:1]}, 1, 1},
		{numpy.Array{Shape: []int{}, Numbers: numbers[:1]}, 0, 0},
		{numpy.Array{Shape: []int{0}}, 0, 0},
		{numpy.Array{Shape: []int{0, 3}}, 0, 0},
		{numpy.Array{Shape: []int{3, 0}}, 0, 0},
		{numpy.Array{Shape: []int{1, 2, 3}, Numbers: numbers}, 0, 0},
		{numpy.Array{Shape: []int{2}, Texts: []string{"a", "b"}}, 0, 0},
	} {
		m, err := c.array.Matrix()
		if (err == nil) != (c.rows > 0) {
			t.Errorf("shape %v: error %v", c.array.Shape, err)
		}
		if err != nil {
			continue
		}
		if rows, cols := m.Dims(); rows != c.rows || cols != c.cols ||
			!slices.Equal(m.RawMatrix().Data, c.array.Numbers) {
			t.Errorf("shape %v: %d×%d, %v", c.array.Shape, rows, cols, m.RawMatrix().Data)
		}
	}
}
