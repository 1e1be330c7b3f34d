package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
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
	allowed := fmt.Sprintf("whole numbers from %d", low)
	if high < math.MaxInt {
		allowed += fmt.Sprintf(" to %d", high)
	}
	return &bounded[int]{value, "N", allowed, func(text string) (int, bool) {
		v, err := strconv.Atoi(text)
		return v, err == nil && low <= v && v <= high
	}}
}

// positive is a finite number above 0.
func positive(value *float64) pflag.Value {
	return &bounded[float64]{value, "X", "finite numbers above 0", func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil && v > 0 && v <= math.MaxFloat64
	}}
}

// fraction is a number between 0 and 1.
func fraction(value *float64) pflag.Value {
	return &bounded[float64]{value, "FRACTION", "numbers above 0 and below 1", func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil && v > 0 && v < 1
	}}
}

// seed is an unsigned number of 64 bits.
func seed(value *uint64) pflag.Value {
	return &bounded[uint64]{value, "N", fmt.Sprintf("whole numbers from 0 to %d", uint64(math.MaxUint64)), func(text string) (uint64, bool) {
		v, err := strconv.ParseUint(text, 10, 64)
		return v, err == nil
	}}
}

// text is any string; kind is its placeholder in the help text.
func text(value *string, kind string) pflag.Value {
	return &bounded[string]{value, kind, "", func(text string) (string, bool) { return text, true }}
}

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

// defaultText replaces a flag's default in the help text, for a default that
// depends on the data or the machine.
func defaultText(flags *pflag.FlagSet, name, text string) { flags.Lookup(name).DefValue = text }
