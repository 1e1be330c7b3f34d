package nodescore

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
