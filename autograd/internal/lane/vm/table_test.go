package vm

import "testing"

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
	if got := Codes.String(); got != "Code(36)" {
		t.Errorf("a number that is no operation: got %q, want Code(36)", got)
	}
}
