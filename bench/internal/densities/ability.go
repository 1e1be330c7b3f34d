package densities

import (
	"tobac/autograd"
)

// A tournament is the Bradley–Terry model: player w beats player l with the
// probability σ(λ_w − λ_l). The parameters are the logarithm of the standard
// deviation of λ, N(0, 1), and λ.
type tournament struct {
	players   int
	won, lost []int
}

// bradleyTerry has 20 players and 300 matches.
func bradleyTerry() *Density {
	const players, matches = 20, 300
	m := &tournament{players: players}
	rng := stream(25)
	for range matches {
		w := rng.IntN(players)
		l := (w + 1 + rng.IntN(players-1)) % players
		if w > l && rng.IntN(3) > 0 {
			w, l = l, w
		}
		m.won, m.lost = append(m.won, w), append(m.lost, l)
	}
	return &Density{
		Name: "Bradley–Terry", Params: 1 + players, SD: 0.7, Expression: m.expression,
	}
}

func (m *tournament) expression(x *autograd.Node) *autograd.Node {
	logSD, ability, shape := at(x, 0), x.Slice(0, 1, 1+m.players), autograd.Shape{len(m.won)}
	prior := halfSquare(ability.Div(logSD.Exp())).Sub(logSD.Scale(float64(m.players))).Sub(
		logSD.Square().Scale(0.5))
	difference := ability.Gather(m.won, shape).Sub(ability.Gather(m.lost, shape))
	return difference.LogSigmoid().Sum().Add(prior)
}

// items is the two-parameter logistic item response model: student s solves item i
// with the probability σ(a_i (θ_s − b_i)). The parameters are θ, ln a and b, all
// N(0, 1).
type items struct {
	students, items int
	y               []float64
}

// itemResponse has 40 students and 15 items.
func itemResponse() *Density {
	m := &items{students: 40, items: 15}
	m.y = make([]float64, m.students*m.items)
	rng := stream(26)
	ability := normals(rng, m.students, 1)
	for i := range m.y {
		if rng.Float64() < sigmoid(ability[i/m.items]-0.2*float64(i%m.items-7)) {
			m.y[i] = 1
		}
	}
	return &Density{
		Name: "item response, 2PL", Params: m.students + 2*m.items, SD: 0.7,
		Expression: m.expression,
	}
}

func (m *items) expression(x *autograd.Node) *autograd.Node {
	s, i := m.students, m.items
	ability, slope, difficulty := x.Slice(0, 0, s), x.Slice(0, s, s+i).Exp(),
		x.Slice(0, s+i, s+2*i)
	eta := ability.Reshape(autograd.Shape{s, 1}).Sub(difficulty).Mul(slope)
	return constant(x, m.y, s, i).Mul(eta).Sub(eta.Softplus()).Sum().Add(halfSquare(x))
}
