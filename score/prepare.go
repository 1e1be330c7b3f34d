package score

import "context"

// A Family is sets of parents of a variable: every subset of Candidates with at most
// Most members, 0 for all subsets, each beside the parents Given. Candidates and Given are distinct,
// each in ascending sequence, without the child.
type Family struct {
	Child             int
	Candidates, Given []int
	Most              int
}

// A Preparer is a [Scorer] whose scores take long enough to be computed many at a time, on other machines perhaps. Prepare
// computes scores that are about to be asked for, all or some of those of the families:
// LogScore and LogScores then return the same numbers as without, only sooner.
type Preparer interface {
	Scorer
	Prepare(ctx context.Context, families []Family) error
}

// Prepare announces families to a scorer that is a [Preparer]; for others it does nothing, and does
// not ask which families these are.
func Prepare(ctx context.Context, s Scorer, families func() []Family) error {
	if p, ok := s.(Preparer); ok {
		return p.Prepare(ctx, families())
	}
	return nil
}
