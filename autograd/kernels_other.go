//go:build purego || !amd64

package autograd

func drawUniform(dst []float64, state *[32]uint64) { uniformVec(dst, state) }

func vectorExp(dst, a []float64) { expVec(dst, a) }

func vectorKernels() []kernelSet { return nil }
