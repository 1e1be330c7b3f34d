package tobac

import (
	"errors"
	"fmt"
	"strings"

	"tobac/autograd"
	"tobac/bcd"
	"tobac/engine"
	"tobac/models"
	"tobac/score"
	"tobac/sem"
	"tobac/svgd"
	"tobac/tempering"
)

// overflowed says for a user why numbers of a run left the range of float64; any other error stays.
func (r *Run) overflowed(err error) error {
	if !errors.Is(err, models.ErrNotFinite) && !errors.Is(err, svgd.ErrNonFinite) && !errors.Is(err, bcd.ErrNotFinite) &&
		!errors.As(err, new(*autograd.FailedError)) {
		return err
	}
	return r.outOfRange(err)
}

func (r *Run) outOfRange(err error) error {
	return &engine.ColumnError{Text: "numbers left the range of float64; " + r.whyLarge(), Err: err}
}

// noiseTooSmall adds to an error about scores that the noise variance that was given is what makes them large.
func (r *Run) noiseTooSmall(err error) error {
	if scores := new(score.VariableError); (errors.As(err, &scores) || errors.Is(err, tempering.ErrOverflow)) && r.smallNoise() {
		return &engine.ColumnError{Text: fmt.Sprintf("%v; %s", err, r.whyLarge()), Err: err}
	}
	return err
}

// tinyNoise is the ratio of a noise variance to the variance of a column from which on scores are large.
const tinyNoise = 1e-5

func (r *Run) smallNoise() bool {
	noisy, ok := r.problem.Model.(sem.Noisy)
	_, wide := r.widest()
	return ok && noisy.Noise() > 0 && noisy.Noise() < tinyNoise*wide*wide
}

// whyLarge names the settings or columns that make numbers large.
func (r *Run) whyLarge() string {
	j, wide := r.widest()
	if r.smallNoise() {
		return fmt.Sprintf("the noise variance %.3g is too small for column %q, whose variance is %.3g", r.problem.Model.(sem.Noisy).Noise(), r.problem.Data.Names[j], wide*wide)
	}
	var given []string
	byDefault := map[string]string{}
	if e, err := EngineByName(r.engine.Name()); err == nil {
		q := *r.problem
		if filled, err := e.Prepare(&q); err == nil {
			for _, s := range filled.Settings() {
				byDefault[s.Name] = s.String()
			}
		}
	}
	for _, s := range r.engine.Settings() {
		switch s.Name {
		case "step-size", "penalty-rate", "alpha-rate", "bandwidth-z", "bandwidth-theta", "alpha-schedule", "step-schedule", "penalty-schedule", "likelihood-schedule", "scale", "l2":
			if text := s.String(); text != "" && text != byDefault[s.Name] {
				given = append(given, s.Name+" "+text)
			}
		}
	}
	if e := r.problem.Prior.EdgesPerNode; r.engine.Name() == "bcd" && e > 0 && e < tinyNoise {
		given = append(given, fmt.Sprintf("edges-per-node %g", e)) // which the scale of its weights follows
	}
	if len(given) > 0 {
		return "settings that sizes of numbers depend on are " + strings.Join(given, ", ") + "; the defaults are safe"
	}
	return fmt.Sprintf("column %q has the greatest standard deviation, %.3g: bring the columns to a common scale", r.problem.Data.Names[j], wide)
}

// widest is the column of the greatest standard deviation.
func (r *Run) widest() (column int, sd float64) {
	_, all := r.problem.Data.Moments()
	for j, v := range all {
		if v > sd {
			column, sd = j, v
		}
	}
	return column, sd
}
