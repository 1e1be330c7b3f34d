package scoring

import "sync"

// A Memory keeps what was found of variables with their parents, of which searches and chains ask
// for the same ones again and again. Its zero value is empty and has no limit. It is safe for
// concurrent use: two that ask for something new at once both find it, to the same bits.
type Memory[V any] struct {
	Most int // things that are kept, before it begins anew; 0 means no limit

	mu sync.RWMutex
	of map[string]V
}

// Of is what find finds, once, of variable j given its parents.
func (m *Memory[V]) Of(j int, parents []int, find func() V) V {
	var room [64]byte
	key := AppendKey(AppendKey(room[:0], j), parents...)
	m.mu.RLock()
	v, ok := m.of[string(key)]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || m.Most > 0 && len(m.of) >= m.Most {
		m.of = map[string]V{}
	}
	m.of[string(key)] = v
	return v
}

// Has reports whether variable j given its parents is kept.
func (m *Memory[V]) Has(j int, parents []int) bool {
	var room [64]byte
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.of[string(AppendKey(AppendKey(room[:0], j), parents...))]
	return ok
}

// AppendKey appends what tells lists of variables apart: three bytes for each.
func AppendKey(key []byte, variables ...int) []byte {
	for _, i := range variables {
		key = append(key, byte(i), byte(i>>8), byte(i>>16))
	}
	return key
}
