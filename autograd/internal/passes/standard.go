package passes

// Standard lists the passes that every function goes through but for those left
// out: StructuralZeros and ElementLiveness left out still give their facts, the
// ones that hold of every function.
func Standard(without Set) []Pass {
	var list []Pass
	if without&ConstantFolding == 0 {
		list = append(list, Fold)
	}
	if without&AlgebraicSimplification == 0 {
		list = append(list, Simplify)
	}
	zeros, live := Zeros, Live
	if without&StructuralZeros != 0 {
		zeros = AnySupport
	}
	if without&ElementLiveness != 0 {
		live = AllLive
	}
	return append(list, zeros, live)
}
