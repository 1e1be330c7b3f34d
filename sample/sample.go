package sample

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/arviz"
	"tobac/chain"
	"tobac/density"
	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
)

// Settings of a run. The zero value of each is the usual one.
type Settings struct {
	Kernel  chain.Kernel // nil means nuts.Kernel{}
	Chains  int          // defaults to 4
	WarmUp  int          // iterations that adapt, defaults to 1000; negative: none
	Draws   int          // of each chain, defaults to 1000
	Seed    uint64
	Workers int        // goroutines, defaults to 1; results do not depend on it
	Start   *mat.Dense // see chain.Sampler.Start
	// Paths is the number of paths of gaussian.Pathfinder, from whose draws the chains start:
	// against lesser modes, in which chains may stay. 0 means none.
	Paths int
	// Method draws otherwise than by chains, such as [Laplace]: Chains times Draws independent
	// draws, in one chain. Kernel, WarmUp, Start and Paths have no meaning then.
	Method *Method
}

// A Fit is a model with draws from its posterior.
type Fit struct {
	Model       *density.Model
	Coordinates []*mat.Dense // draws × coordinates of each chain: for Model.Predict and others
	Values      []*mat.Dense // draws × Model.Names of each chain
	Summary     diagnostics.Summary
	Checks      []diagnostics.Check
	Stats       *arviz.Stats // what the sampler says of each draw; nil with a Method
	// LogEvidence is the log of the integral of prior and likelihood, by a Method that estimates it
	// (by Variational a lower bound); else NaN.
	LogEvidence float64
}

// Run compiles a model with its data and draws from the posterior.
func Run(
	ctx context.Context,
	model func(t *density.Trace),
	data map[string][]float64,
	s Settings,
) (*Fit, error) {
	if s.Draws < 0 {
		return nil, fmt.Errorf("sample: %d draws, want at least 1", s.Draws)
	}
	if s.Paths < 0 || s.Paths > 0 && s.Start != nil {
		return nil, fmt.Errorf("sample: %d paths, want at least 0, and none with Start", s.Paths)
	}
	if s.Draws == 0 {
		s.Draws = 1000
	}
	points := s.Chains
	if s.Method != nil {
		if s.Kernel != nil || s.WarmUp != 0 || s.Start != nil || s.Paths != 0 {
			return nil, errors.New("sample: a method takes no kernel, warm-up, starts or paths")
		}
		points = s.Method.points
	}
	m, err := density.New(model, density.Options{Data: data, Points: points, Workers: s.Workers})
	if err != nil {
		return nil, err
	}
	f := &Fit{Model: m, LogEvidence: math.NaN()}
	draw := f.run
	if s.Method != nil {
		draw = f.by
	}
	if err := draw(ctx, s); err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

// by draws by a method.
func (f *Fit) by(ctx context.Context, s Settings) error {
	if s.Chains == 0 {
		s.Chains = 4
	}
	d, err := s.Method.draw(ctx, f, s.Chains*s.Draws, s.Seed)
	if err != nil {
		return err
	}
	f.Coordinates, f.LogEvidence = []*mat.Dense{d.x}, d.evidence
	if err := f.summarise(); err != nil {
		return err
	}
	f.Checks = d.judge(f.Model.Names(), f.Values[0])
	return nil
}

// summarise computes the values of the draws.
func (f *Fit) summarise() (err error) {
	if f.Values, err = f.Model.Draws(f.Coordinates); err != nil {
		return err
	}
	f.Summary, err = diagnostics.Summarise(f.Model.Names(), f.Values)
	return err
}

// run draws by chains.
func (f *Fit) run(ctx context.Context, s Settings) (err error) {
	chains, _ := f.Model.Dims()
	f.Stats = arviz.NewStats(chains)
	if s.Kernel == nil {
		s.Kernel = nuts.Kernel{}
	}
	if s.Paths > 0 {
		paths, err := gaussian.Pathfinder{Target: f.Model, Seed: s.Seed, Paths: s.Paths}.Run(ctx)
		if err != nil {
			return err
		}
		s.Start = paths.Draws(chains, s.Seed)
	}
	sampler := chain.Sampler{
		Target: f.Model,
		Kernel: s.Kernel,
		Seed:   s.Seed,
		WarmUp: s.WarmUp,
		Start:  s.Start,
	}
	if f.Coordinates, err = sampler.Run(ctx, s.Draws, f.Stats.Observe); err != nil {
		return err
	}
	if err := f.summarise(); err != nil {
		return err
	}
	f.Checks = diagnostics.Sampling(f.Summary, f.Stats.Energies(), f.Stats.Divergent())
	return nil
}

// Of are the draws of a number, such as tau or theta[3], of all chains one after the other. It
// panics if the model has no such number: see density.Model.Names.
func (f *Fit) Of(name string) []float64 {
	i := slices.Index(f.Model.Names(), name)
	if i < 0 {
		panic(fmt.Sprintf("sample: no %s among %v", name, f.Model.Names()))
	}
	var all []float64
	for _, v := range f.Values {
		all = append(all, mat.Col(nil, i, v)...)
	}
	return all
}

// String is the summary, followed by the warnings of the checks.
func (f *Fit) String() string {
	text := f.Summary.String()
	for _, w := range diagnostics.Warnings(f.Checks) {
		text += "warning: " + w + "\n"
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// Write writes the draws, and what the sampler says of each, in the format of package arviz.
func (f *Fit) Write(w io.Writer) error {
	draws := arviz.Group{Name: "posterior", Variables: f.Model.Results(), Chains: f.Values}
	if f.Stats == nil {
		return arviz.Write(w, draws)
	}
	return arviz.Write(w, draws, f.Stats.Group())
}

// Close releases the workers of the model.
func (f *Fit) Close() { f.Model.Close() }
