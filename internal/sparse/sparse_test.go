package sparse_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/sparse"
)

// A sparse matrix is that of the entries that were set last.
func TestSparse(t *testing.T) {
	s, want := sparse.New(3), mat.NewDense(3, 3, nil)
	for k, v := range []float64{1, 2, 0, 4, 5, 6, 7} {
		s.Set(k%3, k*2%3, v)
		want.Set(k%3, k*2%3, v)
	}
	if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) {
		t.Errorf("got %v, want %v", mat.Formatted(s), mat.Formatted(want))
	}
	defer func() {
		if recover() == nil {
			t.Error("row 3 of 3 is no panic")
		}
	}()
	s.At(3, 0)
}

func Example() {
	m := sparse.New(3)
	m.Set(0, 2, 1.5)
	sparse.Each(m, func(i, j int, v float64) { fmt.Println(i, j, v) })
	// Output:
	// 0 2 1.5
}
