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
	checkRows(rows, len(dst))
	switch {
	case len(rows) == 0:
		for i := range dst {
			dst[i] = math.Inf(-1)
		}
	case s == AVX512:
		logSumExpRowsAVX512(dst, rows)
	case s == AVX2:
		logSumExpRowsAVX2(dst, rows)
	default:
		for i := range dst {
			top, rest := logSumExpColumn(rows, i)
			dst[i] = top + rest
		}
	}
}

// LogSumExpRowParts are the parts of [Set.LogSumExpRows]: top[i] is the largest of
// rows[k][i], NaN if one is, and rest[i] = ln Σ_k e^(rows[k][i] − top[i]), 0 where top[i] is
// infinite or NaN. Every row, top and rest have one length, or LogSumExpRowParts panics; top
// and rest are none of the rows.
func (s Set) LogSumExpRowParts(top, rest []float64, rows [][]float64) {
	rest = rest[:len(top)]
	checkRows(rows, len(top))
	switch {
	case len(rows) == 0:
		for i := range top {
			top[i], rest[i] = math.Inf(-1), 0
		}
	case s == AVX512:
		logSumExpRowPartsAVX512(top, rest, rows)
	case s == AVX2:
		logSumExpRowPartsAVX2(top, rest, rows)
	default:
		for i := range top {
			top[i], rest[i] = logSumExpColumn(rows, i)
		}
	}
}

func checkRows(rows [][]float64, n int) {
	for k, row := range rows {
		if len(row) != n {
			panic(fmt.Sprintf("vector: row %d has length %d, want %d", k, len(row), n))
		}
	}
}

// logSumExpColumn is the largest number top of column i, and ln Σ e^(x−top).
func logSumExpColumn(rows [][]float64, i int) (top, rest float64) {
	top = math.Inf(-1)
	for _, row := range rows {
		top = max(top, row[i])
	}
	if top-top != 0 { // an infinity, or NaN
		return top, 0
	}
	sum := 0.0
	for _, row := range rows {
		sum += math.Exp(row[i] - top)
	}
	return top, math.Log(sum)
}
