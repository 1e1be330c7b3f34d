package sem

import (
	"fmt"
	"strconv"

	"tobac/dataset"
	"tobac/internal/inspect"
)

// Limits beyond which data do not suit a noise variance that all equations share. Each is far from
// what data of such models show, so that a warning means something.
const (
	noiseFactor = 3   // by which a given noise variance may exceed the least variance of a column
	signal      = 1e3 // by which the least variance of a column may exceed a given noise variance
)

// Unsuited says why a model takes no part in a comparison of models, whatever the others are: what
// its method of that name says, "" if it may.
func Unsuited(m Model, data *dataset.Table) string {
	if v, ok := As[interface{ Unsuited(*dataset.Table) string }](m); ok {
		return v.Unsuited(data)
	}
	return ""
}

// normalNoise says why a model that reads directions off normal noise is left out of a
// comparison: noise of a column with few values is not normal, and the model
// would be certain of directions that follow from that alone.
func normalNoise(data *dataset.Table) string {
	if column := inspect.Discrete(data); column != "" {
		return "it needs continuous columns, but " + column
	}
	return ""
}

// commonNoise are reasons to distrust one noise variance for all columns, with its value if it was
// given.
func commonNoise(data *dataset.Table, variance float64) []string {
	ratio, least, greatest := inspect.UnitsApart(data)
	if ratio >= inspect.ApartUnits {
		return []string{fmt.Sprintf("the standard deviations of %s and %s differ by a factor of "+
			"%.0e: one noise variance for all columns assumes a common unit; standardise them, "+
			"or take --model linear-unequal",
			strconv.Quote(data.Names[least]), strconv.Quote(data.Names[greatest]), ratio)}
	}
	_, sd := data.Moments()
	switch v := sd[least] * sd[least]; {
	case v == 0 || variance == 0:
	case v*noiseFactor < variance:
		return []string{fmt.Sprintf("a noise variance of %.3g is more than the whole variance of "+
			"column %s, %.3g: scale the columns, or leave the noise variance to be inferred",
			variance, strconv.Quote(data.Names[least]), v)}
	case v > signal*variance:
		return []string{fmt.Sprintf("a noise variance of %.3g is a small part of the variance of "+
			"every column, at least %.3g: scale the columns, or leave the noise variance to be "+
			"inferred", variance, v)}
	}
	return nil
}
