package bcd

// Bytes is about the memory of a fit to n rows of d variables, the three compiled
// programs and the draws that the settings ask for among it. The factors were
// measured at 5 to 100 variables and batches of 64 and 256: what is kept for each
// parameter, and for each sample and pair of variables or hidden unit, is in bytes.
// The number of workers hardly matters.
func Bytes(n, d int, s Settings) float64 {
	s = s.WithDefaults(n, d)
	parameters := 0
	for _, p := range s.parameters(d) {
		parameters += p.shape.Len()
	}
	pairs, batch := float64(d)*float64(d), float64(s.Batch)
	bytes := 350*float64(parameters) + batch*1200*pairs + 16*float64(n)*float64(d) + float64(s.Draws)*(18*pairs+500)
	if !s.Factorized {
		bytes += batch * units * 640
	}
	return bytes + 14<<20
}
