package file

// ActAs makes the process another user, as far as this package is concerned, until restore is
// called.
func ActAs(number int) (restore func()) {
	before := user
	user = func() int { return number }
	return func() { user = before }
}
