package models

import (
	"math"

	"tobac/autograd"
	"tobac/internal/vector"
	"tobac/internal/words"
)

// Activation is the nonlinearity of the hidden layers.
type Activation int

const (
	Relu      Activation = iota // max(x, 0), slope 0 at 0
	Tanh                        // tanh x
	Sigmoid                     // 1/(1+e^−x)
	LeakyRelu                   // x above 0, x/100 below, slope 0.505 at 0
)

var activationNames = []string{"relu", "tanh", "sigmoid", "leaky-relu"}

// String is the activation's name on the command line.
func (a Activation) String() string {
	return words.Name(a, activationNames...)
}

// apply is the activation of a node.
func (a Activation) apply(x *autograd.Node) *autograd.Node {
	switch a {
	case Tanh:
		return x.Tanh()
	case Sigmoid:
		return x.Sigmoid()
	case LeakyRelu:
		return x.LeakyRelu(0.01)
	}
	return x.Relu()
}

// value is the activation of a number, as apply builds it.
func (a Activation) value(x float64) float64 {
	switch a {
	case Tanh:
		return math.Tanh(x)
	case Sigmoid:
		return 1 / (1 + math.Exp(-x))
	case LeakyRelu:
		if x < 0 {
			return x / 100
		}
		return x
	}
	return math.Max(x, 0)
}

// Values writes scale times the activations of x to dst, of the same length.
func (a Activation) Values(dst, x []float64, scale float64) {
	k, _ := vector.Default() // an unknown name of kernels is reported by what compiles
	switch a {
	case Tanh:
		k.Tanh(dst, x)
	case Sigmoid:
		k.Sigmoid(dst, x)
	case LeakyRelu:
		k.Scale(dst, x, 0.01)
		k.Maximum(dst, dst, x)
	default:
		k.MaximumScalar(dst, x, 0)
	}
	if scale != 1 {
		k.Scale(dst, dst, scale)
	}
}

// Slopes writes scale times the derivatives of the activation at x, whose activations times scale
// y begins with, to dst.
func (a Activation) Slopes(dst, y, x []float64, scale float64) {
	k, _ := vector.Default()
	x, y = x[:len(dst)], y[:len(dst)]
	switch a {
	case Tanh:
		k.MulEach(dst, y, y)
		k.Scale(dst, dst, -1/(scale*scale))
		k.Shift(dst, dst, 1)
	case Sigmoid:
		k.Scale(dst, y, -1/scale)
		k.Shift(dst, dst, 1)
		k.MulEach(dst, dst, y)
		k.Scale(dst, dst, 1/scale)
	case LeakyRelu:
		k.Positive(dst, x)
		k.Scale(dst, dst, 0.99)
		k.Shift(dst, dst, 0.01)
		for e, v := range x {
			if v == 0 {
				dst[e] = 0.505
			}
		}
	default:
		k.Positive(dst, x)
	}
	k.Scale(dst, dst, scale)
}
