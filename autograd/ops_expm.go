package autograd

import "fmt"

func init() {
	register(
		&Primitive{
			Name:  "expm",
			Shape: squareShape,
			Value: func(_ Attr, out []float64, shape Shape, in [][]float64, _ []Shape) error {
				expm(out, in[0], nil, shape[0])
				return nil
			},
			// The adjoint of E ↦ L(A, E) is C ↦ L(Aᵀ, C).
			VJP: func(y, ct *Node) []*Node { return []*Node{y.args[0].T().ExpmFrechet(ct)} },
		},
		&Primitive{
			Name: "expm_frechet",
			Shape: func(_ Attr, in []Shape) (Shape, error) {
				a, e := in[0], in[1]
				if len(a) != 2 || a[0] != a[1] || !a.Equal(e) {
					return nil, fmt.Errorf("shapes %v and %v, want (n,n) twice", a, e)
				}
				return a, nil
			},
			Value: func(_ Attr, out []float64, shape Shape, in [][]float64, _ []Shape) error {
				expm(out, in[0], in[1], shape[0])
				return nil
			},
			// L(A, E) is block (0,1) of exp M for M = [A E; 0 A]. For the cotangent
			// G = [0 C; 0 0] of exp M that of M is L(Mᵀ, G), whose diagonal blocks
			// belong to A and whose block (0,1) belongs to E.
			VJP: func(y, ct *Node) []*Node {
				a, e := y.args[0], y.args[1]
				n := a.shape[0]
				m := a.blockAt(0, 0).Add(a.blockAt(1, 1)).Add(e.blockAt(0, 1))
				l := m.T().ExpmFrechet(ct.blockAt(0, 1))
				block := func(i, j int) *Node {
					return l.Slice(0, i*n, (i+1)*n).Slice(1, j*n, (j+1)*n)
				}
				return []*Node{block(0, 0).Add(block(1, 1)), a.T().ExpmFrechet(ct)}
			},
		},
	)
}

// blockAt is the matrix of two by two blocks, n at block (i,j) and zero elsewhere.
func (n *Node) blockAt(i, j int) *Node {
	d := n.shape[0]
	return n.Pad([]int{i * d, j * d}, []int{(1 - i) * d, (1 - j) * d})
}

// Expm is the exponential Σ nᵏ/k! of a square matrix, by scaling and squaring of Padé
// approximants. It is NaN throughout if an element is not finite, and infinite or NaN
// where it overflows. Its gradient is [Node.ExpmFrechet]; the gradient of that takes
// the derivative of the exponential of a matrix of twice the size.
func (n *Node) Expm() *Node { return n.op1("expm", Attr{}) }

// ExpmFrechet is the Fréchet derivative of the matrix exponential at n in the
// direction e, L(n, e) = d/dt exp(n + t·e) at t = 0, for two matrices of one square
// shape.
func (n *Node) ExpmFrechet(e *Node) *Node { return n.op1("expm_frechet", Attr{}, e) }
