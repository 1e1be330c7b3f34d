package graphchains

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/jobs"
	"tobac/internal/mcmc"
	"tobac/internal/trust"
	"tobac/sem"
)

// RoundKind is that of the jobs that rounds of chains are: one chain with all its inverse
// temperatures, from one state to another. Jobs of one fit have its chains as they are described
// for all of its rounds, and one of the states each.
const RoundKind = "round of a chain"

// A round is the input of a job; the description of all chains and the state are its data.
type round struct {
	Chain int `json:"chain"`
	To    int `json:"to"` // iteration
}

// A description is what all chains and rounds of a fit share: from it, and from the program, node
// scores and tables follow bit by bit. Numbers of tables are binary.
type description struct {
	Names         []string
	X, Intervened []byte `json:",omitempty"`
	Variables     []dataset.Variable
	Model         string
	Prior         background.Prior
	Probabilities []byte `json:",omitempty"` // of Prior
	Order         []int  // that is known
	Seed          uint64
	Settings      Settings
	// What short chains have settled.
	Hypothesis int
	Trust      trust.Trust
	Density    float64
	Shared     mcmc.Shared
}

// describe is the text form of a description.
func (c *Chains) describe() ([]byte, error) {
	p := c.problem
	if p.Prior.Own != nil {
		return nil, errors.New("rounds of chains are no jobs under a custom prior, which other " +
			"machines do not have; allowed: chains without mcmc.jobs")
	}
	model := c.Model.String()
	if m, err := sem.Parse(model); err != nil || m.String() != model {
		return nil, fmt.Errorf("rounds of chains are no jobs under the model %s, which other "+
			"machines do not have; allowed: chains without mcmc.jobs", model)
	}
	d := description{Names: c.data.Names, X: bytesOf(c.data.X), Variables: c.data.Variables,
		Model: model, Prior: p.Prior, Order: p.Order.Known, Seed: p.Seed, Settings: *c.engine,
		Hypothesis: c.chosen, Trust: c.trust, Density: c.density,
		Shared: c.sampler.Shared()}
	d.Settings.Jobs, d.Settings.Open = "", false
	if m := c.data.Intervened; m != nil {
		d.Intervened = bytesOf(m)
	}
	if m := p.Prior.Probabilities; m != nil {
		d.Prior.Probabilities, d.Probabilities = nil, bytesOf(m)
	}
	return json.Marshal(d)
}

// bytesOf are the numbers of a matrix, row by row.
func bytesOf(m mat.Matrix) []byte {
	numbers := mat.DenseCopyOf(m).RawMatrix().Data
	out, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic("graphchains: " + err.Error()) // numbers have bytes
	}
	return out
}

// matrixOf is the matrix of so many columns with these numbers.
func matrixOf(numbers []byte, columns int) (*mat.Dense, error) {
	if columns == 0 || len(numbers) == 0 || len(numbers)%(8*columns) != 0 {
		return nil, fmt.Errorf("%d bytes are not numbers of %d columns", len(numbers), columns)
	}
	list := make([]float64, len(numbers)/8)
	if _, err := binary.Decode(numbers, binary.LittleEndian, list); err != nil {
		return nil, err
	}
	return mat.NewDense(len(list)/columns, columns, list), nil
}

// sampler makes the chains that are described, without their states.
func (d *description) sampler(ctx context.Context) (*mcmc.Sampler, error) {
	table := &dataset.Table{Names: d.Names, Variables: d.Variables}
	var err error
	if table.X, err = matrixOf(d.X, len(d.Names)); err != nil {
		return nil, err
	}
	if d.Intervened != nil {
		if table.Intervened, err = matrixOf(d.Intervened, len(d.Names)); err != nil {
			return nil, err
		}
	}
	if d.Probabilities != nil {
		if d.Prior.Probabilities, err = matrixOf(d.Probabilities, len(d.Names)); err != nil {
			return nil, err
		}
	}
	model, err := sem.Parse(d.Model)
	if err != nil {
		return nil, err
	}
	scored, ok := sem.As[sem.Scored](model)
	if !ok {
		return nil, fmt.Errorf("the model %s has no node scores", d.Model)
	}
	p := &engine.Problem{Data: table, Model: model, Prior: d.Prior,
		Order: engine.Order{Known: d.Order}, Seed: d.Seed, Workers: runtime.GOMAXPROCS(0),
		Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}
	all, _, err := hypotheses(ctx, table, scored, p, &d.Settings)
	if err != nil {
		return nil, err
	}
	if all, err = d.Trust.Of(ctx, table, all, p.Workers); err != nil {
		return nil, err
	}
	if d.Hypothesis < 0 || d.Hypothesis >= len(all) {
		return nil, fmt.Errorf("hypothesis %d of %d", d.Hypothesis, len(all))
	}
	prior, err := sampledPrior(p, len(d.Names), d.Density)
	if err != nil {
		return nil, err
	}
	return mcmc.NewAt(ctx, all[d.Hypothesis].Scores, prior,
		d.Settings.Options(p, d.Settings.WarmUp), d.Shared)
}

// A bench has the chains of the fit whose rounds it was last asked for: to make them takes longer
// than a short round.
type bench struct {
	mutex   sync.RWMutex // read while chains go on, written while they are exchanged
	digest  [sha256.Size]byte
	sampler *mcmc.Sampler
	steps   *Settings
}

// of makes the chains of a description unless it has them.
func (b *bench) of(ctx context.Context, text []byte) error {
	digest := sha256.Sum256(text)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.sampler != nil && b.digest == digest {
		return nil
	}
	d := new(description)
	if err := json.Unmarshal(text, d); err != nil {
		return fmt.Errorf("no chains are described: %w", err)
	}
	s, err := d.sampler(ctx)
	if err == nil {
		b.digest, b.sampler, b.steps = digest, s, &d.Settings
	}
	return err
}

