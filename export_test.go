package tobac

// SetScoreSeconds changes the size of jobs of node scores until restore is called.
func SetScoreSeconds(seconds float64) (restore func()) {
	before := scoreSeconds
	scoreSeconds = seconds
	return func() { scoreSeconds = before }
}
