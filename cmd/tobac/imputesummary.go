package main

import (
	"fmt"
	"math"
	"strconv"

	"tobac"
	"tobac/internal/impute"
	"tobac/internal/words"
	"tobac/metrics"
)

// An imputationSummary says what was imputed, and what rests on it.
type imputationSummary struct {
	Tables int `json:"tables"`
	// in which they were drawn again given the causal model
	Rounds  int             `json:"rounds"`
	Values  int             `json:"values"`  // imputed in each table
	Columns []imputedColumn `json:"columns"` // those with gaps
	// of the values: one, or one for each regime of interventions
	Models []imputationModel `json:"models"`
	// completed tables by the model that they support, of those compared
	Support map[string]int `json:"support,omitempty"`
	// of an edge probability between the completed tables
	LargestSD  metrics.Number `json:"largest_sd"`
	LargestFor []string       `json:"largest_for"` // source and target
}

type imputedColumn struct {
	Name        string         `json:"name"`
	Values      int            `json:"values"`
	Method      string         `json:"method"`
	Information metrics.Number `json:"missing_information"` // about the mean
}

type imputationModel struct {
	Rows       int            `json:"rows"`
	Ridge      metrics.Number `json:"ridge"`
	Converged  bool           `json:"converged"`
	Iterations int            `json:"iterations"`
}

// newImputationSummary is nil for a table without gaps.
func newImputationSummary(r *tobac.Result, c *impute.Completed) *imputationSummary {
	if c == nil {
		return nil
	}
	m := r.Imputation
	i, j, sd := m.Largest()
	s := &imputationSummary{Tables: m.Tables, Rounds: m.Rounds, Values: c.Gaps(),
		LargestSD: metrics.Number(sd), LargestFor: []string{r.Names[i], r.Names[j]}}
	for k, column := range c.Diagnostics.Columns {
		if column.Gaps > 0 {
			s.Columns = append(s.Columns, imputedColumn{r.Names[k], column.Gaps,
				column.Method.String(), metrics.Number(column.Information)})
		}
	}
	for _, n := range c.Diagnostics.Models {
		s.Models = append(s.Models,
			imputationModel{n.Rows, metrics.Number(n.Ridge), n.Converged, n.Iterations})
	}
	for _, e := range r.Evidence {
		if m.Evidence != nil && !math.IsNaN(e.Log) {
			if s.Support == nil {
				s.Support = map[string]int{}
			}
			s.Support[e.Model] = m.Supporting(e.Model)
		}
	}
	return s
}

// String says it in one line of the report.
func (s *imputationSummary) String() string {
	again := ""
	if s.Rounds > 0 {
		again = fmt.Sprintf(", and drawn again in %s given the causal model",
			words.Counted(s.Rounds, "round"))
	}
	return fmt.Sprintf("%s in %s, imputed %d times%s; between the completed tables the "+
		"probability of %s -> %s differs most, with a standard deviation of %s",
		words.Counted(s.Values, "missing value"), words.Counted(len(s.Columns), "column"), s.Tables,
		again, s.LargestFor[0], s.LargestFor[1],
		strconv.FormatFloat(float64(s.LargestSD), 'f', 2, 64))
}
