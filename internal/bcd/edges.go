package bcd

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Basis says what the weight of an edge is compared with.
type Basis int

const (
	// ByColumns is InUnits, and OfLargest where every column has mean 0 and variance
	// 1, and so no units.
	ByColumns Basis = iota
	// InUnits has an edge wherever |W_ij| is above Least, a number in units of column
	// j per unit of column i: the published rule, with 0.3.
	InUnits
	// OfLargest has an edge wherever |W_ij| is above Least times the largest |W| of
	// the draw.
	OfLargest
	// OfSigns has the edge i → j in the draws that have i before j if among all those
	// draws the weight has one sign in at least the fraction Least. Which edges there
	// are then depends on all draws.
	OfSigns
)

// basisNames are the text forms.
var basisNames = [...]string{ByColumns: "columns", InUnits: "units", OfLargest: "largest",
	OfSigns: "signs"}

// An EdgeRule says which weights of a draw are edges: none of them is exactly 0.
type EdgeRule struct {
	By    Basis
	Least float64 // defaults to 0.3, and 0.95 with OfSigns
}

// String is the text form that [ParseEdgeRule] reads, such as largest:0.3.
func (r EdgeRule) String() string { return basisNames[r.By] + ":" + number(r.least()) }

// ParseEdgeRule reads a number, which is in units, or columns, units, largest or
// signs, alone or followed by a colon and a number.
func ParseEdgeRule(text string) (EdgeRule, error) {
	name, value, given := strings.Cut(strings.TrimSpace(text), ":")
	if _, err := strconv.ParseFloat(name, 64); err == nil && !given {
		name, value, given = basisNames[InUnits], name, true
	}
	for k, want := range basisNames {
		if name != want {
			continue
		}
		r := EdgeRule{By: Basis(k)}
		if given {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || v == 0 {
				return r, fmt.Errorf("bcd: edge rule %q, want a number above 0 behind the colon",
					text)
			}
			r.Least = v
		}
		return r, r.check()
	}
	return EdgeRule{},
		fmt.Errorf("bcd: edge rule %q, want a number or %s, alone or as in largest:0.3", text,
			strings.Join(basisNames[:], ", "))
}

func (r EdgeRule) least() float64 {
	switch {
	case r.Least != 0:
		return r.Least
	case r.By == OfSigns:
		return 0.95
	}
	return 0.3
}

func (r EdgeRule) check() error {
	if r.By < ByColumns || r.By > OfSigns {
		return errors.New(
			"bcd: edge rule by an unknown basis, want columns, units, largest or signs")
	}
	least := r.least()
	switch {
	case r.By == OfSigns && !(least > 0.5 && least <= 1):
		return fmt.Errorf(
			"bcd: edges by a fraction %v of signs, want a number above 0.5 and at most 1", least)
	case r.By == OfLargest && !(least > 0 && least < 1):
		return fmt.Errorf(
			"bcd: edges from %v of the largest weight on, want a number above 0 and below 1", least)
	case !(least > 0) || !finite(least):
		return fmt.Errorf("bcd: edges from a weight of %v on, want a number above 0", least)
	}
	return nil
}

// apply sets the weights that are no edges to 0.
func (r EdgeRule) apply(weights []*mat.Dense) {
	if r.By == OfSigns {
		bySigns(weights, r.least())
		return
	}
	for _, w := range weights {
		all := w.RawMatrix().Data
		least := r.least()
		if r.By == OfLargest {
			largest := 0.0
			for _, v := range all {
				largest = max(largest, math.Abs(v))
			}
			least *= largest
		}
		for e, v := range all {
			if !(math.Abs(v) > least) {
				all[e] = 0
			}
		}
	}
}

// bySigns keeps the weights whose sign is that of a fraction of the draws that
// have such a weight.
func bySigns(weights []*mat.Dense, least float64) {
	if len(weights) == 0 {
		return
	}
	for e := range weights[0].RawMatrix().Data {
		count := [2]int{}
		for _, w := range weights {
			if v := w.RawMatrix().Data[e]; v > 0 {
				count[0]++
			} else if v < 0 {
				count[1]++
			}
		}
		if float64(max(count[0], count[1])) >= least*float64(count[0]+count[1]) {
			continue
		}
		for _, w := range weights {
			w.RawMatrix().Data[e] = 0
		}
	}
}
