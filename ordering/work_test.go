package ordering_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"tobac/ordering"

	"github.com/google/go-cmp/cmp"
)

// Every method gives the same bits for any number of workers, on tables whose matrices have several
// tiles, and ends with the cause of a context that is done.
func TestWorkersAndCancellation(t *testing.T) {
	cause := errors.New("enough")
	for _, m := range ordering.Methods() {
		n, d := 400, 70
		switch m {
		case ordering.MethodSCORE:
			n, d = 150, 3
		case ordering.MethodNPVar:
			n, d = 200, 6
		}
		x := gaussian(n, d, rand.New(rand.NewPCG(107, 107)))
		want, err := m.Order(t.Context(), x, nil, 1)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		for _, workers := range []int{0, 3} {
			if got, err := m.Order(t.Context(), x, nil, workers); err != nil ||
				!reflect.DeepEqual(got, want) {
				t.Errorf("%v, %d workers: %v\n%s", m, workers, err, cmp.Diff(want, got))
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if got, err := m.Order(ctx, x, nil, 2); !errors.Is(err, cause) || got != nil {
			t.Errorf("%v: %v, %v of a context that is done", m, got, err)
		}
		// Between two looks at the context there is little work: the number of looks grows with it.
		c := &counted{Context: t.Context()}
		if _, err := m.Order(c, x, nil, 1); err != nil || c.looks < n/200 {
			t.Errorf("%v: %v, looks at the context: %d", m, err, c.looks)
		}
	}
}

// counted counts how often anybody looks whether a context is done.
type counted struct {
	context.Context
	looks int
}

func (c *counted) Err() error {
	c.looks++
	return c.Context.Err()
}
