package inference

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/internal/trust"
	"tobac/internal/words"
	"tobac/sem"
)

// BestTwo are the two models with the greatest evidence. The model that extends the best by terms
// that the data do not support is not counted.
func BestTwo(all []sem.Evidence) (best, next sem.Evidence) {
	best.Log, next.Log = math.Inf(-1), math.Inf(-1)
	for _, e := range all {
		if e.Log > best.Log {
			best = e
		}
	}
	for _, e := range all {
		extends := best.Model == sem.NonGaussian{}.String() && e.Model == sem.Additive{}.String()
		if e.Model != best.Model && e.Log > next.Log && !extends {
			next = e
		}
	}
	return best, next
}

// Averaged are the means of the log evidences that several completed tables give the same models;
// NaN for a model that could not be computed for one of them, with what that table says.
func Averaged(tables [][]sem.Evidence) []sem.Evidence {
	out := slices.Clone(tables[0])
	for m := range out {
		e := &out[m]
		e.Log = 0
		for k, all := range tables {
			e.Log += all[m].Log / float64(len(tables))
			if math.IsNaN(all[m].Log) && !math.IsNaN(tables[0][m].Log) {
				e.Note = fmt.Sprintf("in completed table %d: %s", k+1, all[m].Note)
			}
		}
		if !math.IsNaN(e.Log) {
			e.Note = strings.TrimPrefix(fmt.Sprintf("%s, mean over %d completed tables", e.Note,
				len(tables)), ", ")
			if tables[0][m].Note == "" {
				e.Note = "log evidence, " + e.Note
			}
		}
	}
	return out
}

// ByGraph is the note of an evidence that was not summed.
const ByGraph = "by its most probable graph, which is far behind that of the best model"

// Although begins the reason for a model that has not the greatest evidence.
const Although = "although the data support "

// A conditional model takes part in a comparison only where those before it leave it a chance.
type conditional interface {
	// Pointless says why it has none, for data and the evidences of the models before; "" if it has
	// one.
	Pointless(data *dataset.Table, compared []sem.Evidence) string
}

// fewestRows is the number of rows that count, where rows depend on each other, from which on they
// may tell a form of equations. Fewer do not: nothing can be tested, and evidences of such models,
// which take long, would differ by what all rows say as if they were independent.
const fewestRows = 5

// LeftOut says why a model takes no part in a comparison, after some others; "" if it does. t is
// the part of the evidence that counts.
func LeftOut(m sem.Scored, models []sem.Scored, data *dataset.Table, compared []sem.Evidence,
	t trust.Trust) string {
	if len(models) < 2 {
		return ""
	}
	if note := sem.Unsuited(m, data); note != "" {
		return note
	}
	n, _ := data.X.Dims()
	if rows := t.Rows * float64(n); t.Rows < 1 && rows < fewestRows && trust.ReadsForm(m) &&
		slices.ContainsFunc(models, func(other sem.Scored) bool {
			return !trust.ReadsForm(other) && sem.Unsuited(other, data) == ""
		}) {
		return fmt.Sprintf("the rows depend on each other and count as %.0f, too few to tell the "+
			"form of equations", rows)
	}
	if v, ok := sem.As[conditional](m); ok {
		return v.Pointless(data, compared)
	}
	return ""
}

// checkKinds is an error if a model takes categories for numbers.
func checkKinds(m sem.Model, data *dataset.Table) error {
	if v, ok := m.(Settled); ok {
		m = v.Model
	}
	if m == nil || sem.TraitsOf(m).Categories {
		return nil
	}
	for j, name := range data.Names {
		if data.Kind(j) == dataset.Categorical {
			return fmt.Errorf("column %s is a category of %d levels, which the model %v does not "+
				"take; allowed: the models generalised, latent-normal, mixed and bdeu, or "+
				"--categories indicators",
				strconv.Quote(name), len(data.Variables[j].Levels), m)
		}
	}
	return nil
}

// certainty is the evidence of a dependence, in nats beside what the number of pairs asks for, from
// which on a column whose values never contradict it is taken for a function of another one.
const certainty = 20

// leastCertain is the evidence of a dependence between two of so many columns from which on it
// counts as certain.
func leastCertain(columns int) float64 { return certainty + 2*math.Log(float64(columns)) }

// FunctionsWarning names columns with levels that others determine; "" if there are none.
func FunctionsWarning(data *dataset.Table) string {
	var all []string
	for _, f := range functions(data) {
		all = append(all, fmt.Sprintf("%q by %q", data.Names[f.column], data.Names[f.of]))
	}
	if len(all) == 0 {
		return ""
	}
	return "columns are determined by others without exception: " + words.Some(all, 5) +
		"; which of the two is directly related to a third column cannot be identified, so that " +
		"they share the probabilities of their edges; leave one out"
}

// isFunction reports whether column j has only one value for each value of column i, and neither is
// ever set by intervention.
func isFunction(data *dataset.Table, j, i int) bool {
	value := map[float64]float64{}
	n, _ := data.X.Dims()
	for r := range n {
		if set := data.Intervened; set != nil && (set.At(r, i) != 0 || set.At(r, j) != 0) {
			return false
		}
		from, to := data.X.At(r, i), data.X.At(r, j)
		if v, known := value[from]; known && v != to {
			return false
		}
		value[from] = to
	}
	return true
}
