package tobac

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dataset"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// A Snapshot is the state of a run at a step boundary. Its JSON form keeps
// every bit: a run resumed from it continues as if it had never stopped.
type Snapshot struct {
	Step      int         `json:"step"`
	Order     []int       `json:"order"`           // column indices, sources first; empty with DiBS
	Z         [][]float64 `json:"z"`               // one row per particle
	Theta     [][]float64 `json:"theta,omitempty"` // one row per particle; none for a marginal model
	Optimizer svgd.State  `json:"optimizer"`
	// Earlier are the finished orders of a run over several.
	Earlier []FinishedOrder `json:"earlier,omitempty"`
	// Settings are those that decide the particles, with a digest of the data.
	Settings []Setting `json:"settings"`
}

// A FinishedOrder holds the particles under an order that has taken all its steps.
type FinishedOrder struct {
	Order []int       `json:"order"`
	Z     [][]float64 `json:"z"`
	Theta [][]float64 `json:"theta,omitempty"`
	// LogEvidence is that of the order, if it decides the weights.
	LogEvidence float64 `json:"log_evidence,omitempty"`
}

// A Setting is a setting of a run, with its value as text.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settingsOf lists what decides the particles: not the number of workers, and
// the number of steps only where it decides when the next order begins. Of
// models and priors of one's own it knows the type alone. The causal order has a
// field of its own in a snapshot.
func settingsOf(c Config, data *dataset.Table) []Setting {
	real := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	interventions := "none"
	if c.Interventions != nil {
		interventions = digest(nil, c.Interventions)
	}
	all := []Setting{
		{"data", digest(data.Names, data.X)},
		{"interventions", interventions},
		{"model", modelText(c.model())},
		{"method", c.Method.String()},
		{"prior", priorText(c.Prior)},
		{"edges per node", real(c.EdgesPerNode)},
		{"gradient", c.Gradient.String()},
		{"estimator", c.Estimator.String()},
		{"particles", strconv.Itoa(c.Particles)},
		{"samples", strconv.Itoa(c.Samples)},
		{"rank", strconv.Itoa(c.Rank)},
		{"seed", strconv.FormatUint(c.Seed, 10)},
		{"noise variance", real(c.NoiseVariance)},
		{"start", c.Start.String()},
		{"alpha rate", real(c.AlphaRate)},
		{"bandwidth of Z", real(c.BandwidthZ)},
		{"bandwidth of theta", real(c.BandwidthTheta)},
		{"step size", real(c.StepSize)},
		{"penalty rate", real(c.Penalty.Rate)},
		{"penalty samples", strconv.Itoa(c.Penalty.Samples)},
		{"orders", strconv.Itoa(c.Orders)},
		{"precision", c.Precision.String()},
	}
	if c.Orders > 0 {
		all = append(all, Setting{"order weights", c.OrderWeights.String()}, Setting{"steps", strconv.Itoa(c.Steps)})
	}
	return all
}

func modelText(m Model) string {
	switch m.(type) {
	case Linear, FeedForward, BGe:
		return fmt.Sprintf("%T%+v", m, m)
	}
	return fmt.Sprintf("%T", m)
}

func priorText(p models.GraphPrior) string {
	switch q := p.(type) {
	case nil:
		return "Erdős–Rényi with edges per node"
	case models.ErdosRenyi, models.ScaleFree, models.UniformPrior:
		return fmt.Sprintf("%T%+v", q, q)
	case models.FixedEdges:
		return fmt.Sprintf("%T %s", q, digest(nil, q.EdgeProbabilities()))
	}
	return fmt.Sprintf("%T", p)
}

// digest is a checksum of the names and numbers of a table.
func digest(names []string, x mat.Matrix) string {
	h := sha256.New() // its Write never fails
	for _, name := range names {
		fmt.Fprintf(h, "%q,", name)
	}
	n, d := x.Dims()
	fmt.Fprintf(h, "%d×%d:", n, d)
	var b [8]byte
	for i := range n {
		for j := range d {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(x.At(i, j)))
			h.Write(b[:])
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// Snapshot copies the state of the run.
func (r *Run) Snapshot() *Snapshot {
	c := r.chains[r.at]
	s := &Snapshot{Step: r.Step(), Order: append([]int(nil), c.order...), Optimizer: c.sampler.State.Clone(), Settings: slices.Clone(r.settings)}
	s.Z, s.Theta = c.rows()
	for _, e := range r.chains[:r.at] {
		z, theta := e.rows()
		s.Earlier = append(s.Earlier, FinishedOrder{Order: slices.Clone(e.order), Z: z, Theta: theta, LogEvidence: e.evidence})
	}
	return s
}

// rows copies the blocks of particles; theta is nil for a marginal model.
func (c *chain) rows() (z, theta [][]float64) {
	z = rows(c.x[0])
	if len(c.x) == 2 {
		theta = rows(c.x[1])
	}
	return z, theta
}

func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = append([]float64(nil), m.RawRowView(i)...)
	}
	return out
}

