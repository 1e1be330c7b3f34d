package impute

import (
	"fmt"
	"math"
)

// A Pooled estimate is that of a quantity from several completed tables.
type Pooled struct {
	Mean float64
	SD   float64 // standard error, of which the part between the tables is a part
	DF   float64 // of the t distribution of (Mean − quantity)/SD
	// Information is the fraction of the information about the quantity that is missing, in [0, 1].
	Information float64
}

// Pool combines the estimates of a quantity from K ≥ 2 completed tables, with the squares of their
// standard errors, by Rubin's rules: with W the mean of the variances, B the sample variance of the
// estimates,
//
//	T = W + (1 + 1/K)B,   r = (1 + 1/K)B/W,   γ = (1 + 1/K)B/T,
//
// the quantity has the mean of the estimates, the variance T, and with ν the degrees of freedom of
// the complete data (+Inf: many)
//
//	1/DF = γ²/(K − 1) + (ν + 3)/((ν + 1)ν(1 − γ)),
//
// (Barnard and Rubin 1999); the fraction of missing information is (r + 2/(DF + 3))/(r + 1), and 0
// if the estimates are equal. It panics if lengths differ or are below 2.
func Pool(estimates, variances []float64, df float64) Pooled {
	if len(estimates) != len(variances) || len(estimates) < 2 {
		panic(fmt.Sprintf("impute: %d estimates with %d variances, want at least 2 of each", len(estimates), len(variances)))
	}
	k := float64(len(estimates))
	var out Pooled
	within, between := 0.0, 0.0
	for m, v := range estimates {
		out.Mean += v / k
		within += variances[m] / k
	}
	for _, v := range estimates {
		between += (v - out.Mean) * (v - out.Mean) / (k - 1)
	}
	extra := (1 + 1/k) * between
	total := within + extra
	out.SD, out.DF = math.Sqrt(total), df
	if extra == 0 {
		return out
	}
	gamma := extra / total
	inverse := gamma * gamma / (k - 1)
	if !math.IsInf(df, 1) {
		inverse += (df + 3) / ((df + 1) * df * (1 - gamma))
	}
	out.DF = 1 / inverse
	if within == 0 {
		out.Information = 1
		return out
	}
	r := extra / within
	out.Information = math.Min(1, (r+2/(out.DF+3))/(r+1))
	return out
}
