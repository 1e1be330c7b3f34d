package drawn

import (
	"tobac/dataset"
	"tobac/effects"
)

// Columns describes the columns of a table, with the names of their levels.
func Columns(data *dataset.Table) []effects.Column {
	columns := effects.Describe(data.Names, data.X)
	for j := range columns {
		if data.Named(j) {
			columns[j].LevelNames = data.Variables[j].Levels
		}
		columns[j].Unordered = data.Kind(j) == dataset.Categorical && len(data.Values(j)) > 2
	}
	return columns
}
