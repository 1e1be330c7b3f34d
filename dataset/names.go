package dataset

// NamesOf are the names of some columns.
func NamesOf(names []string, columns []int) []string {
	out := make([]string, len(columns))
	for k, j := range columns {
		out[k] = names[j]
	}
	return out
}
