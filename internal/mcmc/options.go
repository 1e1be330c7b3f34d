package mcmc

import (
	"fmt"
	"math"
	"runtime"

	"tobac/dag"
	"tobac/internal/scoring"
	"tobac/score"
)

// Options are the settings of a [Sampler]. The zero value is the documented default.
type Options struct {
	// candidate parents per variable at most, up to [scoring.MostCandidates]; defaults to as many
	// as [DefaultCandidates] says
	Candidates int
	Chains     int // independent chains; defaults to 4
	// inverse temperatures per chain, 1 for no tempering; defaults to [DefaultRungs]
	Rungs int
	// smallest inverse temperature, in (0, 1); defaults to exp(−min(2.3, 10 (Rungs−1)/d)), so that
	// neighbours exchange states
	Hottest float64
	WarmUp  int // iterations of each chain before it records; defaults to 300
	Draws   int // least number of graphs that a long run keeps, −1 for none; defaults to 1000
	// near which the searches for the first chains begin; the others begin anew
	Starts  []*dag.Graph
	Apart   bool           // the chains begin at Starts in turn, also at such that are far behind
	Wider   []score.Scorer // through which those that begin anew go first; see [search.Through]
	Seed    uint64
	Workers int // goroutines; defaults to one per processor. Results do not depend on it.
}

// Bytes is the memory that the tables of d variables with k candidates each take at most; 0 stands
// for the default.
func Bytes(d, k int) int64 {
	b := int64(d) << min(k, d-1) * tableBytes
	if k == 0 {
		k = mostCandidates
		b = max(int64(d)<<DefaultCandidates(d)*tableBytes,
			min(int64(d)<<min(k, d-1)*tableBytes, spreadBytes))
	}
	if k < d-1 {
		b += widerBytes
	}
	return b
}

// DefaultCandidates is the number of candidates that every one of d variables may have: so many
// that tables of all of them would take at most 64 MiB, 15 at most: 14 of 200 variables, 11 of
// 1,000. It is at least 4 where there are as many others. Single variables get more, up to 19, as
// long as all tables take at most 224 MiB: any of 24 at most, then hardly one is left outside, and
// of more those with ten probable parents.
func DefaultCandidates(d int) int {
	k := min(4, d-1)
	for k < min(d-1, mostOfAll) && int64(d)<<(k+1)*tableBytes <= defaultBytes {
		k++
	}
	return k
}

// most is the largest number of candidates of a variable, where the variables want some each.
func (o Options) most(wanted []int) int {
	if o.Candidates > 0 {
		return o.Candidates
	}
	k := DefaultCandidates(len(wanted))
	for ; k < min(len(wanted)-1, mostCandidates); k++ {
		bytes := int64(0)
		for _, n := range wanted {
			bytes += tableBytes << min(n, k+1)
		}
		if bytes > spreadBytes {
			break
		}
	}
	return k
}

// DefaultRungs is the number of inverse temperatures of a chain over d variables: 8 up to 24
// variables, 6 up to 40, 4 up to 60, or 1 of more, since temperatures that exchange states are then
// too close to 1 to help.
func DefaultRungs(d int) int {
	switch {
	case d <= fewVariables:
		return 8
	case d <= 40:
		return 6
	case d <= 60:
		return 4
	}
	return 1
}

// mostOfAll is the largest default for all variables, mostCandidates that for single ones: any of
// fewVariables, and of more those with manyParents probable ones. With these all tables take at
// most spreadBytes.
const (
	manyParents    = 10
	fewVariables   = 24
	mostOfAll      = 15
	mostCandidates = 19
	spreadBytes    = 224 << 20
)

func (o Options) defaults(d int) (Options, error) {
	set := func(v *int, value int) {
		if *v == 0 {
			*v = value
		}
	}
	set(&o.Chains, 4)
	set(&o.Rungs, DefaultRungs(d))
	set(&o.WarmUp, 300)
	set(&o.Draws, 1000)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	if o.Hottest == 0 {
		o.Hottest = math.Exp(-min(2.3, 10*max(float64(o.Rungs-1), 1)/float64(d)))
	}
	switch {
	case o.Candidates < 0 || o.Candidates > scoring.MostCandidates:
		return o, fmt.Errorf("mcmc: %d candidates, want 0 for the default to %d", o.Candidates,
			scoring.MostCandidates)
	case o.Chains < 1:
		return o, fmt.Errorf("mcmc: %d chains, want at least 1", o.Chains)
	case o.Rungs < 1:
		return o, fmt.Errorf("mcmc: %d inverse temperatures, want at least 1", o.Rungs)
	case !(o.Hottest > 0 && o.Hottest < 1):
		return o, fmt.Errorf("mcmc: smallest inverse temperature is %v, want 0 < value < 1",
			o.Hottest)
	case o.WarmUp < 1:
		return o, fmt.Errorf("mcmc: warm-up of %d iterations, want at least 1", o.WarmUp)
	case o.Draws < -1:
		return o, fmt.Errorf("mcmc: %d draws, want −1, 0 or more", o.Draws)
	case o.Workers < 1:
		return o, fmt.Errorf("mcmc: %d workers, want at least 1", o.Workers)
	}
	return o, nil
}

// draws is the number of graphs that each chain keeps.
func (o Options) draws() int { return (max(o.Draws, 0) + o.Chains - 1) / o.Chains }
