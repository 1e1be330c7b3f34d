package nodescore

import (
	"math"
	"sync"

	"tobac/score"
)

// Kept remembers the scores of single sets of parents, and of those with one parent more or less,
// of which searches and chains ask for the same ones again and again. It is safe for concurrent
// use, and gives the same bits whatever it remembers.
type Kept struct {
	*Joint
	known []keptScores // by variable
}

// A keptScores has, by set of parents, the scores of one variable with each other variable toggled,
// and at its own place that of the set; NaN are not known.
type keptScores struct {
	mu sync.RWMutex
	of map[string][]float64
}

// keptBytes is the memory of what a [Kept] remembers, about.
const keptBytes = 128 << 20

// HasSlowTables reports whether scores of all subsets of many candidates take long: whether s is a
// [Joint], or made of one.
func HasSlowTables(s score.Scorer) bool {
	v, ok := s.(interface{ slowTables() bool })
	return ok && v.slowTables()
}

func (s *Joint) slowTables() bool { return true }

func (b *Blend) slowTables() bool { return HasSlowTables(b.Form) || HasSlowTables(b.Base) }

// NewKept remembers scores of s.
func NewKept(s *Joint) *Kept { return &Kept{Joint: s, known: make([]keptScores, s.Vars())} }

// values are a copy of what is known of a set of parents.
func (s *Kept) values(dst []float64, j int, key string) []float64 {
	k := &s.known[j]
	k.mu.RLock()
	defer k.mu.RUnlock()
	if v := k.of[key]; v != nil {
		return append(dst, v...)
	}
	for range s.Vars() {
		dst = append(dst, math.NaN())
	}
	return dst
}

// remember keeps scores of a set of parents.
func (s *Kept) remember(j int, key string, variables []int, scores []float64) {
	k, d := &s.known[j], s.Vars()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= max(1<<8, keptBytes/(d*(8*d+100))) {
		k.of = map[string][]float64{}
	}
	v := k.of[key]
	if v == nil {
		v = make([]float64, d)
		for i := range v {
			v[i] = math.NaN()
		}
		k.of[key] = v
	}
	for a, i := range variables {
		v[i] = scores[a]
	}
}

// LogScore implements [score.Scorer].
func (s *Kept) LogScore(j int, parents []int) float64 {
	key := setKey(parents)
	k := &s.known[j]
	k.mu.RLock()
	v := math.NaN()
	if of := k.of[key]; of != nil {
		v = of[j]
	}
	k.mu.RUnlock()
	if math.IsNaN(v) {
		v = s.Joint.LogScore(j, parents)
		s.remember(j, key, []int{j}, []float64{v})
	}
	return v
}

// LogScoresToggled implements [ToggleScorer].
func (s *Kept) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	key := setKey(parents)
	known := s.values(make([]float64, 0, s.Vars()), j, key)
	var missing, places []int
	for k, i := range variables {
		if dst[k] = known[i]; math.IsNaN(dst[k]) {
			missing, places = append(missing, i), append(places, k)
		}
	}
	if len(missing) == 0 {
		return
	}
	scores := make([]float64, len(missing))
	s.Joint.LogScoresToggled(scores, j, parents, missing)
	s.remember(j, key, missing, scores)
	for a, k := range places {
		dst[k] = scores[a]
	}
}