// Functions do rounds of chains.
func Functions() jobs.Functions { return jobs.Functions{RoundKind: new(bench).do} }

func (b *bench) do(ctx context.Context, j jobs.Job) ([]byte, error) {
	var r round
	if err := json.Unmarshal(j.Input, &r); err != nil || len(j.Data) != 2 {
		return nil, errors.New("no round of a chain")
	}
	for {
		if err := b.of(ctx, j.Data[0]); err != nil {
			return nil, err
		}
		b.mutex.RLock()
		if b.digest != sha256.Sum256(j.Data[0]) { // another fit came between
			b.mutex.RUnlock()
			continue
		}
		defer b.mutex.RUnlock()
		return b.sampler.Continue(ctx, j.Data[1], r.To)
	}
}

// roundJobs are those of a round.
func roundJobs(described []byte, states [][]byte, to int) []jobs.Job {
	list := make([]jobs.Job, len(states))
	for k, s := range states {
		input, err := json.Marshal(round{Chain: k, To: to})
		if err != nil {
			panic("graphchains: " + err.Error()) // whole numbers
		}
		list[k] = jobs.Job{Kind: RoundKind, Input: input, Data: [][]byte{described, s},
			Name: fmt.Sprintf("chain %d to iteration %d", k+1, to)}
	}
	return list
}

// Do does jobs as [jobs.Do] does, and then the rounds that follow where some of them are rounds of
// chains, until their chains agree or have made all iterations.
func Do(ctx context.Context, e jobs.Engine, folder *jobs.Folder, f jobs.Functions,
	list []jobs.Job, progress func(jobs.Status)) error {
	b := new(bench)
	for len(list) > 0 {
		outputs, err := jobs.Do(ctx, e, folder, f, list, progress)
		if err != nil {
			return err
		}
		if list, err = b.following(ctx, list, outputs); err != nil {
			return err
		}
	}
	return nil
}

// following are the rounds that follow those of a list.
func (b *bench) following(ctx context.Context, list []jobs.Job,
	outputs [][]byte) ([]jobs.Job, error) {
	type fit struct {
		described []byte
		states    [][]byte
	}
	var fits []*fit
	for k, j := range list {
		var r round
		if j.Kind != RoundKind || json.Unmarshal(j.Input, &r) != nil {
			continue
		}
		if r.Chain == 0 {
			fits = append(fits, &fit{described: j.Data[0]})
		}
		if last := len(fits) - 1; last < 0 || r.Chain != len(fits[last].states) {
			return nil, fmt.Errorf("job %d is of chain %d, and that before is missing", k+1,
				r.Chain+1)
		}
		of := fits[len(fits)-1]
		of.states = append(of.states, outputs[k])
	}
	var next []jobs.Job
	for _, f := range fits {
		if err := b.of(ctx, f.described); err != nil {
			return nil, err
		}
		if len(f.states) != b.steps.Chains {
			return nil, fmt.Errorf("a round of %d chains, want %d", len(f.states), b.steps.Chains)
		}
		if err := b.exchange(f.states); err != nil {
			return nil, err
		}
		done, all := b.sampler.Iterations(), b.steps.WarmUp+b.steps.Iterations
		if done >= all || b.steps.agree(b.sampler) {
			continue
		}
		next = append(next, roundJobs(f.described, f.states, min(done+nextLook(done), all))...)
	}
	return next, nil
}

// exchange gives all chains the states of a round.
func (b *bench) exchange(states [][]byte) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return setChains(b.sampler, states)
}

func setChains(s *mcmc.Sampler, states [][]byte) error {
	for k, state := range states {
		if err := s.SetChain(k, state); err != nil {
			return err
		}
	}
	return nil
}

// nextLook is the number of iterations until chains are looked at.
func nextLook(step int) int { return lookEvery - step%lookEvery }

// remote before the folder of [Settings].Jobs leaves the rounds to others.
const remote = "remote:"

// poll is how often is looked whether rounds have ended that others do.
const poll = time.Second / 4

// round brings all chains to iteration number to, by a job for each.
func (c *Chains) round(ctx context.Context, to int) error {
	if c.described == nil {
		described, err := c.describe()
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(c.engine.Jobs, remote)
		if c.folder, err = jobs.OpenFolder(dir); err != nil {
			return err
		}
		c.described, c.functions = described, Functions()
	}
	states := make([][]byte, c.engine.Chains)
	for k := range states {
		var err error
		if states[k], err = c.sampler.Chain(k); err != nil {
			return err
		}
	}
	list := roundJobs(c.described, states, to)
	var outputs [][]byte
	var err error
	if strings.HasPrefix(c.engine.Jobs, remote) {
		if !c.recorded { // those that follow follow from it
			if err := c.folder.Add(list); err != nil {
				return err
			}
			c.recorded = true
		}
		c.problem.Doing(name, "waiting for rounds in "+c.folder.Dir())
		outputs, err = c.folder.Await(ctx, list, poll)
	} else {
		workers := min(c.problem.Workers, len(list))
		outputs, err = jobs.Do(ctx, jobs.Local{Workers: workers}, c.folder, c.functions, list, nil)
	}
	notKept := new(jobs.NotKeptError)
	if err != nil && !errors.As(err, &notKept) {
		return err
	}
	if slices.ContainsFunc(outputs, func(b []byte) bool { return b == nil }) {
		return errors.New("a round of a chain has no state")
	}
	return setChains(c.sampler, outputs)
}
