package densities

import (
	"tobac/autograd"
)

// A tournament is the Bradley–Terry model: player w beats player l with the
// probability σ(λ_w − λ_l). The parameters are the logarithm of the standard
// deviation of λ, N(0, 1), and λ.
type tournament struct {
	players     int
	won, lost   []int
	appearances []float64 // matches × players: +1 for the winner, −1 for the loser
}

// bradleyTerry has 20 players and 300 matches.
func bradleyTerry() *Density {
	const players, matches = 20, 300
	m := &tournament{players: players, appearances: make([]float64, matches*players)}
	rng := stream(25)
	for i := range matches {
		w := rng.IntN(players)
		l := (w + 1 + rng.IntN(players-1)) % players
		if w > l && rng.IntN(3) > 0 {
			w, l = l, w
		}
		m.won, m.lost = append(m.won, w), append(m.lost, l)
		m.appearances[i*players+w], m.appearances[i*players+l] = 1, -1
	}
	return &Density{
		Name: "Bradley–Terry", Params: 1 + players, SD: 0.7, Expression: m.expression,
		Spellings: []Spelling{{Name: "design matrix", Expression: m.design},
			{Name: "log-sum-exp", Expression: m.pairs}},
	}
}

// prior of all parameters.
func (m *tournament) prior(x, ability *autograd.Node) *autograd.Node {
	logSD := at(x, 0)
	return halfSquare(ability.Div(logSD.Exp())).Sub(logSD.Scale(float64(m.players))).Sub(
		logSD.Square().Scale(0.5))
}

func (m *tournament) expression(x *autograd.Node) *autograd.Node {
	ability, shape := x.Slice(0, 1, 1+m.players), autograd.Shape{len(m.won)}
	difference := ability.Gather(m.won, shape).Sub(ability.Gather(m.lost, shape))
	return difference.LogSigmoid().Sum().Add(m.prior(x, ability))
}

func (m *tournament) design(x *autograd.Node) *autograd.Node {
	ability := x.Slice(0, 1, 1+m.players)
	difference := constant(x, m.appearances, len(m.won), m.players).MatVec(ability)
	return difference.LogSigmoid().Sum().Add(m.prior(x, ability))
}

// pairs writes ln σ(w − l) as w − ln(e^w + e^l).
func (m *tournament) pairs(x *autograd.Node) *autograd.Node {
	ability, shape := x.Slice(0, 1, 1+m.players), autograd.Shape{len(m.won), 1}
	w, l := ability.Gather(m.won, shape), ability.Gather(m.lost, shape)
	return w.Sum().Sub(autograd.Concat(1, w, l).LogSumExp(1).Sum()).Add(m.prior(x, ability))
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
		if _, p := softplus(ability[i/m.items] - 0.2*float64(i%m.items-7)); rng.Float64() < p {
			m.y[i] = 1
		}
	}
	return &Density{
		Name: "item response, 2PL", Params: m.students + 2*m.items, SD: 0.7,
		Expression: m.expression,
		Spellings: []Spelling{{Name: "map over students", Expression: m.mapped},
			{Name: "gathered", Expression: m.gathered}},
	}
}

// split is θ, a, b.
func (m *items) split(x *autograd.Node) (ability, slope, difficulty *autograd.Node) {
	s, i := m.students, m.items
	return x.Slice(0, 0, s), x.Slice(0, s, s+i).Exp(), x.Slice(0, s+i, s+2*i)
}

func (m *items) expression(x *autograd.Node) *autograd.Node {
	ability, slope, difficulty := m.split(x)
	eta := ability.Reshape(autograd.Shape{m.students, 1}).Sub(difficulty).Mul(slope)
	return constant(x, m.y, m.students,
		m.items).Mul(eta).Sub(eta.Softplus()).Sum().Add(halfSquare(x))
}

func (m *items) mapped(x *autograd.Node) *autograd.Node {
	ability, slope, difficulty := m.split(x)
	terms := autograd.Map(x.Builder().Axis("student", m.students),
		func(v []*autograd.Node) *autograd.Node {
			eta := v[0].Sub(difficulty).Mul(slope)
			return v[1].Mul(eta).Sub(eta.Softplus()).Sum()
		}, ability, constant(x, m.y, m.students, m.items))
	return terms.Sum().Add(halfSquare(x))
}

// gathered has one row for every answer.
func (m *items) gathered(x *autograd.Node) *autograd.Node {
	ability, slope, difficulty := m.split(x)
	n := len(m.y)
	student, item := make([]int, n), make([]int, n)
	for i := range n {
		student[i], item[i] = i/m.items, i%m.items
	}
	pick := func(v *autograd.Node, index []int) *autograd.Node {
		return v.Gather(index, autograd.Shape{n})
	}
	eta := pick(slope, item).Mul(pick(ability, student).Sub(pick(difficulty, item)))
	return vector(x, m.y).Dot(eta).Sub(eta.Softplus().Sum()).Add(halfSquare(x))
}
