package dataset

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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
				return fmt.Errorf("row %d, column %q of the interventions is %v, want 0 or 1", i+1,
					t.Names[j], v)
			}
		}
	}
	return nil
}

// Observational returns the table of the rows in which no value was set by intervention: t itself
// if there are no interventions, nil if that leaves no row.
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

// Mask is t.Intervened, or nil if no value was set by intervention, as functions of
// data and a mask take it.
func (t *Table) Mask() mat.Matrix {
	if t.Intervened == nil {
		return nil
	}
	return t.Intervened
}

// ObservedRows are the rows in which column j was not set by intervention.
func (t *Table) ObservedRows(j int) []int {
	n, _ := t.X.Dims()
	var rows []int
	for i := range n {
		if t.Intervened == nil || t.Intervened.At(i, j) == 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// ObservedMeans are the means of all columns over the rows in which column j was not
// set by intervention; 0 if there is no such row.
func (t *Table) ObservedMeans(j int) []float64 {
	n, d := t.X.Dims()
	mean, rows := make([]float64, d), 0
	for i := range n {
		if t.Intervened != nil && t.Intervened.At(i, j) != 0 {
			continue
		}
		rows++
		for k, v := range t.X.RawRowView(i) {
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= float64(max(rows, 1))
	}
	return mean
}

// ObservedMoments are the mean and the population standard deviation of every column over the rows
// in which it was not set by intervention, or over all rows if it does not vary in those.
func (t *Table) ObservedMoments() (mean, sd []float64) {
	mean, sd = t.Moments()
	if t.Intervened == nil {
		return mean, sd
	}
	_, d := t.X.Dims()
	for j := range d {
		var observed []float64
		for _, i := range t.ObservedRows(j) {
			observed = append(observed, t.X.At(i, j))
		}
		if len(observed) > 1 && !constant(observed) {
			mean[j], sd[j] = stat.PopMeanStdDev(observed, nil)
		}
	}
	return mean, sd
}
