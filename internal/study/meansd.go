package study

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A MeanSD is a mean over N repetitions with their sample standard deviation
// (divisor n−1), NaN for a single one.
type MeanSD struct {
	Mean, SD float64
	N        int // 0: not stated
}

// MeanSDOf is that of values; of none, NaN.
func MeanSDOf(values []float64) MeanSD {
	if len(values) == 0 {
		return MeanSD{math.NaN(), math.NaN(), 0}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return MeanSD{mean, sd, len(values)}
}

// SE is the standard error of the mean, SD/√N; NaN if N is not stated.
func (s MeanSD) SE() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return s.SD / math.Sqrt(float64(s.N))
}

// Interval is half the width of the interval of Student's t around the mean that holds the true one
// with a probability of 95 %; NaN for fewer than two values.
func (s MeanSD) Interval() float64 {
	if s.N < 2 {
		return math.NaN()
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.N - 1)}.Quantile(0.975) * s.SE()
}

// String formats it as mean ± standard deviation, with digits that fit the size of the
// mean; an unknown standard deviation is left out, an unknown mean is a dash.
func (s MeanSD) String() string { return plusMinus(s.Mean, s.SD) }

// WithSE formats it as mean ± standard error.
func (s MeanSD) WithSE() string { return plusMinus(s.Mean, s.SE()) }

func plusMinus(mean, deviation float64) string {
	digits, after := 0, 0 // digits after the point
	switch a := math.Abs(mean); {
	case a < 2:
		digits, after = 3, 3
	case a < 200:
		digits, after = 1, 2
	}
	switch {
	case math.IsNaN(mean):
		return "–"
	case math.IsNaN(deviation):
		return fmt.Sprintf("%.*f", digits, mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, mean, after, deviation)
}
