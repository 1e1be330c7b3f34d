package circle

// A is used by c.go, whose method hides in b.go.
type A struct{}

func a() { b() }
