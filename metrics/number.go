package metrics

import (
	"encoding/json"
	"math"
)

// Number is a float64 that JSON can carry: NaN, for a metric that is not
// defined or was not computed, is null, and so are infinities; null reads back
// as NaN.
type Number float64

var (
	_ json.Marshaler   = Number(0)
	_ json.Unmarshaler = (*Number)(nil)
)

// MarshalJSON returns null for NaN and infinities.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a number, or NaN from null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
