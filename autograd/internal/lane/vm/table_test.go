package vm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// Every operation has a row, with a name of its own, a cost and a function in Go.
func TestTable(t *testing.T) {
	seen := map[string]Code{}
	for code := range Codes {
		r := &table[code]
		if r.name == "" || r.cost == nil || r.run == nil {
			t.Errorf("operation %d: got the row %+v, want a name, a cost and a function", code, r)
		}
		if other, ok := seen[r.name]; ok {
			t.Errorf("operations %d and %d have the name %q", other, code, r.name)
		}
		seen[r.name] = code
		if code.String() != r.name {
			t.Errorf("operation %d: got the name %q, want %q", code, code, r.name)
		}
	}
	if got := Codes.String(); got != fmt.Sprintf("Code(%d)", int32(Codes)) {
		t.Errorf("a number that is no operation: got %q", got)
	}
}

// The sets in assembly run the operations that the table says by themselves, and return
// to Go for the others: the jump tables are those of this table.
func TestAssembly(t *testing.T) {
	for _, set := range vector.Available()[1:] {
		for code := range Codes {
			g := &Group{Code: []Op{{Code: code}, {Code: End}}}
			if table[code].assembly && code != End {
				i := slices.IndexFunc(laneCases(), func(c laneCase) bool { return c.code == code })
				tr := newTrial(laneCases()[i], rand.New(rand.NewPCG(3, uint64(code))), VectorLen,
					false)
				g.Code[0], g.Args = tr.op, tr.args
			}
			x := New(set, make([]float64, testArena),
				Size{Width: VectorLen, Full: testRegisters, Buffer: testBuffer, Streams: 2})
			x.run(&Group{Code: []Op{{Code: End}}}, x.Full, VectorLen, VectorLen,
				make([]int32, VectorLen))
			x.state.code = &g.Code[0]
			if len(g.Args) > 0 {
				x.state.args = &g.Args[0]
			}
			want := 0
			if table[code].assembly && code != End {
				want = 1
			}
			if got := assembled(set, &x.state, 0); got != want {
				t.Errorf("%v: %v: returned at operation %d, want %d", set, code, got, want)
			}
		}
	}
}
