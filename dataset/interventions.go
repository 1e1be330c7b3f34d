package dataset

import (
	"errors"
	"fmt"
)

// checkIntervened names the place of a mark that is neither 0 nor 1.
func (t *Table) checkIntervened() error {
	m := t.Intervened
	if m == nil {
		return nil
	}
	if m.IsEmpty() {
		return errors.New("the matrix of interventions is empty; nil stands for none")
	}
	n, d := t.X.Dims()
	if rows, cols := m.Dims(); rows != n || cols != d {
		return fmt.Errorf("interventions are %d×%d, want %d×%d like the table", rows, cols, n, d)
	}
	for i := range n {
		for j, v := range m.RawRowView(i) {
			if v != 0 && v != 1 {
				return fmt.Errorf("row %d, column %q of the interventions is %v, want 0 or 1", i+1, t.Names[j], v)
			}
		}
	}
	return nil
}

// Observational returns the table of the rows in which no value was set by
// intervention: t itself if there are no interventions, nil if no row is left.
func (t *Table) Observational() *Table {
	if t.Intervened == nil {
		return t
	}
	n, _ := t.X.Dims()
	var kept []int
	for i := range n {
		if !anyMarked(t.Intervened.RawRowView(i)) {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	u := t.Rows(kept)
	u.Intervened = nil
	return u
}

func anyMarked(row []float64) bool {
	for _, v := range row {
		if v != 0 {
			return true
		}
	}
	return false
}
