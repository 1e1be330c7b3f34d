package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/internal/delimited"

	"github.com/spf13/pflag"
)

// The largest values of options that count. They keep sums and products of what is counted
// within 64 bits, and are stated wherever a value is refused. Those of settings of the library are in package tobac.
const (
	mostLines     = 1_000_000_000
	mostSteps     = 1_000_000_000
	mostResamples = 100_000
)

// A bounded is a flag whose values are limited.
type bounded[T any] struct {
	value   *T
	kind    string // placeholder in the help text
	allowed string // which values are accepted
	parse   func(text string) (v T, ok bool)
}

var _ pflag.Value = (*bounded[int])(nil)

// Set implements pflag.Value.
func (b *bounded[T]) Set(text string) error {
	v, ok := b.parse(text)
	if !ok {
		return errors.New("allowed: " + b.allowed)
	}
	*b.value = v
	return nil
}

// String implements pflag.Value.
func (b *bounded[T]) String() string { return fmt.Sprint(*b.value) }

// Type implements pflag.Value.
func (b *bounded[T]) Type() string { return b.kind }

// wholeNumber is an integer from low to high.
func wholeNumber(value *int, low, high int) pflag.Value {
	return &bounded[int]{value, "N", fmt.Sprintf("whole numbers from %d to %d", low, high), func(text string) (int, bool) {
		v, err := strconv.Atoi(text)
		return v, err == nil && low <= v && v <= high
	}}
}

// positive is a finite number above 0.
func positive(value *float64) pflag.Value {
	return &bounded[float64]{value, "X", "finite numbers above 0", func(text string) (float64, bool) {
		v, ok := delimited.Number(text)
		return v, ok && v > 0
	}}
}

// fraction is a number between 0 and 1.
func fraction(value *float64) pflag.Value {
	return &bounded[float64]{value, "FRACTION", "numbers above 0 and below 1", func(text string) (float64, bool) {
		v, ok := delimited.Number(text)
		return v, ok && v > 0 && v < 1
	}}
}

// seed is an unsigned number of 64 bits.
func seed(value *uint64) pflag.Value {
	return &bounded[uint64]{value, "N", fmt.Sprintf("whole numbers from 0 to %d", uint64(math.MaxUint64)), func(text string) (uint64, bool) {
		v, err := strconv.ParseUint(text, 10, 64)
		return v, err == nil
	}}
}

// text is any string that is not blank: an empty one is a variable of a shell that is
// not set more often than a wish, and one that begins with -- an option whose forerunner lacks its value. kind is its placeholder
// in the help text; TEXT may begin with anything.
func text(value *string, kind string) pflag.Value {
	if kind == "TEXT" {
		return &bounded[string]{value, kind, notBlank, func(text string) (string, bool) { return text, !blank(text) }}
	}
	return &bounded[string]{value, kind, notBlank + " and does not begin with --, as options do; ./--name is a path", func(text string) (string, bool) {
		return text, !blank(text) && !strings.HasPrefix(text, "--")
	}}
}

// notBlank says what is allowed where any text is but an empty one.
const notBlank = "any text that is not empty"

// blank reports whether a text has nothing in it.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// several is a flag that may be repeated. Its values are taken without the blanks around them.
type several struct {
	values *[]string
	kind   string // placeholder for a value
}

var _ pflag.Value = (*several)(nil)

// Set implements pflag.Value.
func (s *several) Set(text string) error {
	if blank(text) {
		return errors.New("allowed: " + notBlank)
	}
	*s.values = append(*s.values, strings.TrimSpace(text))
	return nil
}

// String implements pflag.Value.
func (s *several) String() string {
	if s.values == nil {
		return ""
	}
	return strings.Join(*s.values, " ")
}

// Type implements pflag.Value.
func (s *several) Type() string { return s.kind }

// toggle is a flag that may stand without a value.
func toggle(flags *pflag.FlagSet, value *bool, name, usage string) {
	flags.Var(&bounded[bool]{value, "bool", "true, false", func(text string) (bool, bool) {
		v, err := strconv.ParseBool(text)
		return v, err == nil
	}}, name, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// choice is one of a few named values.
func choice[T fmt.Stringer](value *T, all ...T) pflag.Value {
	var names []string
	for _, v := range all {
		names = append(names, v.String())
	}
	return &bounded[T]{value, strings.Join(names, "|"), strings.Join(names, ", "), func(text string) (v T, ok bool) {
		for _, v := range all {
			if v.String() == text {
				return v, true
			}
		}
		return v, false
	}}
}

// oneName is one of some names.
func oneName(value *string, all []string) pflag.Value {
	return &bounded[string]{value, strings.Join(all, "|"), strings.Join(all, ", "), func(text string) (string, bool) { return text, slices.Contains(all, text) }}
}

// defaultText replaces a flag's default in the help text, for a default that
// depends on the data or the machine.
func defaultText(flags *pflag.FlagSet, name, text string) { flags.Lookup(name).DefValue = text }
