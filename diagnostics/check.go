package diagnostics

import (
	"fmt"
	"math"

	"tobac/internal/words"
)

// A Verdict says how far a number can be trusted.
type Verdict int

const (
	OK       Verdict = iota // nothing speaks against the result
	Doubtful                // single probabilities may be off by more than their spread
	Bad                     // the result is not the posterior that was asked for
)

// String is the name of the verdict.
func (v Verdict) String() string {
	return words.Name(v, "ok", "doubtful", "bad")
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(text []byte) error {
	for *v = OK; *v <= Bad; *v++ {
		if v.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("diagnostics: verdict %q; allowed: ok, doubtful, bad", text)
}

// A Check is one number with its verdict.
type Check struct {
	Name  string
	Value float64 // NaN means too little to tell, which is doubtful
	// threshold beyond which it is doubtful; NaN means it takes no part in a verdict
	Doubtful float64
	Bad      float64 // likewise
	Verdict  Verdict
	Text     string // what the number says, in a sentence without its stop
}

// Above is a check of a number that is worse the larger it is: it is doubtful above the first
// threshold, and bad above the second, which is not less.
func Above(name string, value, doubtful, bad float64, text string) Check {
	return judged(name, value, doubtful, bad, text, value > doubtful, value > bad)
}

// Below is a check of a number that is worse the smaller it is: it is doubtful below the first
// threshold, and bad below the second, which is not greater.
func Below(name string, value, doubtful, bad float64, text string) Check {
	return judged(name, value, doubtful, bad, text, value < doubtful, value < bad)
}

func judged(name string, value, doubtful, bad float64, text string, isDoubtful, isBad bool) Check {
	c := Check{Name: name, Value: value, Doubtful: doubtful, Bad: bad, Text: text}
	switch {
	case isBad:
		c.Verdict = Bad
	case isDoubtful || math.IsNaN(value):
		c.Verdict = Doubtful
	}
	return c
}

// Worst is the worst verdict of all checks; OK without any.
func Worst(all []Check) Verdict {
	worst := OK
	for _, c := range all {
		worst = max(worst, c.Verdict)
	}
	return worst
}

// Warnings are the texts of the checks that are not ok.
func Warnings(all []Check) (texts []string) {
	for _, c := range all {
		if c.Verdict != OK {
			texts = append(texts, c.Text)
		}
	}
	return texts
}
