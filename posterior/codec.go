package posterior

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/delimited"
)

// formatVersion is that of the format that [Posterior.Write] writes. [Read] takes those from
// oldestVersion on too: the first had no id of a run, and both had matrices of any size.
const (
	formatVersion = 5
	oldestVersion = 2
)

// header is everything but the draws, as it is stored: every key on a line of its
// own, in this sequence.
type header struct {
	Run             string           `json:"run"`
	Names           []string         `json:"names"`
	Engine          string           `json:"engine"`
	Model           string           `json:"model"`
	Settings        string           `json:"settings"`
	Warnings        []string         `json:"warnings"`
	Standardization *storedScale     `json:"standardization"` // null: the scale of the data
	Kind            string           `json:"kind"`
	Marginals       *storedMarginals `json:"marginals"`
	Components      []storedPart     `json:"components"`
	// Parents are the sets of parents of each variable in any draw, where draws have their numbers.
	Parents [][][]int `json:"parents,omitzero"`
}

type storedScale struct {
	Mean numbers `json:"mean"`
	SD   numbers `json:"sd"`
}

// storedMarginals holds matrices row by row; null is NaN. Of many variables it has a list instead.
type storedMarginals struct {
	Probabilities []numbers    `json:"probabilities,omitzero"`
	WeightMean    [][]*float64 `json:"weight_mean,omitzero"`
	WeightSD      [][]*float64 `json:"weight_sd,omitzero"`
	Listed        *storedPairs `json:"listed,omitempty"`
}

type storedPart struct {
	Order         []int            `json:"order"` // indices of names, sources first; null: none
	Draws         int              `json:"draws"`
	Weight        float64          `json:"weight"`
	LogWeight     float64          `json:"log_weight"`
	Count         int              `json:"count,omitempty"`
	NoiseVariance float64          `json:"noise_variance,omitempty"`
	LogEvidence   *float64         `json:"log_evidence"` // null: unknown
	Empty         *storedEquations `json:"empty,omitempty"`
	Marginals     *storedMarginals `json:"marginals,omitempty"`
}

// storedEquations list weights in the sequence of the edges.
type storedEquations struct {
	Weights        numbers `json:"weights"`
	WeightSD       numbers `json:"weight_sd,omitzero"`       // left out: unknown
	Intercepts     numbers `json:"intercepts,omitzero"`      // left out: 0
	NoiseVariances numbers `json:"noise_variances,omitzero"` // left out: unknown
}

// A storedDraw has edges or, with more than mostInMatrices variables, numbers of sets of parents.
type storedDraw struct {
	Edges         [][]int          `json:"edges,omitzero"` // source and target, indices of names
	Sets          []int            `json:"sets,omitzero"`  // for each variable, of header.Parents
	LogWeight     float64          `json:"log_weight"`
	LogPrior      *float64         `json:"log_prior"`      // null: unknown
	LogLikelihood *float64         `json:"log_likelihood"` // null: unknown
	Equations     *storedEquations `json:"equations,omitempty"`
	Parameters    numbers          `json:"parameters,omitzero"`
}

// numbers is a list without null, which JSON would otherwise read as 0.
type numbers []float64

var _ json.Unmarshaler = (*numbers)(nil)

// UnmarshalJSON reads a list of numbers; null is an error within it, and none for
// it.
func (n *numbers) UnmarshalJSON(text []byte) error {
	var list []*float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if list == nil {
		return nil
	}
	*n = make(numbers, len(list))
	for k, v := range list {
		if v == nil {
			return fmt.Errorf("number %d of a list is null", k)
		}
		(*n)[k] = *v
	}
	return nil
}

