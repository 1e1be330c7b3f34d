package nodescore

import "tobac/internal/scoring"

// A Family is a variable with a set of parents, ascending columns without its own.
type Family struct {
	Of  int
	Set []int
}

// Families are variable j with each of some sets of parents.
func Families(j int, sets ...[]int) []Family {
	list := make([]Family, len(sets))
	for k, set := range sets {
		list[k] = Family{Of: j, Set: set}
	}
	return list
}

// FamilyKey tells variables with their parents apart.
func FamilyKey(j int, parents []int) string {
	return string(scoring.AppendKey(scoring.AppendKey(make([]byte, 0, 3+3*len(parents)), j),
		parents...))
}

// setKey tells sets of parents apart.
func setKey(parents []int) string {
	return string(scoring.AppendKey(make([]byte, 0, 3*len(parents)), parents...))
}
