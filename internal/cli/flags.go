package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tobac/internal/delimited"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The largest values of options that count. They keep sums and products of what is counted within
// 64 bits, and are stated wherever a value is refused. Those of settings of the library are in
// package tobac.
const (
	MostLines     = 1_000_000_000
	MostSteps     = 1_000_000_000
	MostResamples = 100_000
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

// Bound is a flag whose values are read by parse; allowed says which are accepted.
func Bound[T any](value *T, kind, allowed string,
	parse func(text string) (v T, ok bool)) pflag.Value {
	return &bounded[T]{value, kind, allowed, parse}
}

// WholeNumber is an integer from low to high.
func WholeNumber(value *int, low, high int) pflag.Value {
	return &bounded[int]{value, "N", fmt.Sprintf("whole numbers from %d to %d", low, high),
		func(text string) (int, bool) {
			v, err := strconv.Atoi(text)
			return v, err == nil && low <= v && v <= high
		}}
}

// Positive is a finite number above 0.
func Positive(value *float64) pflag.Value {
	return &bounded[float64]{value, "X", "finite numbers above 0",
		func(text string) (float64, bool) {
			v, ok := delimited.Number(text)
			return v, ok && v > 0
		}}
}

// Fraction is a number between 0 and 1.
func Fraction(value *float64) pflag.Value {
	return &bounded[float64]{value, "FRACTION", "numbers above 0 and below 1",
		func(text string) (float64, bool) {
			v, ok := delimited.Number(text)
			return v, ok && v > 0 && v < 1
		}}
}

// Seed is an unsigned number of 64 bits.
func Seed(value *uint64) pflag.Value {
	return &bounded[uint64]{value, "N", fmt.Sprintf("whole numbers from 0 to %d",
		uint64(math.MaxUint64)), func(text string) (uint64, bool) {
		v, err := strconv.ParseUint(text, 10, 64)
		return v, err == nil
	}}
}

// PlainText is any string that is not blank. Empty values are usually unset shell variables; a
// value that begins with -- usually means that the option before it lacks one. kind is its
// placeholder in the help text; TEXT may begin with anything.
func PlainText(value *string, kind string) pflag.Value {
	if kind == "TEXT" {
		return &bounded[string]{value, kind, notBlank, func(text string) (string, bool) {
			return text, !Blank(text)
		}}
	}
	return &bounded[string]{value, kind,
		notBlank + " and does not begin with --, as options do; ./--name is a path",
		func(text string) (string, bool) {
			return text, !Blank(text) && !strings.HasPrefix(text, "--")
		}}
}

// notBlank says what is allowed where any text is but an empty one.
const notBlank = "any text that is not empty"

// Blank reports whether a text has nothing in it.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }

// Several is a flag that may be repeated. Its values are taken without the blanks around them.
type Several struct {
	Values *[]string
	kind   string // placeholder for a value
}

var _ pflag.Value = (*Several)(nil)

// SeveralOf is a flag that may be repeated, with a placeholder for a value.
func SeveralOf(values *[]string, kind string) pflag.Value { return &Several{values, kind} }

// Set implements pflag.Value.
func (s *Several) Set(text string) error {
	if Blank(text) {
		return errors.New("allowed: " + notBlank)
	}
	*s.Values = append(*s.Values, strings.TrimSpace(text))
	return nil
}

// String implements pflag.Value.
func (s *Several) String() string {
	if s.Values == nil {
		return ""
	}
	return strings.Join(*s.Values, " ")
}

// Type implements pflag.Value.
func (s *Several) Type() string { return s.kind }

// Toggle is a flag that may stand without a value.
func Toggle(flags *pflag.FlagSet, value *bool, name, usage string) {
	flags.Var(&bounded[bool]{value, "bool", "true, false", func(text string) (bool, bool) {
		v, err := strconv.ParseBool(text)
		return v, err == nil
	}}, name, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// Choice is one of a few named values.
func Choice[T fmt.Stringer](value *T, all ...T) pflag.Value {
	var names []string
	for _, v := range all {
		names = append(names, v.String())
	}
	return &bounded[T]{value, strings.Join(names, "|"), strings.Join(names, ", "),
		func(text string) (v T, ok bool) {
			for _, v := range all {
				if v.String() == text {
					return v, true
				}
			}
			return v, false
		}}
}

// OneName is one of some names.
func OneName(value *string, all []string) pflag.Value {
	return &bounded[string]{value, strings.Join(all, "|"), strings.Join(all, ", "),
		func(text string) (string, bool) { return text, slices.Contains(all, text) }}
}

// DefaultText replaces a flag's default in the help text, for a default that
// depends on the data or the machine.
func DefaultText(flags *pflag.FlagSet, name, text string) { flags.Lookup(name).DefValue = text }

// flagNames are the names of flags.
func flagNames(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	slices.Sort(names)
	return names
}

// placeholderOf is the placeholder for the value of a flag, NAME for a long list of choices.
func placeholderOf(flag *pflag.Flag) string {
	kind := flag.Value.Type()
	if kind == "bool" {
		return "true|false"
	}
	if strings.Contains(kind, "|") && utf8.RuneCountInString(kind)+len(flag.Name) > 21 {
		return "NAME"
	}
	return kind
}

// QuietFlag defines --quiet.
func QuietFlag(f *pflag.FlagSet) {
	Toggle(f, new(bool), "quiet", QuietUsage)
	Mark(f, MarkOutside, "quiet")
}

// IsQuiet reports whether a command shows no progress.
func IsQuiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}

// What --truth and --heldout mean, wherever they are accepted.
const (
	TruthUsage   = "true graph to compare with, in a format of tobac convert"
	HeldoutUsage = "held-out rows for the predictive density"
)

// QuietUsage is what --quiet means, wherever it is accepted.
const QuietUsage = "no progress on standard error"

// ForceUsage is what --force means, wherever it is accepted.
const ForceUsage = "replace files that are there, and write into a folder with others"

// EditedUsage is what --edited means, wherever it is accepted.
const EditedUsage = "accept files that were edited or come from different runs"

// JSONUsage is what --json means, wherever it is accepted.
const JSONUsage = "print the results as JSON"
