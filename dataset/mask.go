package dataset

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

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
