package tobac

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac/internal/delimited"
	"tobac/schedule"
)

// A Setting is one named setting of a [Config] with its text form, from which
// the flags of the command, the settings of a snapshot and those of a summary
// derive. Set and String read and write the value that the Setting was made
// for; with Type, they make it a flag.
type Setting struct {
	Name  string // as on the command line, without dashes
	Usage string // one line
	// Default says which value a zero setting stands for.
	Default string

	kind    string // placeholder for a value
	allowed string // which values are accepted
	get     func() string
	set     func(text string) bool
	wrong   func(text string) error // says why a text is not allowed; nil: the list says it
}

// String is the text form of the value; "" stands for the default.
func (s *Setting) String() string { return s.get() }

// Set reads the text form. A text that stands for no allowed value is an error that lists
// those allowed, and changes nothing.
func (s *Setting) Set(text string) error {
	if s.set(text) {
		return nil
	}
	if s.wrong != nil {
		return fmt.Errorf("allowed: %s; got the %w", s.allowed, s.wrong(text))
	}
	return errors.New("allowed: " + s.allowed)
}

// Type is a placeholder for a value, for example N, or the choices.
func (s *Setting) Type() string { return s.kind }

// The largest values of settings that count: they keep sums and products of what is counted within 64 bits.
const (
	mostSteps     = 1_000_000_000 // of SVGD, and iterations of a chain
	mostParticles = 100_000
	mostGraphs    = 1_000_000 // drawn for a particle in a step
	mostRank      = 10_000
	mostOrders    = 10_000
	mostChains    = 1000 // and inverse temperatures of each
	mostOfParents = 10_000
	MostWorkers   = 4096   // MostWorkers is the largest number of goroutines of a run.
	MostLayers    = 100    // MostLayers is the largest number of hidden layers of a [FeedForward].
	MostUnits     = 10_000 // MostUnits is the largest number of units of a hidden layer.
)

// wholeNumber is an integer from 1 to high whose zero stands for the default.
func wholeNumber(v *int, high int, name, usage, byDefault string) *Setting {
	return &Setting{Name: name, Usage: usage, Default: byDefault, kind: "N", allowed: fmt.Sprintf("whole numbers from 1 to %d", high),
		get: func() string {
			if *v == 0 {
				return ""
			}
			return strconv.Itoa(*v)
		},
		set: func(text string) bool {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > high {
				return false
			}
			*v = n
			return true
		}}
}

// positive is a finite number above 0 whose zero stands for the default.
func positive(v *float64, name, usage, byDefault string) *Setting {
	return &Setting{Name: name, Usage: usage, Default: byDefault, kind: "X", allowed: "finite numbers above 0",
		get: func() string {
			if *v == 0 {
				return ""
			}
			return strconv.FormatFloat(*v, 'g', -1, 64)
		},
		set: func(text string) bool {
			x, ok := delimited.Number(text)
			if !ok || !(x > 0) {
				return false
			}
			*v = x
			return true
		}}
}

// oneOf is a choice among named values.
func oneOf[T interface {
	comparable
	fmt.Stringer
}](v *T, name, usage, byDefault string, all ...T) *Setting {
	var names []string
	for _, c := range all {
		names = append(names, c.String())
	}
	return &Setting{Name: name, Usage: usage, Default: byDefault, kind: strings.Join(names, "|"), allowed: strings.Join(names, ", "),
		get: func() string { return (*v).String() },
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

// checkTexts finds the first setting whose value its text form does not allow; "" stands
// for a default.
func checkTexts(settings []*Setting) error {
	for _, s := range settings {
		if text := s.String(); text != "" {
			if err := s.Set(text); err != nil {
				return fmt.Errorf("%s is %s; %w", s.Name, text, err)
			}
		}
	}
	return nil
}

// fraction is a number above 0 and at most 1 whose zero stands for the default.
func fraction(v *float64, name, usage, byDefault string) *Setting {
	s := positive(v, name, usage, byDefault)
	s.allowed = "numbers above 0, at most 1"
	set := s.set
	s.set = func(text string) bool {
		x, ok := delimited.Number(text)
		return ok && x <= 1 && set(text)
	}
	return s
}

// parsed is a value with a text form of its own, whose zero stands for the default.
func parsed[T any](v *T, name, usage, byDefault, kind, allowed string, get func(T) string, parse func(text string) (T, error)) *Setting {
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

// oneText is a choice among texts, whose zero stands for the default.
func oneText[T ~string](v *T, name, usage, byDefault string, all ...T) *Setting {
	var names []string
	for _, c := range all {
		names = append(names, string(c))
	}
	return parsed(v, name, usage, byDefault, strings.Join(names, "|"), strings.Join(names, ", "), func(c T) string { return string(c) }, func(text string) (T, error) {
		if !slices.Contains(all, T(text)) {
			return "", errors.New("no choice")
		}
		return T(text), nil
	})
}

// scheduled is a schedule, whose zero stands for the default. One of the caller's own has no text.
func scheduled(v *schedule.Schedule, name, usage, byDefault string) *Setting {
	s := parsed(v, name, usage, byDefault, "FORM:A:B", schedule.Forms, func(v schedule.Schedule) string {
		text, _ := schedule.Text(v)
		return text
	}, schedule.Parse)
	s.wrong = func(text string) error {
		_, err := schedule.Parse(text)
		return err
	}
	return s
}
