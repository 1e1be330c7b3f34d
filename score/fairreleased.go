package score

// FairAsReleased is the prior ln ρ_j(A) = −ln C(d, |A|) that the program of
// DAG-GFlowNet has under the name of the fair one: [Fair] with the number of all
// variables in place of the number of possible parents.
func FairAsReleased(d int) *Prior {
	q := newPrior(d)
	for k := range q.size {
		q.size[k] = -lnChoose(d, k)
	}
	return q
}
