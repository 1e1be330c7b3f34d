package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Forms lists the text forms of schedules, for error messages and help texts.
const Forms = "constant:A, growth:RATE, and linear:A:B, geometric:A:B or cosine:A:B, from A to B " +
	"over the run or with :START-END over a part of it, in steps or in per cent"

// Text is the text form of a schedule of this package, which [Parse] reads unless a field is out of
// range. It is false of nil and of a custom schedule.
func Text(s Schedule) (text string, ok bool) {
	if v, ok := s.(checked); ok {
		return v.String(), true
	}
	return "", false
}

// Parse reads the text form of a schedule, see the package comment. The error says what is wrong
// with it.
func Parse(text string) (Schedule, error) {
	s, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", text, err)
	}
	return s, nil
}

func parse(text string) (Schedule, error) {
	words := strings.Split(text, ":")
	name, rest := words[0], words[1:]
	shape := slices.Index(shapeNames, name)
	if shape < 0 && name != "constant" && name != "growth" {
		return nil, fmt.Errorf(
			"unknown form %q, want constant, growth, linear, geometric or cosine", name)
	}
	if shape < 0 && len(rest) != 1 {
		return nil, fmt.Errorf("got %d after %s, want one number", len(rest), name)
	}
	if shape >= 0 && len(rest) != 2 && len(rest) != 3 {
		return nil, fmt.Errorf("got %d after %s, want two numbers, and a part of the run if any",
			len(rest), name)
	}
	var v [2]float64
	for k := range min(2, len(rest)) {
		var err error
		if v[k], err = strconv.ParseFloat(rest[k], 64); err != nil {
			return nil, fmt.Errorf("%q is not a number", rest[k])
		}
	}
	switch {
	case name == "constant":
		return valid(constant(v[0]))
	case name == "growth":
		return valid(growth(v[0]))
	case len(rest) == 2:
		return valid(OfRun{Shape: Shape(shape), From: v[0], To: v[1]})
	}
	return part(Shape(shape), v[0], v[1], rest[2])
}

// part reads the part of a run that a ramp takes.
func part(shape Shape, from, to float64, text string) (Schedule, error) {
	start, end, both := strings.Cut(text, "-")
	if !both {
		end = "100%"
	}
	if _, relative := strings.CutSuffix(end, "%"); relative {
		r := OfRun{Shape: shape, From: from, To: to}
		var ok1, ok2 bool
		r.Start, ok1 = ofHundred(start)
		r.End, ok2 = ofHundred(end)
		if !ok1 || !ok2 || r.End == 0 {
			return nil, partError(text)
		}
		if r.Start == 0 && r.End == 1 {
			r.End = 0 // which says the same, without a part
		}
		return valid(r)
	}
	r := Ramp{Shape: shape, From: from, To: to}
	var err1, err2 error
	r.Start, err1 = strconv.Atoi(start)
	r.End, err2 = strconv.Atoi(end)
	if err1 != nil || err2 != nil {
		return nil, partError(text)
	}
	return valid(r)
}

func partError(text string) error {
	return fmt.Errorf("part %q, want START-END in steps, such as 100-299, or START-END or START "+
		"in per cent, such as 50%%-100%%", text)
}

// checked is a schedule of this package.
type checked interface {
	Schedule
	fmt.Stringer
	check() error
}

func valid(s checked) (Schedule, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent writes a part of 1, without an exponent, so that ofHundred reads the same bits.
func percent(v float64) string {
	if !(v >= 0 && v < 1) {
		return strconv.FormatFloat(100*v, 'f', -1, 64) + "%"
	}
	digits := strings.TrimPrefix(strconv.FormatFloat(v, 'f', -1, 64), "0")
	digits = strings.TrimPrefix(digits, ".") + "00"
	whole, rest := strings.TrimLeft(digits[:2], "0"), strings.TrimRight(digits[2:], "0")
	if whole == "" {
		whole = "0"
	}
	if rest != "" {
		rest = "." + rest
	}
	return whole + rest + "%"
}

func ofHundred(text string) (float64, bool) {
	digits, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(digits+"e-2", 64)
	return v, ok && err == nil
}
