package table

import (
	"fmt"
	"slices"
	"strings"

	"tobac/dataset"
	"tobac/internal/words"
)

// A Transform is what is done to every column of a table before anything else.
type Transform int

const (
	None         Transform = iota // the numbers as they are
	Log                           // [dataset.Table.Log]
	NormalScores                  // [dataset.Table.NormalScores]
)

// transformNames are the text forms.
var transformNames = [...]string{None: "none", Log: "log", NormalScores: "normal-scores"}

// Transforms lists all transforms.
func Transforms() []Transform { return []Transform{None, Log, NormalScores} }

// String is the text form: none, log or normal-scores.
func (f Transform) String() string {
	return words.Name(f, transformNames[:]...)
}

// MarshalText returns the text form. A value that is none of the constants is an
// error.
func (f Transform) MarshalText() ([]byte, error) {
	if f < 0 || int(f) >= len(transformNames) {
		return nil, f.unknown()
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads the text form.
func (f *Transform) UnmarshalText(text []byte) error {
	k := slices.Index(transformNames[:], string(text))
	if k < 0 {
		return fmt.Errorf("table: unknown transform %q; allowed: %s", text,
			strings.Join(transformNames[:], ", "))
	}
	*f = Transform(k)
	return nil
}

// Apply returns the transformed table; None returns t itself. A table that is not
// valid, or that the transform is not defined for, is an error, and so is a
// transform that is none of the constants.
func (f Transform) Apply(t *dataset.Table) (*dataset.Table, error) {
	switch f {
	case None:
		if err := t.Validate(); err != nil {
			return nil, err
		}
		return t, nil
	case Log:
		return t.Log()
	case NormalScores:
		return t.NormalScores()
	}
	return nil, f.unknown()
}

func (f Transform) unknown() error {
	return fmt.Errorf("table: unknown transform %d; allowed: %s", int(f),
		strings.Join(transformNames[:], ", "))
}
