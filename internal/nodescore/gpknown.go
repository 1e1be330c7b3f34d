package nodescore

import "sync"

// knownScores are scores that were computed before: a search for graphs asks for the
// same ones again and again. It is safe for concurrent use.
type knownScores struct {
	mu sync.RWMutex
	of map[string]float64 // by variable and parents
}

func newKnownScores() *knownScores { return &knownScores{of: map[string]float64{}} }

func (k *knownScores) find(key []byte) (float64, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	v, ok := k.of[string(key)]
	return v, ok
}

func (k *knownScores) keep(key []byte, v float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of[string(key)] = v
}

// FamilyKey tells variables with their parents apart.
func FamilyKey(j int, parents []int) string {
	return string(appendKey(appendKey(make([]byte, 0, 3+3*len(parents)), j), parents...))
}

// appendKey appends three bytes for each variable.
func appendKey(key []byte, variables ...int) []byte {
	for _, i := range variables {
		key = append(key, byte(i), byte(i>>8), byte(i>>16))
	}
	return key
}
