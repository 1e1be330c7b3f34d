package graphfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/memory"
	"tobac/posterior"
)

// FromGraphs is the posterior that an equally weighted sample of graphs on the
// named variables stands for: its edge probabilities are the frequencies of the
// edges among the graphs without a cycle. It keeps the slices. It panics if there
// is not a graph, or if one has not len(names) vertices.
func FromGraphs(names []string, graphs []*dag.Graph) *posterior.Posterior {
	if d := graphs[0].Len(); d != len(names) {
		panic(fmt.Sprintf("graphfile: graphs of %d vertices and %d names", d, len(names)))
	}
	p := &posterior.Posterior{Names: names, Kind: posterior.Draws}
	for _, g := range graphs {
		p.Draws = append(p.Draws,
			posterior.Draw{Graph: g, LogPrior: math.NaN(), LogLikelihood: math.NaN()})
	}
	p.Marginals = p.Frequencies()
	return p
}

// ReadMatrix reads a square matrix over named variables, entry (i,j) for i → j,
// as text; source names r in errors. Package delimited describes the text. It
// may be d lines of d numbers; d names and then d such lines; or the same with
// the name of its variable in front of each line, and one more field, usually
// blank, in front of the names. Without names the variables are X0, X1, ….
func ReadMatrix(r io.Reader, source string) (names []string, m *mat.Dense, err error) {
	f, err := delimited.Read(r, source, delimited.Syntax{})
	if err != nil {
		return nil, nil, err
	}
	if names, m, err = matrixOf(f); err != nil {
		return nil, nil, err
	}
	return names, m, nil
}

// matrixOf tells the forms of a matrix apart by their shapes and by the first
// field.
func matrixOf(f *delimited.File) (names []string, m *mat.Dense, err error) {
	records := f.Records
	rows, cols := len(records), len(records[0].Fields)
	for _, record := range records {
		if got := len(record.Fields); got != cols {
			return nil, nil, &delimited.Error{Source: f.Source, Line: record.Line,
				Problem: fmt.Sprintf("got %d values, want %d as on line %d", got, cols,
					records[0].Line)}
		}
	}
	corner := records[0].Fields[0]
	labelled := rows == cols && (corner.Quoted || !delimited.IsNumber(corner.Text, f.Separator))
	switch {
	case labelled, rows == cols+1:
		for _, field := range records[0].Fields {
			names = append(names, field.Text)
		}
		records = records[1:]
	case rows == cols:
		for j := range cols {
			names = append(names, fmt.Sprintf("X%d", j))
		}
	default:
		return nil, nil, &delimited.Error{Source: f.Source,
			Problem: fmt.Sprintf("%d lines of %d values", rows, cols),
			Allowed: "a square matrix, with or without a line of names before it and a name in " +
				"front of each line"}
	}
	if labelled {
		names = names[1:]
	}
	m = zeros(len(names))
	if _, err := checked(names, m); err != nil {
		return nil, nil, &delimited.Error{Source: f.Source, Line: f.Records[0].Line,
			Problem: err.Error(), Allowed: "a different name for each variable"}
	}
	numbers := f.Numbers()
	for i, record := range records {
		fields := record.Fields
		if labelled {
			if fields[0].Text != names[i] {
				return nil, nil, &delimited.Error{Source: f.Source, Line: record.Line,
					Problem: fmt.Sprintf("begins with %s, want %q, the name in this place of the "+
						"first line", delimited.Excerpt(fields[0].Text), names[i])}
			}
			fields = fields[1:]
		}
		for j, field := range fields {
			v, err := numbers.Parse(field.Text, record.Line, names[j])
			if err != nil {
				return nil, nil, err
			}
			m.Set(i, j, v)
		}
	}
	return names, m, nil
}

// ReadMatrixNPY reads a square NumPy array as [ReadMatrix] reads text, with the
// variables X0, X1, …; dataset.ReadNPY describes the arrays.
func ReadMatrixNPY(r io.Reader, source string) (names []string, m *mat.Dense, err error) {
	t, err := dataset.ReadNPY(r, source)
	if err != nil {
		return nil, nil, err
	}
	if rows, cols := t.X.Dims(); rows != cols {
		return nil, nil, fmt.Errorf("%s: got a %d×%d array, want a square one", source, rows, cols)
	}
	return t.Names, t.X, nil
}

