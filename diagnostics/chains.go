package diagnostics

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"
	"strings"

	"tobac/internal/ranks"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// halves are the first and last halves of chains of one length, without the middle draw of an odd
// number.
func halves(chains [][]float64) [][]float64 {
	var out [][]float64
	for _, c := range chains {
		h := len(c) / 2
		out = append(out, c[:h], c[len(c)-h:])
	}
	return out
}

// usable reports whether chains are of one length of at least 4, finite, and not all the same
// number.
func usable(chains [][]float64) bool {
	if len(chains) == 0 || len(chains[0]) < 4 {
		return false
	}
	differ := false
	for _, c := range chains {
		if len(c) != len(chains[0]) {
			return false
		}
		for _, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
			differ = differ || v != chains[0][0]
		}
	}
	return differ
}

// normalScores replaces draws by the normal quantiles of their ranks among all; ties have their
// mean rank.
func normalScores(chains [][]float64) [][]float64 {
	all := slices.Concat(chains...)
	n, scores := float64(len(all)), ranks.Of(all)
	for i, r := range scores {
		scores[i] = distuv.UnitNormal.Quantile((r - 3./8) / (n + 1./4))
	}
	out := make([][]float64, len(chains))
	at := 0
	for k, c := range chains {
		out[k] = scores[at : at+len(c)]
		at += len(c)
	}
	return out
}

// variances are those within chains, and the pooled estimate of all draws'.
func variances(chains [][]float64) (within, pooled float64) {
	n, means := float64(len(chains[0])), make([]float64, len(chains))
	for k, c := range chains {
		var v float64
		means[k], v = stat.MeanVariance(c, nil)
		within += v / float64(len(chains))
	}
	pooled = (n - 1) / n * within
	if len(chains) > 1 {
		pooled += stat.Variance(means, nil)
	}
	return within, pooled
}

// folded are distances from the median of all.
func folded(chains [][]float64) [][]float64 {
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	n := len(all)
	median := (all[(n-1)/2] + all[n/2]) / 2
	return each(chains, func(v float64) float64 { return math.Abs(v - median) })
}

func each(chains [][]float64, f func(v float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for k, c := range chains {
		out[k] = make([]float64, len(c))
		for i, v := range c {
			out[k][i] = f(v)
		}
	}
	return out
}

// potentialScaleReduction is R̂ of chains of one length: the larger of those of normal scores of
// the ranks in half chains, and of the same of distances from the median. It is about 1 for chains
// that agree; NaN if there is too little to tell (fewer than 4 draws, draws that are all equal or
// not finite).
func potentialScaleReduction(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	split := halves(chains)
	largest := 0.0
	for _, x := range [][][]float64{normalScores(split), normalScores(folded(split))} {
		within, pooled := variances(x)
		largest = math.Max(largest, math.Sqrt(pooled/within))
	}
	return largest
}

// effective is the number of independent draws with a mean as uncertain as that of chains: Geyer's
// initial monotone sequence of autocorrelations in half chains.
func effective(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	x := halves(chains)
	m, n := float64(len(x)), len(x[0])
	within, pooled := variances(x)
	cov := autocovariances(x)
	correlation := func(lag int) float64 { return 1 - (within-cov[lag])/pooled }
	sum, before := 0.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		first := 1.0
		if lag > 0 {
			first = correlation(lag)
		}
		pair := math.Min(first+correlation(lag+1), before)
		if pair < 0 {
			sum += math.Max(first, 0) / 2 // counts once
			break
		}
		sum += pair
		before = pair
	}
	draws := m * float64(n)
	return draws / math.Max(2*sum-1, 1/math.Log10(draws))
}

// autocovariances are Σ (cᵢ − c̄)(cᵢ₊ₗ − c̄)/n of every lag l, the mean of all chains, by the
// square of the absolute values of a Fourier transform.
func autocovariances(chains [][]float64) []float64 {
	n := len(chains[0])
	padded := 1 << bits.Len(uint(2*n-1))
	transform := fourier.NewFFT(padded)
	x, power := make([]float64, padded), make([]complex128, padded/2+1)
	var coefficients []complex128
	for _, c := range chains {
		mean := stat.Mean(c, nil)
		for i, v := range c {
			x[i] = v - mean
		}
		coefficients = transform.Coefficients(coefficients, x)
		for i, v := range coefficients {
			power[i] += v * cmplx.Conj(v)
		}
	}
	cov := transform.Sequence(x, power)[:n]
	floats.Scale(1/float64(padded*n*len(chains)), cov)
	return cov
}

