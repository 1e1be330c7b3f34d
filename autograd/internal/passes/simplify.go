package passes

import (
	"math"
	"slices"
	"strings"

	"tobac/autograd/internal/ir"
)

// Simplify rewrites values by algebraic identities:
//
//	x + 0, 0 + x, x − 0, x·1, 1·x, x/1, −(−x)  →  x, where 0 is an array or −0
//	(x·c)·c′, (−x)·c, −(x·c)                    →  x times one constant
//	−(C·x), −(x·C)                              →  (−C)·x, x·(−C) as matrices
//	1[x > 0] beside relu(x)                     →  1[relu(x) > 0], so that relu alone reads x
//
// where constants c are single numbers or have the shape of the result, and the
// product of matrices has no other reader. All but (x·c)·c′ are exact up to the sign of a
// zero. (x·c)·c′ holds to rounding, and to overflow of x·c
// for |x| beyond 2⁹⁶⁰ or below 2⁻⁹⁵⁸: it is left alone unless |c| and |c′| are between
// 2⁻⁶⁴ and 2⁶⁴. What nothing reads any more is not computed.
var Simplify = Pass{Name: "algebraic-simplification", Needs: 0, Keeps: Folded,
	Run: func(f *ir.Func) error {
		s := simplifier{f: f, readers: make(map[*ir.Value]int, len(f.Values)),
			relus: map[*ir.Value]*ir.Value{}}
		for _, v := range f.Outputs {
			s.readers[v]++
		}
		for _, v := range f.Values {
			for _, a := range v.Args {
				s.readers[a]++
			}
		}
		values := f.Values
		f.Values = make([]*ir.Value, 0, len(values))
		for _, v := range values {
			s.simplify(v)
			f.Add(v)
		}
		return nil
	}}

type simplifier struct {
	f       *ir.Func
	readers map[*ir.Value]int
	relus   map[*ir.Value]*ir.Value // relu by its operand
}

func (s *simplifier) simplify(v *ir.Value) {
	if !v.Computed() {
		return
	}
	for i, a := range v.Args {
		for a.IsView() && a.Op.View == nil && a.Shape.Equal(a.Args[0].Shape) {
			a = a.Args[0] // what a was found to be
		}
		v.Args[i] = a
	}
	switch v.Op.Form {
	case ir.Add:
		switch {
		case absorbed(v.Args[1]):
			alias(v, v.Args[0])
		case absorbed(v.Args[0]):
			alias(v, v.Args[1])
		}
	case ir.Sub:
		if v.Args[1].All(0) {
			alias(v, v.Args[0])
		}
	case ir.Div:
		if v.Args[1].All(1) {
			alias(v, v.Args[0])
		}
	case ir.Relu:
		s.relus[v.Args[0]] = v
	case ir.Positive:
		if y, ok := s.relus[v.Args[0]]; ok {
			v.Args[0] = y
		}
	case ir.Neg:
		x := v.Args[0]
		switch {
		case !x.Computed():
		case x.Is(ir.Neg):
			alias(v, x.Args[0])
		case x.Is(ir.Mul):
			s.scale(v, x, []float64{-1})
		case x.Is(ir.Product) && s.readers[x] == 1:
			s.negateFactor(v, x)
		}
	case ir.Mul:
		x, c := v.Args[0], v.Args[1]
		if c.Const == nil {
			x, c = c, x
		}
		switch {
		case c.Const == nil:
		case c.All(1):
			alias(v, x)
		default:
			s.scale(v, x, c.Const)
		}
	}
}

// absorbed reports whether adding x changes nothing: it is −0, or an array of structural
// zeros. (+0 makes +0 of −0.)
func absorbed(x *ir.Value) bool {
	return x.All(math.Copysign(0, -1)) || len(x.Shape) > 0 && x.All(0)
}

// alias makes v the value of x, repeated if that is a single number.
func alias(v, x *ir.Value) {
	v.Index = make([]int, v.Len())
	for e := range v.Index {
		if len(x.Shape) > 0 {
			v.Index[e] = e
		}
	}
	v.Args = []*ir.Value{x}
}

// Constants are joined if they and their product are no larger than this and no
// smaller than its inverse.
const joinable = 0x1p64

// scale makes v = x·c a product with one constant if x is one already, or a
// negative.
func (s *simplifier) scale(v, x *ir.Value, c []float64) {
	if !x.Computed() || len(x.Shape) != len(v.Shape) {
		return
	}
	origin, d := x.Args[0], []float64{-1}
	mul := v.Op
	switch {
	case x.Is(ir.Neg):
	case x.Is(ir.Mul):
		mul = x.Op
		factor := x.Args[1]
		if factor.Const == nil {
			origin, factor = factor, origin
		}
		if factor.Const == nil {
			return
		}
		d = factor.Const
	default:
		return
	}
	product := make([]float64, max(len(c), len(d)))
	for e := range product {
		a, b := c[min(e, len(c)-1)], d[min(e, len(d)-1)]
		product[e] = a * b
		exact := math.Abs(a) == 1 || math.Abs(b) == 1
		for _, k := range []float64{a, b} {
			if size := math.Abs(k); !exact && !(size >= 1/joinable && size <= joinable) {
				return
			}
		}
	}
	shape := ir.Shape{}
	if len(product) > 1 {
		shape = v.Shape
	}
	rename(v, mul)
	v.Args = []*ir.Value{origin, s.f.Constant(product, shape)}
}

// rename makes v the result of another operation.
func rename(v *ir.Value, op *ir.Op) {
	if i := strings.IndexByte(v.Name, '#'); i >= 0 {
		v.Name = op.Name + v.Name[i:]
	}
	v.Op = op
}

// negateFactor makes v = −x for a matrix product x a product with the negative of one
// factor, if that is a constant.
func (s *simplifier) negateFactor(v, x *ir.Value) {
	for i, c := range x.Args {
		if c.Const == nil {
			continue
		}
		negative := make([]float64, len(c.Const))
		for e, k := range c.Const {
			negative[e] = 0 - k
		}
		args := slices.Clone(x.Args)
		args[i] = s.f.Constant(negative, c.Shape)
		rename(v, x.Op)
		v.Attr, v.Args = x.Attr, args
		return
	}
}