// ReadProbabilities reads edge probabilities as text: a matrix as [ReadMatrix]
// reads it, or a list of edges as [delimited.ReadEdgeList] does, with a column
// probability; other columns are ignored, edges that are not listed have the
// probability 0, and the variables are those
// that the list names, in the sequence in which it first does. variables, if not
// nil, names them all instead: the probabilities come in that sequence, other
// names are an error, and a matrix without names takes them over. A probability
// outside [0, 1] or on the diagonal, and an edge that is listed twice, are errors
// too.
func ReadProbabilities(r io.Reader, source string, variables []string) (*posterior.Posterior,
	error) {
	f, err := delimited.Read(r, source, delimited.Syntax{})
	if err != nil {
		return nil, err
	}
	var names []string
	var m *mat.Dense
	if isProbabilityList(f) {
		names, m, err = edgeList(f, variables)
	} else {
		names, m, err = matrixOf(f)
		if err == nil {
			names, m, err = Arrange(names, m, variables)
		}
		if err != nil && !errors.As(err, new(*delimited.Error)) {
			err = fmt.Errorf("%s: %w", source, err)
		}
	}
	if err != nil {
		return nil, err
	}
	p, err := checked(names, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return p, nil
}

// ReadProbabilitiesNPY reads a matrix of edge probabilities from a NumPy array;
// variables names them, nil means X0, X1, ….
func ReadProbabilitiesNPY(r io.Reader, source string, variables []string) (*posterior.Posterior,
	error) {
	names, m, err := ReadMatrixNPY(r, source)
	if err != nil {
		return nil, err
	}
	var p *posterior.Posterior
	if names, m, err = Arrange(names, m, variables); err == nil {
		p, err = checked(names, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return p, nil
}

// checked is the posterior with these probabilities, if it is valid.
func checked(names []string, probabilities *mat.Dense) (*posterior.Posterior, error) {
	p := &posterior.Posterior{Names: names, Kind: posterior.Draws}
	p.Probabilities = probabilities
	if err := p.Validate(); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "posterior: "))
	}
	return p, nil
}

// zeros is a d×d matrix of zeros, empty if d is 0.
func zeros(d int) *mat.Dense {
	if d == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(d, d, nil)
}

// Arrange puts a d×d matrix over the named variables into the sequence of
// variables; nil means it stays as it is. The names X0, X1, … in this sequence, which
// matrices without names have, match any variables. Other numbers of variables
// and variables that names lacks are errors.
func Arrange(names []string, m *mat.Dense, variables []string) ([]string, *mat.Dense, error) {
	if variables == nil {
		return names, m, nil
	}
	if len(names) != len(variables) {
		return nil, nil, fmt.Errorf("matrix of %d variables, want %d", len(names), len(variables))
	}
	if unnamed(names) {
		return variables, m, nil
	}
	index := map[string]int{}
	for j, name := range names {
		index[name] = j
	}
	at := make([]int, len(variables))
	for k, name := range variables {
		j, known := index[name]
		if !known {
			return nil, nil, fmt.Errorf("matrix without the variable %q; it has %s", name,
				delimited.Excerpts(names))
		}
		at[k] = j
	}
	out := zeros(len(variables))
	for a, i := range at {
		for b, j := range at {
			out.Set(a, b, m.At(i, j))
		}
	}
	return variables, out, nil
}

// unnamed reports whether names are the ones of a matrix without.
func unnamed(names []string) bool {
	for j, name := range names {
		if name != fmt.Sprintf("X%d", j) {
			return false
		}
	}
	return true
}

// isProbabilityList reports whether a file is a list of edges with their probabilities.
func isProbabilityList(f *delimited.File) bool {
	return delimited.IsEdgeList(f) && slices.ContainsFunc(f.Records[0].Fields,
		func(field delimited.Field) bool { return strings.EqualFold(field.Text, "probability") })
}

func edgeList(f *delimited.File, variables []string) (names []string, m *mat.Dense, err error) {
	list, err := delimited.ReadEdgeList(f)
	if err != nil {
		return nil, nil, err
	}
	names = list.Names
	if variables != nil {
		names = variables
	}
	index := map[string]int{}
	for j, name := range names {
		index[name] = j
	}
	d := float64(len(names))
	// with what is made of it
	if need, room := 4*8*d*d, memory.Available(); need > float64(room.Bytes) {
		return nil, nil, fmt.Errorf("%s: %.0f variables need about %s of memory, and %v", f.Source,
			d, memory.Size(need), room)
	}
	m = zeros(len(names))
	for _, e := range list.Edges {
		var at [2]int
		for k, v := range []int{e.From, e.To} {
			if v < 0 {
				continue
			}
			j, known := index[list.Names[v]]
			if !known {
				return nil, nil, &delimited.Error{Source: f.Source, Line: e.Line,
					Problem: "unknown variable " + delimited.Excerpt(list.Names[v]),
					Allowed: delimited.Excerpts(variables)}
			}
			at[k] = j
		}
		if e.To < 0 {
			continue
		}
		p, known, err := list.Number(e, "probability")
		if err != nil {
			return nil, nil, err
		}
		if !known {
			return nil, nil, &delimited.Error{Source: f.Source, Line: e.Line, Column: "probability",
				Problem: "value is missing", Allowed: "numbers from 0 to 1"}
		}
		m.Set(at[0], at[1], p)
	}
	return names, m, nil
}

// Adjacency is the graph of an adjacency matrix of 0 and 1; entry (i,j) is
// i → j. Other entries, and 1 on the diagonal, are errors. It panics if m is not
// square.
func Adjacency(m *mat.Dense) (*dag.Graph, error) {
	d, _ := m.Dims()
	for i := range d {
		for j := range d {
			switch v := m.At(i, j); {
			case v != 0 && v != 1:
				return nil, fmt.Errorf("entry %d -> %d is %v, want 0 or 1: a matrix of "+
					"probabilities is judged as a single file", i+1, j+1, v)
			case i == j && v != 0:
				return nil, fmt.Errorf("entry %d -> %d is 1, want 0 on the diagonal", i+1, j+1)
			}
		}
	}
	return dag.FromMatrix(m), nil
}
