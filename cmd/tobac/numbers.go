package main

import (
	"fmt"
	"math"

	"tobac/effects"
	"tobac/internal/delimited"
	"tobac/metrics"
)

// distributionJSON is a distribution; what is unknown is null.
type distributionJSON struct {
	Mean metrics.Number `json:"mean"`
	SD   metrics.Number `json:"sd"`
	Q05  metrics.Number `json:"q05"`
	Q50  metrics.Number `json:"q50"`
	Q95  metrics.Number `json:"q95"`
}

func newDistributionJSON(d effects.Distribution) distributionJSON {
	return distributionJSON{metrics.Number(d.Mean), metrics.Number(d.SD), metrics.Number(d.Q05),
		metrics.Number(d.Q50), metrics.Number(d.Q95)}
}

// unknown is a distribution of which nothing is known.
var unknown = effects.Distribution{Mean: math.NaN(), SD: math.NaN(), Q05: math.NaN(),
	Q50: math.NaN(), Q95: math.NaN()}

// signed is a number with two decimals and its sign; a dash if it is unknown.
func signed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%+.2f", v)
}

// intervalText is the interval between the outer quantiles.
func intervalText(d effects.Distribution) string {
	return fmt.Sprintf("[%s, %s]", short(d.Q05, d.SD), short(d.Q95, d.SD))
}

// short is a number with as many digits as its standard deviation makes sense of.
func short(v, sd float64) string {
	if math.IsNaN(sd) || sd <= 0 || v == 0 {
		return fmt.Sprintf("%.3g", v)
	}
	decimals := 1 - int(math.Floor(math.Log10(sd)))
	switch digits := int(math.Floor(math.Log10(math.Abs(v)))) + decimals + 1; {
	case decimals > 5 || math.Abs(v) >= 1e7:
		return fmt.Sprintf("%.*g", max(1, min(digits, 9)), v)
	default:
		return fmt.Sprintf("%.*f", max(0, decimals), v)
	}
}

// appendKnown appends numbers with a comma before each; what is not known stays
// empty.
func appendKnown(text []byte, numbers ...float64) []byte {
	for _, v := range numbers {
		text = append(text, ',')
		if !math.IsNaN(v) {
			text = delimited.AppendNumber(text, v)
		}
	}
	return text
}
