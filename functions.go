package tobac

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/jobs"

	"gonum.org/v1/gonum/mat"
)

// Kinds of jobs, the keys of [Functions].
const (
	orderKind     = "svgd-order"
	chainKind     = "mcmc-chain"
	resamplesKind = "order-resamples"
	scoresKind    = "gp-scores"
)

// Functions do the jobs into which [Config.Jobs] and others cut a fit. A program that
// does the jobs of a folder, on whatever engine, needs nothing else:
//
//	svgd-order         SVGD under one causal order: input are settings, order and seed, output the particles with the state of the optimiser
//	mcmc-chain         a Markov chain: input are settings, number and seed, output the state of the chain after its last iteration
//	order-resamples    the orders that a method finds in a number of resamples of the rows: output is a list of orders
//	gp-scores          node scores of Gaussian processes: input are settings, sets of parents and variables, output 8-byte floating-point numbers, little-endian
func Functions() jobs.Functions {
	return jobs.Functions{orderKind: doOrder, chainKind: doChain, resamplesKind: doResamples, scoresKind: doScores}
}

// encodeTable is a table as bytes with every bit: a line of JSON, and the numbers.
func encodeTable(t *dataset.Table) ([]byte, error) {
	n, d := t.X.Dims()
	first, err := json.Marshal(tableHeader{Names: t.Names, Rows: n, Intervened: t.Intervened != nil})
	if err != nil {
		return nil, err
	}
	out := append(first, '\n')
	for _, m := range []*mat.Dense{t.X, t.Intervened} {
		if m == nil {
			continue
		}
		for i := range n {
			for j := range d {
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(m.At(i, j)))
			}
		}
	}
	return out, nil
}

type tableHeader struct {
	Names      []string `json:"names"`
	Rows       int      `json:"rows"`
	Intervened bool     `json:"intervened,omitempty"`
}

// decodeTable reads what encodeTable made.
func decodeTable(text []byte) (*dataset.Table, error) {
	first, rest, cut := bytes.Cut(text, []byte{'\n'})
	var h tableHeader
	if err := json.Unmarshal(first, &h); err != nil || !cut {
		return nil, errors.New("tobac: the data of a job are no table")
	}
	d, parts := len(h.Names), 1
	if h.Intervened {
		parts = 2
	}
	if h.Rows < 1 || d < 1 || len(rest)%(8*parts*d) != 0 || len(rest)/(8*parts*d) != h.Rows {
		return nil, fmt.Errorf("tobac: the table of a job has %d bytes of numbers, want %d×%d numbers, %d times", len(rest), h.Rows, d, parts)
	}
	t := &dataset.Table{Names: h.Names}
	for k := range parts {
		m := mat.NewDense(h.Rows, d, nil)
		for i := range h.Rows * d {
			m.RawMatrix().Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*(k*h.Rows*d+i):]))
		}
		if k == 0 {
			t.X = m
		} else {
			t.Intervened = m
		}
	}
	return t, t.Validate()
}

// inputs reads the settings and the table of a job.
func inputs(j jobs.Job, settings any) (*dataset.Table, error) {
	if err := json.Unmarshal(j.Input, settings); err != nil {
		return nil, fmt.Errorf("tobac: the input of a job: %w", err)
	}
	if len(j.Data) != 1 {
		return nil, fmt.Errorf("tobac: a job has %d data, want a table", len(j.Data))
	}
	return decodeTable(j.Data[0])
}

// A modelText is a model in a job.
type modelText string

func encodeModel(m Model) (modelText, error) {
	there, err := ParseModel(m.String())
	if err != nil || reflect.TypeOf(there) != reflect.TypeOf(m) || there.String() != m.String() {
		return "", fmt.Errorf("tobac: the model %v is none that other processes know; allowed with jobs: those of package tobac", m)
	}
	return modelText(m.String()), nil
}

// decodeModel reads what encodeModel made; has is what the model must be able to do.
func decodeModel[M Model](t modelText, has string) (m M, err error) {
	model, err := ParseModel(string(t))
	if err != nil {
		return m, err
	}
	m, ok := model.(M)
	if !ok {
		return m, fmt.Errorf("tobac: the model %v has no %s", model, has)
	}
	return m, nil
}

// settingTexts are settings in a job, by name.
type settingTexts map[string]string

func textsOf(settings []*Setting) settingTexts {
	out := settingTexts{}
	for _, s := range settings {
		if v := s.String(); v != "" {
			out[s.Name] = v
		}
	}
	return out
}

// set sets the settings of a value.
func (t settingTexts) set(settings []*Setting) error {
	known := map[string]*Setting{}
	for _, s := range settings {
		known[s.Name] = s
	}
	for name, v := range t {
		s, ok := known[name]
		if !ok {
			return fmt.Errorf("tobac: a job has the unknown setting %q", name)
		}
		if err := s.Set(v); err != nil {
			return fmt.Errorf("tobac: %s is %s; %w", name, v, err)
		}
	}
	return nil
}

func encodeSampler(s Sampler) (settingTexts, error) {
	out := textsOf(s.Settings())
	var there Sampler
	if err := out.set(there.Settings()); err != nil || there.String() != s.String() {
		return nil, errors.New("tobac: a schedule, kernel or optimiser of one's own is not known to other processes; allowed with jobs: the settings that have a text form")
	}
	return out, nil
}

// A priorText is a prior in a job.
type priorText struct {
	Kind          PriorKind   `json:"kind"`
	EdgesPerNode  float64     `json:"edges_per_node,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Forbidden     []dag.Edge  `json:"forbidden,omitempty"`
	Required      []dag.Edge  `json:"required,omitempty"`
	Exclusive     []dag.Edge  `json:"exclusive,omitempty"`
	Tiers         []int       `json:"tiers,omitempty"`
	Sinks         []int       `json:"sinks,omitempty"`
	Sources       []int       `json:"sources,omitempty"`
	Odds          []EdgeOdds  `json:"odds,omitempty"`
	MaxParents    int         `json:"max_parents,omitempty"`
}

func encodePrior(p Prior) (priorText, error) {
	if p.Own != nil {
		return priorText{}, fmt.Errorf("tobac: the graph prior %T is one of the caller's own, which other processes do not know; allowed with jobs: those of package tobac", p.Own)
	}
	t := priorText{p.Kind, p.EdgesPerNode, nil, p.Forbidden, p.Required, p.Exclusive, p.Tiers, p.Sinks, p.Sources, p.Odds, p.MaxParents}
	if p.Probabilities != nil {
		t.Probabilities = rows(mat.DenseCopyOf(p.Probabilities))
	}
	return t, nil
}

func (t *priorText) decode() Prior {
	p := Prior{Kind: t.Kind, EdgesPerNode: t.EdgesPerNode, Forbidden: t.Forbidden, Required: t.Required, Exclusive: t.Exclusive,
		Tiers: t.Tiers, Sinks: t.Sinks, Sources: t.Sources, Odds: t.Odds, MaxParents: t.MaxParents}
	if t.Probabilities != nil {
		m := mat.NewDense(len(t.Probabilities), len(t.Probabilities), nil)
		for i, row := range t.Probabilities {
			m.SetRow(i, row)
		}
		p.Probabilities = m
	}
	return p
}
