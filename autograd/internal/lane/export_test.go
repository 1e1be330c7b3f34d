package lane

// Bound is log₂ of the bound of what the weights of a group are multiplied with, as the
// last run has computed it.
func (g *Group) Bound(s *State) float64 { return s.bounds[g.Weight.bound] }
