package inference

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/words"
	"tobac/models"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// CheckModel is an error if a model takes categories for numbers, or is a custom one whose
// likelihood counts values that were set by intervention.
func CheckModel(m sem.Model, data *dataset.Table) error {
	return cmp.Or(checkKinds(m, data), checkInterventions(m, data))
}

// checkInterventions tries a custom likelihood on the column with the most values that were set:
// its term, given all other columns, is to be the same with other values in their places.
func checkInterventions(m sem.Model, data *dataset.Table) error {
	own, ok := m.(sem.Differentiable)
	_, known := sem.As[sem.Described](m)
	if !ok || known || data.Intervened == nil {
		return nil
	}
	n, d := data.X.Dims()
	j := slices.MaxFunc(dag.Identity(d), func(a, b int) int {
		return cmp.Compare(len(data.ObservedRows(b)), len(data.ObservedRows(a)))
	})
	observed := data.ObservedRows(j)
	if len(observed) == n || len(observed) == 0 {
		return nil
	}
	table := data.Relabel(append(dag.AllBut(d, j), j))
	g := dag.New(d)
	for i := range d - 1 {
		g.Set(i, d-1, true)
	}
	term := func() (float64, error) {
		lik, err := own.Likelihood(table)
		if err != nil {
			return 0, err
		}
		theta := make([]float64, lik.ParamLen())
		lik.InitParams(theta, rand.New(rand.NewPCG(1, 1)))
		var parameters *mat.Dense
		if len(theta) > 0 {
			parameters = mat.NewDense(1, len(theta), theta)
		}
		_, log, err := models.LogJoint(lik, []*dag.Graph{g}, parameters)
		if err != nil {
			return 0, err
		}
		return log[0], nil
	}
	before, err := term()
	if err != nil {
		return nil // the fit says what is wrong
	}
	table.X = mat.DenseCopyOf(table.X)
	set := 0
	for r := range n {
		if table.Intervened.At(r, d-1) != 0 {
			table.X.Set(r, d-1, data.X.At(observed[set%len(observed)], j))
			set++
		}
	}
	after, err := term()
	if err != nil || !(math.Abs(after-before) > 1e-6*(1+math.Abs(before))) {
		return nil
	}
	return fmt.Errorf("the likelihood of the model %v counts %s of column %s that intervention "+
		"set; Terms must leave out what Intervened of the table marks", m,
		words.Counted(set, "value"), strconv.Quote(data.Names[j]))
}
