package tobac

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac/autograd"
	"tobac/dataset"
	"tobac/engine"
)

// A Snapshot is the state of a run at a step boundary. Its JSON form keeps
// every bit: a run resumed from it continues as if it had never stopped. What the exact
// engine computes has no steps, and is computed again.
type Snapshot struct {
	Step  int             `json:"step"`
	Stage json.RawMessage `json:"stage,omitempty"` // of the engine, see [engine.Stage.Save]
	// Settings are those that decide the result, with a digest of the data.
	Settings []SettingText `json:"settings"`
}

// A SettingError is a setting of a snapshot that differs from that of the run.
type SettingError struct {
	Name          string // as in [SettingText]
	Snapshot, Run string // values as text; of data and interventions digests
}

// Error implements error.
func (e *SettingError) Error() string {
	if e.Name == "data" {
		return fmt.Sprintf(
			"snapshot was made from other data (digest %.16s) than the run's (%.16s)", e.Snapshot,
			e.Run)
	}
	return fmt.Sprintf("snapshot was made with the %s %q, the run has %q", e.Name, e.Snapshot,
		e.Run)
}

// A SettingText is a setting of a run, with its value as text.
type SettingText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settingsOf lists what decides the result: not the number of workers.
func settingsOf(p *engine.Problem, e engine.Settings) []SettingText {
	model := "chosen by evidence"
	if p.Model != nil {
		model = p.Model.String()
	}
	interventions := "none"
	if m := p.Data.Intervened; m != nil {
		interventions = dataset.Digest(nil, m)
	}
	key := engine.SettingsText(e)
	if r, ok := e.Engine().(engine.Resumable); ok {
		key = r.StateKey(p)
	}
	return []SettingText{
		{"data", dataset.Digest(p.Data.Names, p.Data.X)},
		{"interventions", interventions},
		{"model", model},
		{"prior", p.Prior.String()},
		{"order", p.Order.String()},
		{"engine", key},
		{"seed", strconv.FormatUint(p.Seed, 10)},
		{"arithmetic", autograd.Arithmetic()}, // a run that goes on with another has other bits
	}
}

// Snapshot copies the state of the run.
func (r *Run) Snapshot() (*Snapshot, error) {
	if r.unusable != nil {
		return nil, r.unusable
	}
	state, err := r.stage.Save()
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	return &Snapshot{Step: r.Step(), Stage: state, Settings: slices.Clone(r.settings)}, nil
}

// Restore continues from a snapshot of a run with the same data and settings; the first setting
// that differs is an error. The number of workers may differ, and, with one order that is known or
// found by a method, that of steps. The program of every finished order is built once more to read
// its particles. After an error only Close may follow. It panics if ctx or s is nil.
func (r *Run) Restore(ctx context.Context, s *Snapshot) error {
	if s == nil {
		panic("tobac: nil snapshot")
	}
	end, err := r.begin(ctx)
	if err != nil {
		return err
	}
	err = r.restore(ctx, s)
	end()
	if err != nil {
		return fmt.Errorf("tobac: %w", err)
	}
	return nil
}

func (r *Run) restore(ctx context.Context, s *Snapshot) error {
	if err := r.checkSettings(s.Settings); err != nil {
		return err
	}
	if err := r.stage.Restore(ctx, s.Stage); err != nil {
		return err
	}
	if s.Step != r.Step() {
		return fmt.Errorf("snapshot says step %d, its parts have made %d", s.Step, r.Step())
	}
	return nil
}

// checkSettings names the first setting that differs from the run's.
func (r *Run) checkSettings(settings []SettingText) error {
	if len(settings) == 0 {
		return errors.New("snapshot does not say with which settings it was made")
	}
	value := map[string]string{}
	for _, s := range settings {
		value[s.Name] = s.Value
	}
	for _, want := range r.settings {
		got, ok := value[want.Name]
		switch {
		case !ok:
			return fmt.Errorf("snapshot does not say which %s it was made with, the run has %s",
				want.Name, want.Value)
		case got != want.Value && want.Name == "engine": // a long text
			return &SettingError{Name: want.Name, Snapshot: differing(got, want.Value),
				Run: differing(want.Value, got)}
		case got != want.Value:
			return &SettingError{Name: want.Name, Snapshot: got, Run: want.Value}
		}
	}
	return nil
}

// differing is a text form without the settings, words like name=value, that another one
// has too: of engines with different names, the name.
func differing(text, other string) string {
	same, words := strings.Fields(other), strings.Fields(text)
	if len(same) > 0 && len(words) > 0 && same[0] != words[0] {
		return words[0]
	}
	words = slices.DeleteFunc(words, func(w string) bool {
		return strings.Contains(w, "=") && slices.Contains(same, w)
	})
	return strings.Join(words, " ")
}
