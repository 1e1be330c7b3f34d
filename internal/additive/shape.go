package additive

import (
	"math"

	"gonum.org/v1/gonum/floats"

	ad "tobac/autograd"
)

// A shape is a family of densities h(u; s) of standardised noise u on the real line, with
// parameters s that have the prior N(0, 1). Its logarithm has a part of u and s, and one of s.
type shape struct {
	name     string
	params   int
	log      func(u *ad.Node, s []*ad.Node) *ad.Node
	constant func(s []*ad.Node) *ad.Node // nil means see offset
	offset   float64
	// Fisher's information of a location, nearly, where the density is flat at its centre; nil
	// means that it is curved there
	information func(s []float64) float64
}

// The shapes:
//
//	normal        ln h = −u²/2 − ½ ln 2π
//	Student t     with ν = 1 + e^(s+1.5) degrees of freedom
//	light tails   ln h = −|u|^β + ln β/2 − ln Γ(1/β),   β = 2 + 2e^s: between the normal and the uniform distribution
//	sinh-arcsinh  ln h = ln δ + ln cosh w − ½ ln(1+u²) − ½ sinh² w − ½ ln 2π,   w = δ arsinh u − s₁, δ = e^s₂
//
// The last (Jones and Pewsey, Biometrika 2009) is skewed by s₁, and has lighter tails than
// the normal distribution for δ > 1 and heavier ones for δ < 1.
var shapes = []shape{
	{name: "normal", offset: -logRoot2Pi,
		log: func(u *ad.Node, _ []*ad.Node) *ad.Node { return u.Square().Scale(-0.5) }},
	{name: "t", params: 1, offset: -0.5 * math.Log(math.Pi),
		log: func(u *ad.Node, s []*ad.Node) *ad.Node {
			nu := freedom(s[0])
			return nu.AddScalar(1).Scale(-0.5).Mul(u.Square().Div(nu).Log1p())
		},
		constant: func(s []*ad.Node) *ad.Node {
			nu := freedom(s[0])
			half := nu.Builder().Scalar(0.5)
			return nu.Mul(half).LogRising(half).Sub(nu.Log().Mul(half))
		}},
	{name: "light tails", params: 1,
		log: func(u *ad.Node, s []*ad.Node) *ad.Node {
			// smooth at u = 0
			return u.Square().AddScalar(1e-12).Log().Mul(power(s[0]).Scale(0.5)).Exp().Neg()
		},
		constant: func(s []*ad.Node) *ad.Node {
			beta := power(s[0])
			return beta.Scale(0.5).Log().Sub(beta.Inverse().LogGamma())
		},
		information: func(s []float64) float64 {
			beta := 2 + 2*math.Exp(s[0])
			above, _ := math.Lgamma(1 - 1/beta)
			below, _ := math.Lgamma(1 / beta)
			return beta * (beta - 1) * math.Exp(above-below)
		}},
	{name: "sinh-arcsinh", params: 2, offset: -logRoot2Pi,
		log: func(u *ad.Node, s []*ad.Node) *ad.Node {
			// e^w, faster than two hyperbolic functions
			e := s[1].Exp().Mul(u.Asinh()).Sub(s[0]).Exp()
			cosh, sinh := e.Add(e.Inverse()).Scale(0.5), e.Sub(e.Inverse()).Scale(0.5)
			return cosh.Log().Sub(u.Square().Log1p().Scale(0.5)).Sub(sinh.Square().Scale(0.5))
		},
		constant: func(s []*ad.Node) *ad.Node { return s[1] },
		information: func(s []float64) float64 {
			delta := math.Exp(s[1])
			if delta <= 1 { // heavy tails, whose curvature changes sign
				return 0
			}
			const moment = 2.344 // E z⁶/(1+z²) of a standard normal z
			slope := delta / math.Cosh(s[0]/delta)
			return moment * slope * slope
		}},
}

// Indices of the shapes.
const (
	normal = iota
	student
	lightTails
	sinhArcsinh
)

// freedom are the degrees of freedom of Student's t.
func freedom(s *ad.Node) *ad.Node { return s.AddScalar(1.5).Exp().AddScalar(1) }

// power is the exponent of the density with light tails.
func power(s *ad.Node) *ad.Node { return s.Exp().Scale(2).AddScalar(2) }