// Restore continues from a snapshot of a run with the same data and settings;
// the first setting that differs is an error. The number of workers may differ,
// and, with one order, that of steps. The program of every finished order is built
// once more to read its particles. After an error the run is as it was, unless
// building a program failed: then only Close may follow.
func (r *Run) Restore(s *Snapshot) error {
	if err := r.checkSnapshot(s); err != nil {
		return err
	}
	at := len(s.Earlier)
	if at != r.at || at > 0 {
		r.chains[r.at].release()
		for k, e := range s.Earlier {
			r.at = k
			if err := r.compile(); err != nil {
				return err
			}
			c := r.chains[k]
			c.set(e.Z, e.Theta)
			c.step, c.finished = r.cfg.Steps, nil
			c.evidence, c.weighed = e.LogEvidence, true
			if err := r.finish(c); err != nil {
				return err
			}
		}
		r.at = at
		if err := r.compile(); err != nil {
			return err
		}
		for _, c := range r.chains[at+1:] {
			c.step, c.x, c.finished = 0, nil, nil
		}
	}
	c := r.chains[at]
	c.finished = nil
	c.set(s.Z, s.Theta)
	c.sampler.State = s.Optimizer.Clone()
	c.step = s.Step - at*r.cfg.Steps
	return nil
}

// set overwrites the particles.
func (c *chain) set(z, theta [][]float64) {
	for b, block := range [][][]float64{z, theta}[:len(c.x)] {
		for i, row := range block {
			c.x[b].SetRow(i, row)
		}
	}
}

// checkSnapshot finds what does not belong to this run.
func (r *Run) checkSnapshot(s *Snapshot) error {
	if s.Step < 0 || s.Step > r.Steps() {
		return fmt.Errorf("tobac: snapshot at step %d, want 0 to %d", s.Step, r.Steps())
	}
	if err := r.checkSettings(s.Settings); err != nil {
		return err
	}
	at := len(s.Earlier)
	if at >= len(r.chains) || s.Step < at*r.cfg.Steps || s.Step > (at+1)*r.cfg.Steps {
		return fmt.Errorf("tobac: snapshot at step %d has %d finished orders of %d steps, the run has %d orders", s.Step, at, r.cfg.Steps, len(r.chains))
	}
	for k, e := range s.Earlier {
		if err := r.checkBlocks(r.chains[k], e.Order, e.Z, e.Theta); err != nil {
			return err
		}
	}
	return r.checkBlocks(r.chains[at], s.Order, s.Z, s.Theta)
}

// checkSettings names the first setting that differs from the run's.
func (r *Run) checkSettings(settings []Setting) error {
	if len(settings) == 0 {
		return fmt.Errorf("tobac: snapshot does not say with which settings it was made")
	}
	value := map[string]string{}
	for _, s := range settings {
		value[s.Name] = s.Value
	}
	for _, want := range r.settings {
		got, ok := value[want.Name]
		switch {
		case !ok:
			return fmt.Errorf("tobac: snapshot does not say which %s it was made with, the run has %s", want.Name, want.Value)
		case got != want.Value && want.Name == "data":
			return fmt.Errorf("tobac: snapshot was made from other data (digest %s) than the run's (%s)", got, want.Value)
		case got != want.Value:
			return fmt.Errorf("tobac: snapshot was made with the %s %s, the run has %s", want.Name, got, want.Value)
		}
	}
	return nil
}

// checkBlocks finds an order other than the chain's, and blocks of another size.
func (r *Run) checkBlocks(c *chain, order []int, z, theta [][]float64) error {
	if !slices.Equal(order, c.order) {
		return fmt.Errorf("tobac: snapshot has the order %v, the run has %v", order, c.order)
	}
	current := r.chains[r.at].x // all orders have blocks of the same sizes
	if len(current) == 1 && len(theta) > 0 {
		return fmt.Errorf("tobac: snapshot has parameters, the run's model has none")
	}
	for b, block := range [][][]float64{z, theta}[:len(current)] {
		n, p := current[b].Dims()
		if len(block) != n {
			return fmt.Errorf("tobac: snapshot has %d particles, want %d", len(block), n)
		}
		for i, row := range block {
			if len(row) != p {
				return fmt.Errorf("tobac: snapshot block %d, particle %d has %d values, want %d", b, i, len(row), p)
			}
		}
	}
	return nil
}
