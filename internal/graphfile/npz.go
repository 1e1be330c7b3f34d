package graphfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/numpy"
	"tobac/posterior"
)

// Names of the arrays in an archive, beside those of the quantities.
const (
	namesArray      = "names"      // d texts
	adjacencyArray  = "adjacency"  // d×d: 1 for i → j, and for i − j in both places
	undirectedArray = "undirected" // d×d: 1 for i − j in both places
)

// array is the name of the d×d array of a quantity; NaN means unknown.
func (q Quantity) array() string {
	return [...]string{"probabilities", "probabilities_adjacent", "weights", "weights_sd"}[q]
}

// arrays are the matrices of an archive, row-major; nil means there is none.
type arrays struct {
	names                 []string
	adjacency, undirected []int8
	numbers               [4][]float64 // by Quantity
}

// arraysOf puts the edges of a graph into matrices.
func arraysOf(g *Graph) *arrays {
	d := len(g.Names)
	a := &arrays{adjacency: make([]int8, d*d), undirected: make([]int8, d*d)}
	if !g.Unnamed {
		a.names = g.Names
	}
	for _, q := range quantities {
		if g.Has(q) {
			a.numbers[q] = slices.Repeat([]float64{math.NaN()}, d*d)
		}
	}
	for _, e := range g.Edges {
		there, back := e.From*d+e.To, e.To*d+e.From
		a.adjacency[there] = 1
		if e.Undirected {
			a.adjacency[back], a.undirected[there], a.undirected[back] = 1, 1, 1
		}
		for _, q := range quantities {
			if v := e.Number(q); v.Known {
				a.numbers[q][there] = v.Value
				if q == Adjacent && e.Undirected {
					a.numbers[q][back] = v.Value
				}
			}
		}
	}
	return a
}

func writeNPZ(w io.Writer, g *Graph) error { return arraysOf(g).write(w, len(g.Names)) }

// WritePosterior writes an archive that numpy.load reads, of the consensus graph g and all
// marginals on the same vertices: the arrays names, adjacency and undirected of the graph, and
// probabilities, probabilities_adjacent, weights and weights_sd (NaN means unknown) of every pair,
// the last two for models with weights.
func WritePosterior(w io.Writer, g *Graph, m posterior.Marginals) error {
	if err := g.Check(); err != nil {
		return fmt.Errorf("graphfile: %w", err)
	}
	a, d := arraysOf(g), len(g.Names)
	a.numbers = [4][]float64{}
	fill := func(q Quantity, value func(i, j int) float64) {
		a.numbers[q] = make([]float64, d*d)
		for i := range d {
			for j := range d {
				a.numbers[q][i*d+j] = value(i, j)
			}
		}
	}
	fill(Probability, m.Probabilities.At)
	fill(Adjacent, func(i, j int) float64 {
		return min(1, m.Probabilities.At(i, j)+m.Probabilities.At(j, i))
	})
	if m.WeightMean != nil {
		fill(Weight, m.WeightMean.At)
	}
	if m.WeightSD != nil {
		fill(WeightSD, m.WeightSD.At)
	}
	return a.write(w, d)
}

// write writes the archive. Its times are fixed, so that the same graph gives the same bytes.
func (a *arrays) write(w io.Writer, d int) error {
	z := zip.NewWriter(w)
	entry := func(name string, write func(io.Writer) error) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return err
		}
		return write(f)
	}
	if a.names != nil {
		if err := entry(namesArray, func(f io.Writer) error {
			return numpy.WriteTexts(f, a.names)
		}); err != nil {
			return err
		}
	}
	if err := entry(adjacencyArray, func(f io.Writer) error {
		return numpy.WriteBytes(f, []int{d, d}, a.adjacency)
	}); err != nil {
		return err
	}
	if err := entry(undirectedArray, func(f io.Writer) error {
		return numpy.WriteBytes(f, []int{d, d}, a.undirected)
	}); err != nil {
		return err
	}
	for _, q := range quantities {
		if a.numbers[q] == nil {
			continue
		}
		if err := entry(q.array(), func(f io.Writer) error {
			return numpy.WriteNumbers(f, []int{d, d}, a.numbers[q])
		}); err != nil {
			return err
		}
	}
	return z.Close()
}

