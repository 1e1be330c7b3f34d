package generalised

import (
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// A Forecast says how much processor time equations will take. It fits some of them in some of the
// rows, and counts their steps: how many distributions are left, how long searches are and which
// curves are tried depends on the table.
type Forecast struct {
	d    int
	once float64    // multiplications before any equation is fitted
	each [3]float64 // of the equations of all variables with one set of 0, 1 and 2 parents
}

const (
	trialPart   = 8 // one among so many rows
	fewestTrial = 100
	mostTrial   = 1000
	ofSecond    = 1.1e9 // multiplications
)

// NewForecast is the forecast for a table as of [New].
func NewForecast(x mat.Matrix, variables []Variable) (Forecast, error) {
	n, d := x.Dims()
	f, rows := Forecast{d: d}, min(n, max(fewestTrial, min(n/trialPart, mostTrial)))
	some := mat.NewDense(rows, d, nil)
	for a, i := range scoring.Spread(n, rows) {
		mat.Row(some.RawRowView(a), i, x)
	}
	count := &trial{rows: n}
	s, err := New(some, nil, variables, Options{trial: count})
	if err != nil {
		return f, err
	}
	spent := func() float64 {
		v := count.spent
		count.spent = 0
		return v
	}
	f.once = spent()
	for j := range d {
		s.fitted(j, nil)
	}
	f.each[0] = spent()
	if d < 2 {
		return f, nil
	}
	for j := range d {
		for i := range d {
			if i != j {
				s.fitted(j, []int{i})
			}
		}
	}
	f.each[1] = spent() / float64(d-1)
	if d < 3 {
		return f, nil
	}
	for j := range d { // each variable is a parent of each other in one pair or two
		for a := 1; a < d; a += 2 {
			i, k := (j+a)%d, (j+a+1)%d
			if k == j {
				k = (j + 1) % d
			}
			s.fitted(j, []int{min(i, k), max(i, k)})
		}
	}
	f.each[2] = spent() / float64(d/2)
	return f, nil
}

// Seconds is about the processor time of the equations of at most so many parents. That of an
// equation of more than two is on the parabola through those of fewer.
func (f Forecast) Seconds(most int) float64 {
	sum, sets := f.once, 1.0
	slope := f.each[1] - f.each[0]
	bend := max(0, f.each[2]-f.each[1]-slope)
	for k := 0; k <= most; k++ {
		each := f.each[0] + float64(k)*slope + float64(k*(k-1))/2*bend
		if k < len(f.each) {
			each = f.each[k]
		}
		sum += sets * each
		sets *= float64(f.d-1-k) / float64(k+1)
	}
	return sum / ofSecond
}
