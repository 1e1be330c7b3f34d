package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Matrices of at most mostInMatrices variables are stored as such. Of more, mostListed edges for
// each variable are: a file does not grow with the square of their number.
const (
	mostInMatrices = 100
	mostListed     = 100
)

// storedPairs are the most probable edges, in the sequence of their targets and sources. All others
// have the probability Others, their mean one, but for those that are impossible: edge i → j of d
// variables has the number j·d+i, and None has the first and the last number of each run of
// impossible ones. Weights that are not listed are unknown.
type storedPairs struct {
	Edges         [][]int    `json:"edges"` // source and target, indices of names
	Probabilities numbers    `json:"probabilities"`
	Others        float64    `json:"others"`
	None          [][]int    `json:"none,omitzero"`
	WeightMean    []*float64 `json:"weight_mean,omitzero"` // null: unknown
	WeightSD      []*float64 `json:"weight_sd,omitzero"`   // null: unknown
}

// listed is m as a list.
func (m Marginals) listed() *storedPairs {
	d := m.size()
	at := func(number int) float64 { return m.Probabilities.At(number%d, number/d) }
	var all []int // possible edges
	s := &storedPairs{Edges: [][]int{}, Probabilities: numbers{}}
	for number := range d * d {
		switch last := len(s.None) - 1; {
		case number%d == number/d:
		case at(number) > 0:
			all = append(all, number)
		case last >= 0 && m.none(s.None[last][1], number):
			s.None[last][1] = number
		default:
			s.None = append(s.None, []int{number, number})
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(at(b), at(a)) })
	first := min(mostListed*d, len(all))
	for _, number := range all[first:] {
		s.Others += at(number) / float64(len(all)-first)
	}
	slices.Sort(all[:first])
	for _, number := range all[:first] {
		i, j := number%d, number/d
		s.Edges = append(s.Edges, []int{i, j})
		s.Probabilities = append(s.Probabilities, at(number))
		if m.WeightMean != nil {
			s.WeightMean = append(s.WeightMean, orNull(m.WeightMean.At(i, j)))
		}
		if m.WeightSD != nil {
			s.WeightSD = append(s.WeightSD, orNull(m.WeightSD.At(i, j)))
		}
	}
	return s
}

// none reports whether an impossible edge follows one of another number, but for the diagonal.
func (m Marginals) none(last, number int) bool {
	d := m.size()
	return number == last+1 || number == last+2 && (last+1)%d == (last+1)/d
}

// marginals are those of d variables that were listed.
func (s *storedPairs) marginals(d int) (m Marginals, err error) {
	n := len(s.Edges)
	for _, of := range []struct {
		what string
		n    int
	}{
		{"probabilities", len(s.Probabilities)},
		{"mean weights", len(s.WeightMean)},
		{"standard deviations of weights", len(s.WeightSD)},
	} {
		if of.n != n && (of.n != 0 || of.what == "probabilities") {
			return m, fmt.Errorf("%d %s for %d listed edges", of.n, of.what, n)
		}
	}
	matrices := 1.0
	for _, list := range [][]*float64{s.WeightMean, s.WeightSD} {
		if list != nil {
			matrices++
		}
	}
	if err := checkPairs(d, matrices); err != nil {
		return m, err
	}
	if d == 0 {
		return m, errors.New("listed edges without names")
	}
	if !(s.Others >= 0 && s.Others <= 1) {
		return m, fmt.Errorf("others have the probability %v, want 0 to 1", s.Others)
	}
	m.Probabilities = filled(d, s.Others)
	if s.WeightMean != nil {
		m.WeightMean = filled(d, math.NaN())
	}
	if s.WeightSD != nil {
		m.WeightSD = filled(d, math.NaN())
	}
	for _, run := range s.None {
		if len(run) != 2 || run[0] < 0 || run[0] > run[1] || run[1] >= d*d {
			return m, fmt.Errorf("run %v of impossible edges, want two numbers from 0 to %d", run,
				d*d-1)
		}
		for number := run[0]; number <= run[1]; number++ {
			m.Probabilities.Set(number%d, number/d, 0)
		}
	}
	for i := range d {
		m.Probabilities.Set(i, i, 0)
	}
	before := -1
	for k, e := range s.Edges {
		if len(e) != 2 || min(e[0], e[1]) < 0 || max(e[0], e[1]) >= d || e[1]*d+e[0] <= before {
			return m, fmt.Errorf("listed edge %d is %v, want source and target from 0 to %d, by "+
				"target, each once", k+1, e, d-1)
		}
		before = e[1]*d + e[0]
		m.Probabilities.Set(e[0], e[1], s.Probabilities[k])
		if s.WeightMean != nil {
			m.WeightMean.Set(e[0], e[1], orNaN(s.WeightMean[k]))
		}
		if s.WeightSD != nil {
			m.WeightSD.Set(e[0], e[1], orNaN(s.WeightSD[k]))
		}
	}
	return m, nil
}

// filled is a d×d matrix of one number.
func filled(d int, v float64) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for k := range m.RawMatrix().Data {
		m.RawMatrix().Data[k] = v
	}
	return m
}
