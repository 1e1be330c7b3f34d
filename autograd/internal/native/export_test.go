package native

// Shapes is the number of functions that are written.
func (t *Text) Shapes() int { return len(t.shapes) }
