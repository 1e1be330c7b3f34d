package circle

// Method is what c.go uses.
func (A) Method() {}

func b() { c() }
