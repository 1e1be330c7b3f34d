package impute

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Settings of [Complete]. The zero value is the default.
type Settings struct {
	Count int // completed tables; 0: 10
	Seed  uint64
	// Workers is the number of goroutines; 0: 1. It changes nothing but the time.
	Workers int
	// Iterations of every chain. 0: as many as the rate of convergence of EM asks for, from
	// 20 to 500.
	Iterations int
	// Methods say how each column is completed; nil: Auto for all.
	Methods []Method
	// Together are sets of columns that are missing together, such as the indicators of one category: a row takes the values of all of them from
	// one donor, whatever Methods says. A row in which only some columns of a set are missing is an error. A column belongs to one set at most.
	Together [][]int
	// Intervened is n×d, 1 where a value was set by intervention and 0 elsewhere; nil: nowhere.
	Intervened *mat.Dense
	// Names of the columns, for messages; nil: their numbers, from 1.
	Names []string
}

// A Completed table is a table with gaps and several sets of values for them.
type Completed struct {
	x           *mat.Dense
	places      []int       // row·d + column of every gap
	values      [][]float64 // of every completed table, in the sequence of places
	Diagnostics Diagnostics
}

// Count is the number of completed tables.
func (c *Completed) Count() int { return len(c.values) }

// Gaps is the number of values that were completed in each table.
func (c *Completed) Gaps() int { return len(c.places) }

// Places are those of the gaps, row·d + column, ascending.
func (c *Completed) Places() []int { return slices.Clone(c.places) }

// Table is completed table k, n×d: a copy, in which observed values have the bits that they had. It
// panics if there is no such table.
func (c *Completed) Table(k int) *mat.Dense {
	if k < 0 || k >= len(c.values) {
		panic(fmt.Sprintf("impute: completed table %d of %d", k, len(c.values)))
	}
	out := mat.DenseCopyOf(c.x)
	data := out.RawMatrix().Data
	for p, place := range c.places {
		data[place] = c.values[k][p]
	}
	return out
}

// Complete fills the gaps of x, n×d with NaN where a value is missing. Errors name rows and columns counted from 1: those without an
// observed value, values that are infinite, gaps in values set by intervention. It stops when
// ctx is done. It panics if x is nil or empty, if Count, Workers or Iterations is negative, if the shapes of Methods, Intervened or Names
// are not those of x, or if a set of Together repeats a column or has one that does not exist.
func Complete(ctx context.Context, x *mat.Dense, s Settings) (*Completed, error) {
	s.check(x)
	if s.Count == 0 {
		s.Count = 10
	}
	c := &Completed{x: mat.DenseCopyOf(x), values: make([][]float64, s.Count)}
	if err := s.checkData(c.x); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	at := make(map[int]int)
	for place, v := range c.x.RawMatrix().Data[:n*d] {
		if math.IsNaN(v) {
			at[place] = len(c.places)
			c.places = append(c.places, place)
		}
	}
	for k := range c.values {
		c.values[k] = make([]float64, len(c.places))
	}
	methods := s.methods(c.x)
	sets := s.sets(methods)
	for _, r := range regimes(c.x, s.Intervened) {
		model, values, err := r.complete(ctx, c.x, sets, &s)
		if err != nil {
			return nil, err
		}
		c.Diagnostics.Models = append(c.Diagnostics.Models, model)
		for k, list := range values {
			for p, place := range r.places {
				c.values[k][at[place]] = list[p]
			}
		}
	}
	c.Diagnostics.Columns = c.columns(methods)
	return c, nil
}

// complete fills the gaps of the rows of a regime. The values of each table are in the sequence of
// r.places, which it sets.
func (r *regime) complete(ctx context.Context, x *mat.Dense, sets [][]int, s *Settings) (Model, [][]float64, error) {
	p, err := newProblem(x, r.rows, s)
	if err != nil {
		return Model{}, nil, err
	}
	p.wanted = r.wanted
	m, em, err := p.maximise(ctx, s.Workers)
	if err != nil {
		return Model{}, nil, err
	}
	iterations := s.Iterations
	if iterations == 0 {
		iterations = em.chainLength()
	}
	r.places = p.places(x)
	values := make([][]float64, s.Count)
	seed := stream.Seed(s.Seed, stream.ImputationRegime, r.number)
	err = parallel.For(ctx, s.Count, s.Workers, func(k int) (err error) {
		values[k], err = p.chain(ctx, m, iterations, stream.New(seed, stream.Imputation, k), sets, x)
		return err
	})
	return p.describe(em, iterations), values, err
}
