package vector

import (
	"fmt"
	"math"
)

// LogSumExpRows is dst[i] = ln Σ_k e^rows[k][i], without overflow, with an error of some
// units in the last place of the largest number or of 1. It is −∞ where all are −∞ and
// where there are no rows, ∞ where one is ∞ and none NaN, and NaN where one is NaN. Every
// row has the length of dst, or LogSumExpRows panics; dst may be one of them.
func (s Set) LogSumExpRows(dst []float64, rows [][]float64) {
	for k, row := range rows {
		if len(row) != len(dst) {
			panic(fmt.Sprintf("vector: row %d has length %d, want %d", k, len(row), len(dst)))
		}
	}
	switch {
	case len(rows) == 0:
		for i := range dst {
			dst[i] = math.Inf(-1)
		}
	case s == Portable:
		for i := range dst {
			dst[i] = logSumExpColumn(rows, i)
		}
	default:
		logSumExpRowsKernel(dst, rows, s == AVX512)
	}
}

// logSumExpColumn is top + ln Σ e^(x−top) with the largest number top of column i.
func logSumExpColumn(rows [][]float64, i int) float64 {
	top := math.Inf(-1)
	for _, row := range rows {
		top = max(top, row[i])
	}
	if top-top != 0 { // an infinity, or NaN
		return top
	}
	sum := 0.0
	for _, row := range rows {
		sum += math.Exp(row[i] - top)
	}
	return top + math.Log(sum)
}