// readNPZ reads an archive: edges where adjacency is not 0, without it where probabilities or else
// weights are neither 0 nor NaN. An archive of other names is read if it has a single square array
// of numbers. Names are the array names, or the only array of texts.
func readNPZ(data []byte, source string) (*Graph, error) {
	all, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	names, err := namesOf(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	matrices, sequence := map[string]mat.Matrix{}, []string{}
	for _, a := range all {
		m, err := square(a.array)
		if err != nil {
			continue // something else that was saved beside
		}
		if d, _ := m.Dims(); names == nil || d == len(names) {
			matrices[a.name] = m
			sequence = append(sequence, a.name)
		}
	}
	numbers := [4]mat.Matrix{}
	for _, q := range quantities {
		for _, name := range []string{q.array(), q.String()} {
			if m, ok := matrices[name]; ok && numbers[q] == nil {
				numbers[q] = m
			}
		}
	}
	m := matrices[adjacencyArray]
	if m == nil {
		if m = numbers[Probability]; m == nil {
			m = numbers[Weight]
		}
		if m == nil && len(sequence) == 1 {
			m = matrices[sequence[0]]
		}
		if m == nil {
			return nil, fmt.Errorf("%s: square arrays %v; allowed: one, or one that is named "+
				"adjacency, probabilities or weights", source, sequence)
		}
	}
	if numbers == [4]mat.Matrix{} && matrices[undirectedArray] == nil {
		return fromMatrix(names, m, source)
	}
	return fromArrays(names, m, matrices[undirectedArray], numbers, source)
}

// fromArrays is the graph with an edge where m is neither 0 nor NaN. Both of a pair are an edge
// without direction where undirected says so or, if that is nil, where m has 0 and 1 only.
func fromArrays(names []string, m, undirected mat.Matrix, numbers [4]mat.Matrix,
	source string) (*Graph, error) {
	d, _ := m.Dims()
	for _, other := range append(numbers[:], undirected) {
		if other == nil {
			continue
		}
		if n, _ := other.Dims(); n != d {
			return nil, fmt.Errorf("%s: square arrays of %d and %d vertices", source, d, n)
		}
	}
	g, err := fromMatrix(names, m, source)
	if err != nil {
		return nil, err
	}
	c := newCollector(source)
	c.graph.Unnamed = g.Unnamed
	for _, name := range g.Names {
		c.vertex(name)
	}
	for _, e := range g.Edges {
		if e.Undirected && undirected != nil && undirected.At(e.From, e.To) == 0 {
			e.Undirected = false
			back := Edge{From: e.To, To: e.From}
			if err := c.add(withNumbers(back, numbers), 0); err != nil {
				return nil, err
			}
		}
		e = withNumbers(Edge{From: e.From, To: e.To, Undirected: e.Undirected}, numbers)
		if back := withNumbers(Edge{From: e.To, To: e.From, Undirected: true},
			numbers); e.Undirected && !e.ofDirection() && back.ofDirection() {
			e = back
		}
		if err := c.add(e, 0); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// withNumbers is the edge with its entries of the matrices.
func withNumbers(e Edge, numbers [4]mat.Matrix) Edge {
	for _, q := range quantities {
		if numbers[q] != nil {
			*e.number(q) = Known(numbers[q].At(e.From, e.To))
		}
	}
	return e
}

// A packed array is one file of an archive.
type packed struct {
	name  string
	array *numpy.Array
}

// unpack reads all arrays of an archive, in its sequence, up to MaxBytes in all.
func unpack(data []byte) ([]packed, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	var all []packed
	left := uint64(MaxBytes)
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray {
			continue
		}
		if f.UncompressedSize64 > left { // which is all that can be read
			return nil, fmt.Errorf("%s: %w", excerpt(f.Name), errTooLarge)
		}
		left -= f.UncompressedSize64
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", excerpt(f.Name), err)
		}
		a, err := numpy.Read(r)
		if closed := r.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", excerpt(f.Name), err)
		}
		all = append(all, packed{name, a})
	}
	return all, nil
}

// namesOf are the texts that name the vertices; nil means there are none.
func namesOf(all []packed) ([]string, error) {
	var texts []packed
	for _, a := range all {
		if a.array.Texts == nil || len(a.array.Shape) != 1 {
			continue
		}
		if a.name == namesArray {
			texts = []packed{a}
			break
		}
		texts = append(texts, a)
	}
	switch {
	case len(texts) == 0:
		return nil, nil
	case len(texts) > 1:
		return nil, fmt.Errorf("arrays of texts %s and %s; allowed: one, or one that is called %s",
			excerpt(texts[0].name), excerpt(texts[1].name), namesArray)
	}
	return texts[0].array.Texts, nil
}