// Write stores the posterior as JSON, one draw on each line, with numbers that
// read back exactly. It fails if p is not valid, or with the error of w.
func (p *Posterior) Write(w io.Writer) error {
	if err := p.Validate(); err != nil {
		return err
	}
	b := bufio.NewWriter(w) // keeps the first error until Flush
	fmt.Fprintf(b, "{\"version\":%d", formatVersion)
	h := p.header()
	list := parentSets{}
	if len(p.Names) > mostInMatrices && len(p.Draws) > 0 {
		list = p.parentSets()
	}
	type field struct {
		key   string
		value any
	}
	fields := []field{
		{"run", h.Run}, {"names", h.Names}, {"engine", h.Engine}, {"model", h.Model},
		{"settings", h.Settings}, {"warnings", h.Warnings},
		{"standardization", h.Standardization}, {"kind", h.Kind}, {"marginals", h.Marginals},
		{"components", h.Components},
	}
	if list.sets != nil {
		fields = append(fields, field{"parents", list.sets})
	}
	for _, field := range fields {
		text, err := compact(field.value)
		if err != nil {
			return fmt.Errorf("posterior: %s: %w", field.key, err)
		}
		fmt.Fprintf(b, ",\n%q:%s", field.key, text)
	}
	b.WriteString(",\n\"draws\":[")
	for m, draw := range p.Draws {
		text, err := compact(draw.stored(list.numbers(m)))
		if err != nil {
			return fmt.Errorf("posterior: draw %d: %w", m+1, err)
		}
		if m > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// compact is the JSON of v without a line end and with <, > and & as they are.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (p *Posterior) header() header {
	h := header{
		Run: p.Run, Names: p.Names, Engine: p.Engine, Model: p.Model, Settings: p.Settings,
		Warnings: p.Warnings,
		Kind:     p.Kind.String(), Marginals: p.Marginals.stored(),
	}
	if s := p.Standardization; s != nil {
		h.Standardization = &storedScale{Mean: s.Mean, SD: s.SD}
	}
	for _, c := range p.Components {
		part := storedPart{Order: c.Order, Draws: c.Draws, Weight: c.Weight, LogWeight: c.LogWeight,
			Count: c.Count, NoiseVariance: c.NoiseVariance,
			LogEvidence: orNull(c.LogEvidence), Empty: c.Empty.stored(nil)}
		if c.Marginals != nil {
			part.Marginals = c.Marginals.stored()
		}
		h.Components = append(h.Components, part)
	}
	return h
}

func (m Marginals) stored() *storedMarginals {
	if m.size() > mostInMatrices {
		return &storedMarginals{Listed: m.listed()}
	}
	out := &storedMarginals{WeightMean: orNulls(m.WeightMean), WeightSD: orNulls(m.WeightSD)}
	for i := range m.size() {
		out.Probabilities = append(out.Probabilities, m.Probabilities.RawRowView(i))
	}
	return out
}

// stored is a draw with its edges, or with the numbers of its sets of parents.
func (draw Draw) stored(sets []int) storedDraw {
	out := storedDraw{Sets: sets, LogWeight: draw.LogWeight, LogPrior: orNull(draw.LogPrior),
		LogLikelihood: orNull(draw.LogLikelihood), Parameters: draw.Parameters}
	edges := draw.Graph.Edges()
	if sets == nil {
		out.Edges = [][]int{}
		for _, e := range edges {
			out.Edges = append(out.Edges, []int{e.From, e.To})
		}
	}
	out.Equations = draw.Equations.stored(edges)
	return out
}

// stored are the equations on a graph with the given edges.
func (e *Equations) stored(edges []dag.Edge) *storedEquations {
	if e == nil {
		return nil
	}
	out := &storedEquations{Weights: numbers{}, Intercepts: e.Intercepts,
		NoiseVariances: e.NoiseVariances}
	if e.WeightSD != nil {
		out.WeightSD = numbers{}
	}
	for _, edge := range edges {
		out.Weights = append(out.Weights, e.Weights.At(edge.From, edge.To))
		if e.WeightSD != nil {
			out.WeightSD = append(out.WeightSD, e.WeightSD.At(edge.From, edge.To))
		}
	}
	return out
}

// orNull points to a number; nil is NaN.
func orNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func orNulls(m *mat.Dense) [][]*float64 {
	if m == nil {
		return nil
	}
	rows, cols := m.Dims()
	out := make([][]*float64, rows)
	for i := range out {
		for j := range cols {
			out[i] = append(out[i], orNull(m.At(i, j)))
		}
	}
	return out
}

// Read reads what [Posterior.Write] wrote; source names r in errors. Draws are
// read one by one. Another version, unknown or repeated keys, text after the end
// and every fault that [Posterior.Validate] finds are errors of one line that
// name the place.
func Read(r io.Reader, source string) (*Posterior, error) {
	p, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return p, nil
}

func read(r io.Reader) (*Posterior, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := expect(d, json.Delim('{')); err != nil {
		return nil, err
	}
	version := 0
	key, err := d.Token()
	if err != nil {
		return nil, jsonError(err)
	}
	if key != "version" {
		return nil, fmt.Errorf("begins with %q, want \"version\": not a posterior that tobac "+
			"wrote, or an older one: fit again", key)
	}
	if err := d.Decode(&version); err != nil {
		return nil, fmt.Errorf("version: %w", jsonError(err))
	}
	if version < oldestVersion || version > formatVersion {
		return nil, fmt.Errorf("version %d, want %d: fit again", version, formatVersion)
	}
	var h header
	var draws []storedDraw
	fields := map[any]any{
		"run": &h.Run, "names": &h.Names, "engine": &h.Engine, "model": &h.Model,
		"settings": &h.Settings, "warnings": &h.Warnings,
		"standardization": &h.Standardization, "kind": &h.Kind, "marginals": &h.Marginals,
		"components": &h.Components, "parents": &h.Parents,
	}
	fields["draws"] = &draws
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, jsonError(err)
		}
		dst, known := fields[key]
		delete(fields, key)
		switch {
		case !known:
			return nil, fmt.Errorf("unknown or repeated key %q", key)
		case dst == &draws:
			draws, err = readDraws(d)
		default:
			if err = d.Decode(dst); err != nil {
				err = fmt.Errorf("%s: %w", key, jsonError(err))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := expect(d, json.Delim('}')); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the posterior")
	}
	return h.posterior(draws)
}

// readDraws reads a list, one element at a time.
func readDraws(d *json.Decoder) ([]storedDraw, error) {
	if err := expect(d, json.Delim('[')); err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	var draws []storedDraw
	for d.More() {
		var draw *storedDraw
		if err := d.Decode(&draw); err != nil {
			return nil, fmt.Errorf("draw %d: %w", len(draws)+1, jsonError(err))
		}
		if draw == nil {
			return nil, fmt.Errorf("draw %d: no graph", len(draws)+1)
		}
		draws = append(draws, *draw)
	}
	if err := expect(d, json.Delim(']')); err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	return draws, nil
}

// expect reads one token.
func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err != nil {
		return jsonError(err)
	}
	if got != want {
		if text, ok := got.(string); ok {
			got = delimited.Excerpt(text)
		}
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// jsonError says in words what an early end of the text is.
func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the text ends early")
	}
	return err
}
