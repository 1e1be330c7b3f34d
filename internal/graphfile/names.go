package graphfile

import (
	"fmt"
	"regexp"
)

// labelKeys are attributes of a vertex that may name it, the better ones first.
var labelKeys = []string{"name", "label"}

// generated is an identity that a program made up: a number, perhaps in groups.
var generated = regexp.MustCompile(`^(n|node_?)?\d+(::n\d+)*$`)

// chooseNames are the names of vertices: their identities, unless all of these look made up and
// every vertex has a label of its own under one of the keys.
func chooseNames(ids []string, labels map[string][]string) ([]string, error) {
	made := true
	for _, id := range ids {
		made = made && generated.MatchString(id)
	}
	if made {
		for _, key := range labelKeys {
			if names := labels[key]; len(names) == len(ids) && distinct(names) {
				return names, nil
			}
		}
	}
	if !distinct(ids) {
		return nil, fmt.Errorf("two vertices with the same name, or one without; allowed: a different name for each vertex")
	}
	return ids, nil
}

func distinct(names []string) bool {
	seen := map[string]bool{"": true}
	for _, name := range names {
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