// bulkSize is the effective number of draws for the middle of a distribution: of normal scores of
// their ranks. NaN as in potentialScaleReduction.
func bulkSize(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	split := halves(chains)
	scores := normalScores(split)
	joined := make([][]float64, 0, len(chains))
	for k := 0; k < len(scores); k += 2 {
		joined = append(joined, slices.Concat(scores[k], scores[k+1]))
	}
	return effective(joined)
}

// tailSize is the effective number of draws for the 5 % and 95 % quantiles, the smaller of both.
func tailSize(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	return math.Min(QuantileSize(chains, 0.05), QuantileSize(chains, 0.95))
}

// QuantileSize is the effective number of draws for the probability of being below a quantile.
func QuantileSize(chains [][]float64, p float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	q := stat.Quantile(p, stat.LinInterp, slices.Sorted(slices.Values(slices.Concat(chains...))),
		nil)
	return effective(each(chains, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	}))
}

// MeanError is the Monte Carlo standard error of the mean of all draws.
func MeanError(chains [][]float64) float64 {
	return stat.StdDev(slices.Concat(chains...), nil) / math.Sqrt(effective(chains))
}

// energyFraction is the Bayesian fraction of missing information of a chain's energies, Σ(Eₙ −
// Eₙ₋₁)²/Σ(Eₙ − Ē)²: below 0.3 momenta that are drawn anew hardly reach all energies.
func energyFraction(energies []float64) float64 {
	if len(energies) < 2 {
		return math.NaN()
	}
	steps := make([]float64, len(energies)-1)
	floats.SubTo(steps, energies[1:], energies[:len(energies)-1])
	return floats.Dot(steps, steps) / (stat.PopVariance(energies, nil) * float64(len(energies)))
}

// A Parameter is a line of a [Summary].
type Parameter struct {
	Name                   string
	Mean, SD, Error        float64 // Error: Monte Carlo standard error of the mean
	Q05, Q50, Q95          float64
	Bulk, Tail, ScaleRatio float64 // effective numbers of draws, and R̂
}

// A Summary is a table of parameters.
type Summary []Parameter

// Summarise describes the columns of chains, draws × names, all of one number of draws.
func Summarise(names []string, chains []*mat.Dense) (Summary, error) {
	if len(chains) == 0 {
		return nil, fmt.Errorf("diagnostics: no chains")
	}
	draws, _ := chains[0].Dims()
	for k, c := range chains {
		if r, n := c.Dims(); r != draws || n != len(names) {
			return nil, fmt.Errorf(
				"diagnostics: chain %d has %d draws of %d numbers, want %d of %d", k, r, n, draws,
				len(names))
		}
	}
	out := make(Summary, len(names))
	for i, name := range names {
		x := make([][]float64, len(chains))
		for k, c := range chains {
			x[k] = mat.Col(nil, i, c)
		}
		all := slices.Sorted(slices.Values(slices.Concat(x...)))
		p := Parameter{Name: name, Error: MeanError(x), Bulk: bulkSize(x), Tail: tailSize(x),
			ScaleRatio: potentialScaleReduction(x)}
		p.Mean, p.SD = stat.MeanStdDev(all, nil)
		p.Q05, p.Q50, p.Q95 = stat.Quantile(0.05, stat.LinInterp, all, nil),
			stat.Quantile(0.5, stat.LinInterp, all, nil),
			stat.Quantile(0.95, stat.LinInterp, all, nil)
		out[i] = p
	}
	return out, nil
}

// String is the table as text.
func (s Summary) String() string {
	width := len("parameter")
	for _, p := range s {
		width = max(width, len(p.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %9s %9s %9s %9s %9s %9s %7s %7s %6s\n", width, "parameter", "mean", "sd",
		"mcse", "5%", "50%", "95%", "bulk", "tail", "R̂")
	for _, p := range s {
		fmt.Fprintf(&b, "%-*s %9.3g %9.3g %9.2g %9.3g %9.3g %9.3g %7.0f %7.0f %6.3f\n", width,
			p.Name, p.Mean, p.SD, p.Error, p.Q05, p.Q50, p.Q95, p.Bulk, p.Tail, p.ScaleRatio)
	}
	return b.String()
}
