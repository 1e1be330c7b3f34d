package ordering

import (
	"fmt"
	"strings"
)

// ByNames translates an order written as column names, sources first, into
// column indices, given the names of the columns. Names are compared exactly.
// The error lists every name that is unknown, repeated or missing, with
// positions counted from 1, and suggests the column meant where a name differs
// only in case or surrounding space. Repeated column names are an error too,
// since an order could not tell them apart.
func ByNames(order, names []string) ([]int, error) {
	column := make(map[string]int, len(names))
	for i, name := range names {
		if first, dup := column[name]; dup {
			return nil, fmt.Errorf("ordering: columns %d and %d are both named %q", first+1, i+1, name)
		}
		column[name] = i
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("ordering: an order of 0 columns, want at least 1")
	}

	var faults []string
	indices := make([]int, 0, len(names))
	position := make(map[int]int, len(names))
	for c, name := range order {
		i, known := column[name]
		if !known {
			faults = append(faults, fmt.Sprintf("unknown %q at position %d%s", name, c+1, suggestion(name, names)))
			continue
		}
		if first, dup := position[i]; dup {
			faults = append(faults, fmt.Sprintf("repeated %q at positions %d and %d", name, first+1, c+1))
			continue
		}
		position[i] = c
		indices = append(indices, i)
	}
	var missing []string
	for i, name := range names {
		if _, placed := position[i]; !placed {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, "missing "+strings.Join(missing, ", "))
	}
	const most = 20
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Sprintf("and %d more", more))
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("ordering: order by names: %s", strings.Join(faults, "; "))
	}
	return indices, nil
}

// suggestion returns a hint for an unknown name, or "".
func suggestion(name string, names []string) string {
	for _, candidate := range names {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(candidate)) {
			return fmt.Sprintf(" (did you mean %q?)", candidate)
		}
	}
	return ""
}
