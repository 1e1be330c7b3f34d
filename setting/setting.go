package setting

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tobac/internal/delimited"
	"tobac/schedule"
)

// A Setting is one named setting of a [tobac.Config] with its text form, from which
// the flags of the command, the settings of a snapshot and those of a summary
// derive. Set and String read and write the value that the Setting was made
// for; with Type, they make it a flag.
type Setting struct {
	Name  string // as on the command line, without dashes
	Usage string // one line
	// Default says which value a zero setting stands for.
	Default string

	// Why says why a text is not allowed; nil where the list of allowed values says it.
	Why func(text string) error

	kind    string // placeholder for a value
	allowed string // which values are accepted
	get     func() string
	set     func(text string) bool
}

// String is the text form of the value; "" stands for the default.
func (s *Setting) String() string { return s.get() }

// Set reads the text form. A text that stands for no allowed value is an error that lists
// those allowed, and changes nothing.
func (s *Setting) Set(text string) error {
	if s.set(text) {
		return nil
	}
	if s.Why != nil {
		return fmt.Errorf("allowed: %s; got the %w", s.allowed, s.Why(text))
	}
	return errors.New("allowed: " + s.allowed)
}

// Type is a placeholder for a value, for example N, or the choices.
func (s *Setting) Type() string { return s.kind }

// WholeNumber is an integer from 1 to high whose zero stands for the default.
func WholeNumber(v *int, high int, name, usage, byDefault string) *Setting {
	return Parsed(v, name, usage, byDefault, "N",
		fmt.Sprintf("whole numbers from 1 to %d", high), unless0, func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if n < 1 || n > high {
				err = errRange
			}
			return n, err
		})
}

var errRange = errors.New("out of range")

// unless0 is the text of a number, "" of 0.
func unless0[T int | float64](v T) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprint(v)
}

// Positive is a finite number above 0 whose zero stands for the default.
func Positive(v *float64, name, usage, byDefault string) *Setting {
	return Parsed(v, name, usage, byDefault, "X", "finite numbers above 0", unless0,
		func(text string) (x float64, err error) {
			x, ok := delimited.Number(text)
			if !ok || !(x > 0) {
				err = errRange
			}
			return x, err
		})
}

// Switch is true or false: *v says that it is not byDefault.
func Switch(v *bool, byDefault bool, name, usage string) *Setting {
	return &Setting{Name: name, Usage: usage, Default: strconv.FormatBool(byDefault), kind: "bool",
		allowed: "true, false",
		get: func() string {
			if !*v {
				return ""
			}
			return strconv.FormatBool(!byDefault)
		},
		set: func(text string) bool {
			x, err := strconv.ParseBool(text)
			if err == nil {
				*v = x != byDefault
			}
			return err == nil
		}}
}

// OneOf is a choice among named values. Without a default that is the first one, a zero without a
// text form.
func OneOf[T comparable](v *T, name, usage, byDefault string, all ...T) *Setting {
	var names []string
	for _, c := range all {
		names = append(names, fmt.Sprint(c))
	}
	bare := byDefault == ""
	if bare {
		byDefault = names[0]
	}
	return &Setting{Name: name, Usage: usage, Default: byDefault, kind: strings.Join(names, "|"),
		allowed: strings.Join(names, ", "),
		get: func() string {
			if bare && *v == *new(T) {
				return ""
			}
			return fmt.Sprint(*v)
		},
		set: func(text string) bool {
			for k, c := range all {
				if names[k] == text {
					*v = c
					return true
				}
			}
			return false
		}}
}

// Check finds the first setting whose value its text form does not allow; "" stands
// for a default.
func Check(settings []*Setting) error {
	for _, s := range settings {
		if text := s.String(); text != "" {
			if err := s.Set(text); err != nil {
				return fmt.Errorf("%s is %s; %w", s.Name, text, err)
			}
		}
	}
	return nil
}

// Parsed is a value with its text form, whose zero stands for the default. kind is a placeholder
// for a value, allowed says which texts parse takes.
func Parsed[T any](v *T, name, usage, byDefault, kind, allowed string, get func(T) string,
	parse func(text string) (T, error)) *Setting {
	return &Setting{Name: name, Usage: usage, Default: byDefault, kind: kind, allowed: allowed,
		get: func() string { return get(*v) },
		set: func(text string) bool {
			x, err := parse(text)
			if err == nil {
				*v = x
			}
			return err == nil
		}}
}

// Scheduled is a schedule, whose zero stands for the default. A custom one has no text.
func Scheduled(v *schedule.Schedule, name, usage, byDefault string) *Setting {
	s := Parsed(v, name, usage, byDefault, "FORM:A:B", schedule.Forms,
		func(v schedule.Schedule) string {
			text, _ := schedule.Text(v)
			return text
		}, schedule.Parse)
	s.Why = func(text string) error {
		_, err := schedule.Parse(text)
		return err
	}
	return s
}

// Fill replaces a zero by a default.
func Fill[T int | float64](v *T, byDefault T) {
	if *v == 0 {
		*v = byDefault
	}
}

// Text joins a name and the settings that are not zero, each a name and its value:
// "ffn no-bias rank=3".
func Text(name string, settings ...any) string {
	words := []string{name}
	for k := 0; k < len(settings); k += 2 {
		switch v := settings[k+1].(type) {
		case float64:
			if v != 0 {
				words = append(words, fmt.Sprintf("%s=%v", settings[k], v))
			}
		case int:
			if v != 0 {
				words = append(words, fmt.Sprintf("%s=%d", settings[k], v))
			}
		case bool:
			if v {
				words = append(words, settings[k].(string))
			}
		case string:
			if v != "" {
				words = append(words, fmt.Sprintf("%s=%s", settings[k], v))
			}
		}
	}
	return strings.Join(words, " ")
}
