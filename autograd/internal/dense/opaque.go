package dense

import (
	"math"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// opaqueInstr evaluates the operation for one lane after the other. Operands of one number
// and results that lie one behind the other are used where they are, others gathered.
type opaqueInstr struct {
	v      *ir.Value
	width  int
	shapes []ir.Shape
	args   []gathered
	dst    gathered // elements that nothing reads have no lanes
	room   int      // scratch memory of a lane
}

// A gathered value is an operand or result of a function of whole values.
type gathered struct {
	at, n int       // the place, if it is one range
	where []operand // else that of each element
}

// gathered describes the elements of v; of a result, those that are live.
func (p *Plan) gathered(v *ir.Value, result bool) gathered {
	g := gathered{n: v.Len()}
	direct := g.n > 0 && p.Full(v) && p.places[v.ID].Store.Width == 1
	for e := range g.n {
		o := p.operand(v, e)
		if result && !v.Live[e] {
			o = operand{}
		}
		direct = direct && o.off == p.Offset(v, 0)+e && o.width == 1
		g.where = append(g.where, o)
	}
	if direct {
		g.at, g.where = p.Offset(v, 0), nil
	}
	return g
}

// take returns the elements in lane l, in x if they have to be gathered.
func (g *gathered) take(m, x []float64, l int) []float64 {
	if g.where == nil {
		return m[g.at:][:g.n]
	}
	for e, s := range g.where {
		x[e] = m[s.lane(l)]
	}
	return x
}

func (p *Plan) lowerOpaque(v *ir.Value) *opaqueInstr {
	in := &opaqueInstr{v: v, width: p.width(v), shapes: v.ArgShapes(), dst: p.gathered(v, true)}
	in.room = v.Len()
	for _, a := range v.Args {
		in.args = append(in.args, p.gathered(a, false))
		in.room += a.Len()
	}
	p.Scratch = max(p.Scratch, in.room)
	return in
}

// Run implements [Instruction].
func (in *opaqueInstr) Run(f *Frame) {
	for l := range in.width {
		in.lane(f, l, f.Scratch)
	}
}

// lane evaluates the operation for lane l.
func (in *opaqueInstr) lane(f *Frame, l int, buf []float64) {
	args := f.args[:0]
	for i := range in.args {
		n := in.args[i].n
		args = append(args, in.args[i].take(f.M, buf[:n], l))
		buf = buf[n:]
	}
	f.args = args
	out := buf[:in.dst.n]
	if in.dst.where == nil {
		out = f.M[in.dst.at:][:in.dst.n]
	}
	if err := in.v.Op.Eval(in.v.Attr, out, in.v.Shape, args, in.shapes); err != nil {
		f.Failed = append(f.Failed, Failure{in.v, l, err})
		vector.Fill(out, math.NaN())
	}
	for e, d := range in.dst.where {
		if d.width > 0 {
			f.M[d.lane(l)] = out[e]
		}
	}
}

// Cost counts what is read and written, and no operation: those of an unknown function
// are unknown.
func (in *opaqueInstr) Cost() (flops, bytes int) {
	n := in.dst.n
	for i := range in.args {
		n += in.args[i].n
	}
	return 0, 8 * n * in.width
}
