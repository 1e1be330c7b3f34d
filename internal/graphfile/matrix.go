package graphfile

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/delimited"
	"tobac/internal/numpy"
)

// fromMatrix is the graph of a square matrix, entry (i, j) for i → j: edges where it is not 0.
// Entries of 0 and 1 say nothing more, and both of a pair are an edge without direction; others are
// probabilities if all of them are from 0 to 1, and weights if not. NaN is no edge. Without names
// the vertices are X0, X1, ….
func fromMatrix(names []string, m mat.Matrix, source string) (*Graph, error) {
	d, _ := m.Dims()
	if d > MaxVertices {
		return nil, fmt.Errorf("%s: %d vertices, want at most %d", source, d, MaxVertices)
	}
	c := newCollector(source)
	c.graph.Unnamed = names == nil
	for j := range d {
		name := fmt.Sprintf("X%d", j)
		if names != nil {
			name = names[j]
		}
		c.vertex(name)
	}
	binary, probabilities := true, true
	for i := range d {
		for j := range d {
			v := m.At(i, j)
			binary = binary && (v == 0 || v == 1)
			probabilities = probabilities && !(v < 0 || v > 1)
		}
	}
	for i := range d {
		for j := range d {
			v := m.At(i, j)
			if v == 0 || v != v || binary && j < i && m.At(j, i) == 1 {
				continue
			}
			e := Edge{From: i, To: j}
			switch {
			case binary:
				e.Undirected = m.At(j, i) == 1
			case probabilities:
				e.Probability = Known(v)
			default:
				e.Weight = Known(v)
			}
			if i == j {
				return nil, fmt.Errorf("%s: the entry of %s on the diagonal is %v, want 0: no "+
					"vertex has an edge to itself", source, excerpt(c.graph.Names[i]), v)
			}
			if err := c.add(e, 0); err != nil {
				return nil, err
			}
		}
	}
	return c.finish()
}

// Values says which matrix stands for a graph.
type Values int

const (
	// AdjacencyValues are 1 for i → j, and for i − j in both places, and 0 elsewhere.
	AdjacencyValues Values = iota
	// ProbabilityValues are the probabilities of edges, 0 elsewhere; an undirected edge has its
	// own, or else that of an edge in either direction, in both places.
	ProbabilityValues
	// WeightValues are the weights of edges, 0 elsewhere; an undirected edge has its own in both
	// places.
	WeightValues
)

// String is the name of the values in options.
func (v Values) String() string { return [...]string{"adjacency", "probability", "weight"}[v] }

// Dense returns the d×d values of a graph, row-major. An edge whose probability or weight is needed
// and unknown is an error.
func (g *Graph) Dense(values Values) ([]float64, error) {
	d := len(g.Names)
	out := make([]float64, d*d)
	for _, e := range g.Edges {
		v := Known(1)
		switch values {
		case ProbabilityValues:
			if v = e.Probability; e.Undirected && !v.Known {
				v = e.Adjacent
			}
		case WeightValues:
			v = e.Weight
		}
		if !v.Known {
			return nil, fmt.Errorf("edge %s has no %v", g.text(e), values)
		}
		out[e.From*d+e.To] = v.Value
		if e.Undirected {
			out[e.To*d+e.From] = v.Value
		}
	}
	return out, nil
}

// WriteMatrix writes the values of a graph as text, which [Matrix] is with [AdjacencyValues], or as
// a NumPy array if the format is [NPY].
func WriteMatrix(w io.Writer, g *Graph, f Format, values Values) error {
	if err := g.Check(); err != nil {
		return fmt.Errorf("graphfile: %w", err)
	}
	dense, err := g.Dense(values)
	if err != nil {
		return fmt.Errorf("graphfile: %w", err)
	}
	d := len(g.Names)
	if f == NPY {
		return numpy.WriteNumbers(w, []int{d, d}, dense)
	}
	var text []byte
	if !g.Unnamed {
		for _, name := range g.Names {
			text = delimited.AppendText(append(text, ','), name)
		}
		text = append(text, '\n')
	}
	for i, name := range g.Names {
		if !g.Unnamed {
			text = append(delimited.AppendText(text, name), ',')
		}
		for j, v := range dense[i*d : (i+1)*d] {
			if j > 0 {
				text = append(text, ',')
			}
			text = delimited.AppendNumber(text, v)
		}
		text = append(text, '\n')
	}
	_, err = w.Write(text)
	return err
}

func writeMatrix(w io.Writer, g *Graph) error { return WriteMatrix(w, g, Matrix, AdjacencyValues) }
func writeNPY(w io.Writer, g *Graph) error    { return WriteMatrix(w, g, NPY, AdjacencyValues) }

func readNPY(data []byte, source string) (*Graph, error) {
	a, err := numpy.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	m, err := square(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return fromMatrix(nil, m, source)
}

// square is a square array of numbers as a matrix.
func square(a *numpy.Array) (mat.Matrix, error) {
	if a.Texts != nil || len(a.Shape) != 2 || a.Shape[0] != a.Shape[1] {
		return nil, fmt.Errorf("NumPy array of shape %v, want a square one of numbers", a.Shape)
	}
	if a.Shape[0] == 0 {
		return &mat.Dense{}, nil
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], a.Numbers), nil
}
