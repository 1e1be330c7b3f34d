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
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
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

// A ParticleState is the state of SVGD.
type ParticleState struct {
	Step      int         `json:"step"`            // under the current order
	Order     []int       `json:"order"`           // column indices, sources first; empty with DiBS
	Z         [][]float64 `json:"z"`               // one row per particle
	Theta     [][]float64 `json:"theta,omitempty"` // one row per particle; none for a model without parameters
	Optimizer svgd.State  `json:"optimizer"`
	// Earlier are the finished orders of a run over several.
	Earlier []FinishedOrder `json:"earlier,omitempty"`
}

// A FinishedOrder holds the particles under an order that has taken all its steps.
type FinishedOrder struct {
	Order []int       `json:"order"`
	Z     [][]float64 `json:"z"`
	Theta [][]float64 `json:"theta,omitempty"`
}

// A SettingError is a setting of a snapshot that differs from that of the run.
type SettingError struct {
	Name          string // as in [SettingText]
	Snapshot, Run string // values as text; of data and interventions digests
}

// Error implements error.
func (e *SettingError) Error() string {
	if e.Name == "data" {
		return fmt.Sprintf("snapshot was made from other data (digest %.16s) than the run's (%.16s)", e.Snapshot, e.Run)
	}
	return fmt.Sprintf("snapshot was made with the %s %q, the run has %q", e.Name, e.Snapshot, e.Run)
}

// A SettingText is a setting of a run, with its value as text.
type SettingText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settingsOf lists what decides the result: not the number of workers.
func settingsOf(p *engine.Problem, e engine.Engine) []SettingText {
	model := "chosen by evidence"
	if p.Model != nil {
		model = p.Model.String()
	}
	interventions := "none"
	if m := p.Data.Intervened; m != nil {
		interventions = dataset.Digest(nil, m)
	}
	key := e.String()
	if r, ok := e.(engine.Resumable); ok {
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

// snapshot copies the state of the sampling.
func (p *particles) snapshot() *ParticleState {
	f := p.current()
	s := &ParticleState{Step: f.step, Order: slices.Clone(f.order.Order), Optimizer: f.svgd.State.Clone()}
	s.Z, s.Theta = f.rows()
	for _, e := range p.fits[:len(p.done)] {
		z, theta := e.rows()
		s.Earlier = append(s.Earlier, FinishedOrder{Order: slices.Clone(e.order.Order), Z: z, Theta: theta})
	}
	return s
}

// rows copies the blocks of particles; theta is nil for a model without parameters.
func (f *particleFit) rows() (z, theta [][]float64) {
	z = rows(f.x[0])
	if len(f.x) == 2 {
		theta = rows(f.x[1])
	}
	return z, theta
}

func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = slices.Clone(m.RawRowView(i))
	}
	return out
}

// Restore continues from a snapshot of a run with the same data and settings;
// the first setting that differs is an error. The number of workers may differ,
// and, with one order that is known or found by a method, that of steps. The program of every finished order is built
// once more to read its particles. After an error only Close may follow. It panics if ctx or s is nil.
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

// restore continues from a state.
func (p *particles) restore(ctx context.Context, s *ParticleState) error {
	if err := p.check(s); err != nil {
		return err
	}
	for k, e := range s.Earlier {
		f := p.fits[k]
		if k > 0 {
			if err := p.begin(ctx); err != nil {
				return err
			}
		}
		f.set(e.Z, e.Theta)
		f.step = f.sampler.Steps
		post, err := f.posterior(ctx)
		if err != nil {
			return err
		}
		f.release()
		p.done = append(p.done, post)
	}
	if len(s.Earlier) > 0 {
		if err := p.begin(ctx); err != nil {
			return err
		}
	}
	f := p.current()
	f.set(s.Z, s.Theta)
	f.svgd.State = s.Optimizer.Clone()
	f.step = s.Step
	return nil
}

// set overwrites the particles.
func (f *particleFit) set(z, theta [][]float64) {
	for b, block := range [][][]float64{z, theta}[:len(f.x)] {
		for i, row := range block {
			f.x[b].SetRow(i, row)
		}
	}
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
			return fmt.Errorf("snapshot does not say which %s it was made with, the run has %s", want.Name, want.Value)
		case got != want.Value && want.Name == "engine": // a long text
			return &SettingError{Name: want.Name, Snapshot: differing(got, want.Value), Run: differing(want.Value, got)}
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
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "=") && slices.Contains(same, w) })
	return strings.Join(words, " ")
}

// check finds what does not belong to these fits.
func (p *particles) check(s *ParticleState) error {
	if len(p.done) > 0 || p.current().step > 0 {
		return errors.New("a run that has begun cannot be restored; want a new one")
	}
	at, most := len(s.Earlier), p.fits[0].sampler.Steps
	if at >= len(p.fits) || s.Step < 0 || s.Step > most {
		return fmt.Errorf("snapshot at step %d under order %d, the run has %d orders of %d steps", s.Step, at+1, len(p.fits), most)
	}
	if s.Optimizer.Count != s.Step {
		return fmt.Errorf("snapshot at step %d, its optimiser has made %d", s.Step, s.Optimizer.Count)
	}
	for k, e := range s.Earlier {
		if err := p.checkBlocks(p.fits[k], e.Order, e.Z, e.Theta); err != nil {
			return err
		}
	}
	return p.checkBlocks(p.fits[at], s.Order, s.Z, s.Theta)
}

// checkBlocks finds an order other than the fit's, blocks of another size, and numbers that are not finite.
func (p *particles) checkBlocks(f *particleFit, order []int, z, theta [][]float64) error {
	if !slices.Equal(order, f.order.Order) {
		return fmt.Errorf("snapshot has the order %v, the run has %v", order, f.order.Order)
	}
	current := p.current().x // all orders have blocks of the same sizes
	if len(current) == 1 && len(theta) > 0 {
		return errors.New("snapshot has parameters, the run's model has none")
	}
	for b, block := range [][][]float64{z, theta}[:len(current)] {
		n, size := current[b].Dims()
		if len(block) != n {
			return fmt.Errorf("snapshot has %d particles, want %d", len(block), n)
		}
		for i, row := range block {
			if len(row) != size {
				return fmt.Errorf("snapshot block %d, particle %d has %d values, want %d", b+1, i+1, len(row), size)
			}
			for _, v := range row {
				if !finite(v) {
					return fmt.Errorf("snapshot block %d, particle %d has the value %v, want finite numbers", b+1, i+1, v)
				}
			}
		}
	}
	return nil
}