const logRoot2Pi = 0.91893853320467274178

// A program evaluates Σ ln h((y−η)/e^λ; s) − λ over n rows, with the derivatives of each row's term
// by its η, its λ and s.
type program struct {
	rows     int
	channels int // η, λ, and the parameters of the shape
	run, own ad.Evaluator
	offset   float64
	gradient [][]float64 // by channel
	hessian  [][]float64 // of channels a ≥ b, at a(a+1)/2 + b
	out      [][]float64
	constant [][]float64 // that of the shape, its gradient, and its Hessian likewise
	feeds    []ad.Feed
	scalars  []ad.Feed
	s        []float64
	channel  [][]float64 // values of the channels, for who has the program
	weighted []float64   // n elements for who has the program
	design   []float64   // any number, likewise
}

// newProgram compiles the derivatives of a shape for n rows.
func newProgram(s shape, n int) (*program, error) {
	b := ad.NewBuilder("noise " + s.name)
	row := b.Axis("row", n)
	y := b.Input("y", ad.Shape{}, row)
	by := []*ad.Node{b.Input("mean", ad.Shape{}, row), b.Input("log scale", ad.Shape{}, row)}
	for k := range s.params {
		by = append(by, b.Input([]string{"shape 1", "shape 2"}[k], ad.Shape{}, row))
	}
	u := y.Sub(by[0]).Mul(by[1].Neg().Exp())
	log := s.log(u, by[2:]).Sub(by[1])
	first := b.Grad(log.SumOver(row), by...)
	outputs := append([]*ad.Node{log.SumOver(row)}, first...)
	for a := range by {
		outputs = append(outputs, b.Grad(first[a].SumOver(row), by[:a+1]...)...)
	}
	p := &program{rows: n, channels: len(by), offset: s.offset, feeds: make([]ad.Feed, 1+len(by)),
		s: make([]float64, s.params), weighted: make([]float64, n)}
	for range by {
		p.channel = append(p.channel, make([]float64, n))
	}
	var err error
	if p.run, err = ad.NewEvaluator(append([]*ad.Node{y}, by...), outputs,
		ad.Options{}); err != nil {
		return nil, err
	}
	for range outputs {
		p.out = append(p.out, make([]float64, n))
	}
	p.out[0] = p.out[0][:1]
	p.gradient, p.hessian = p.out[1:1+len(by)], p.out[1+len(by):]
	if s.constant == nil {
		return p, nil
	}
	b = ad.NewBuilder("constant of " + s.name)
	var in []*ad.Node
	for k := range s.params {
		in = append(in, b.Input([]string{"shape 1", "shape 2"}[k], ad.Shape{}))
		p.scalars = append(p.scalars, ad.Feed{Data: p.s[k : k+1]})
	}
	c := s.constant(in)
	slope := b.Grad(c, in...)
	outputs = append([]*ad.Node{c}, slope...)
	for a := range in {
		outputs = append(outputs, b.Grad(slope[a], in[:a+1]...)...)
	}
	for range outputs {
		p.constant = append(p.constant, make([]float64, 1))
	}
	p.own, err = ad.NewEvaluator(in, outputs, ad.Options{})
	return p, err
}

// at evaluates at y, and at the values of the channels.
func (p *program) at(y []float64, channels [][]float64) (float64, error) {
	p.feeds[0].Data = y
	for k, c := range channels {
		p.feeds[1+k].Data = c
	}
	if err := p.run.Eval(p.out, p.feeds); err != nil {
		return 0, err
	}
	n := float64(p.rows)
	value := p.out[0][0] + n*p.offset
	if p.own == nil {
		return value, nil
	}
	for k := range p.s {
		p.s[k] = channels[2+k][0]
	}
	if err := p.own.Eval(p.constant, p.scalars); err != nil {
		return 0, err
	}
	m := len(p.s)
	for a := range m {
		floats.AddConst(p.constant[1+a][0], p.gradient[2+a])
		for b := range a + 1 {
			c, d := 2+a, 2+b
			floats.AddConst(p.constant[1+m+a*(a+1)/2+b][0], p.hessian[c*(c+1)/2+d])
		}
	}
	return value + n*p.constant[0][0], nil
}
