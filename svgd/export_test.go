package svgd

import "testing"

// ShareSmallWork lets workers share what is not worth it.
func ShareSmallWork(t *testing.T) {
	before := operationsEach
	operationsEach = 1
	t.Cleanup(func() { operationsEach = before })
}
