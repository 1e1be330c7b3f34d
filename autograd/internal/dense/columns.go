package dense

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Arrays of at least fewestRows rows of at most mostColumns numbers may be stored column by
// column: operations on many small rows, 2×2 matrices for example, are operations on a few
// long columns then.
const (
	fewestRows  = 8
	mostColumns = 8
)

// A layering joins values that are best stored in one way.
type layering struct {
	parent []int
	count  []int  // of a root: rows of the operations that work within rows; 0: there are none
	differ []bool // of a root: these differ
	fixed  []bool // of a value: must be stored as its elements are numbered
}

func (l *layering) root(v *ir.Value) int {
	i := v.ID
	for l.parent[i] != i {
		l.parent[i] = l.parent[l.parent[i]]
		i = l.parent[i]
	}
	return i
}

// join makes two arrays be stored in one way. Short ones do not matter.
func (l *layering) join(v, w *ir.Value) {
	if min(v.Len(), w.Len()) < fewestRows {
		return
	}
	from, to := l.root(v), l.root(w)
	if from == to {
		return
	}
	l.parent[from] = to
	l.differ[to] = l.differ[to] || l.differ[from]
	l.rows(w, l.count[from])
}

// rows notes that an operation works within n rows of v.
func (l *layering) rows(v *ir.Value, n int) {
	r := l.root(v)
	l.differ[r] = l.differ[r] || n > 0 && l.count[r] > 0 && l.count[r] != n
	l.count[r] = max(l.count[r], n)
}

// byColumns finds how many columns the values have that are stored column by column; 0 of the
// others. Inputs are others, but for those that are read once.
func (p *Plan) byColumns(once []*ir.Value) []int {
	n := len(p.F.Values)
	if !slices.ContainsFunc(p.F.Values, func(v *ir.Value) bool { return v.Len() >= fewestRows }) {
		return nil
	}
	l := &layering{make([]int, n), make([]int, n), make([]bool, n), make([]bool, n)}
	products := make([]bool, n) // only products of matrices read the value
	for i, v := range p.F.Values {
		l.parent[i], l.fixed[i], products[i] = i, v.IsInput(), true
	}
	for _, v := range once {
		l.fixed[v.ID] = false
	}
	for _, v := range p.F.Outputs {
		l.fixed[v.Origin().ID], products[v.ID] = true, false
	}
	for _, v := range p.F.Values {
		if v.Op != nil && v.Const == nil {
			l.operation(v)
			for _, a := range v.Args {
				products[a.ID] = products[a.ID] && v.Op.Class == ir.MatMul
			}
		}
	}
	for _, v := range p.F.Values {
		if a := v.Args; v.IsView() && a[0].Len() >= fewestRows {
			if n := max(l.count[l.root(v)], l.count[l.root(a[0])]); n > 0 && withinRows(v, n) {
				l.join(v, a[0])
			} else if !products[v.ID] {
				l.fixed[a[0].ID] = true
			}
		}
	}
	for _, v := range p.F.Values {
		if r := l.root(v); l.count[r] > 0 && v.Len() >= fewestRows {
			k := v.Len() / l.count[r]
			l.differ[r] = l.differ[r] || v.Len()%l.count[r] > 0 || k > mostColumns || k > 1 &&
				l.fixed[v.ID]
		}
	}
	columns := make([]int, n)
	for _, v := range p.F.Values {
		if r := l.root(v); l.count[r] >= fewestRows && !l.differ[r] && v.Len() > l.count[r] {
			columns[v.ID] = v.Len() / l.count[r]
		}
	}
	return columns
}

// operation joins the result of an operation and its operands.
func (l *layering) operation(v *ir.Value) {
	args := v.Args
	switch class := v.Op.Class; {
	case v.IsView():
		if v.Len() == args[0].Len() && withinRows(v, v.Len()) {
			l.join(v, args[0])
		}
		return
	case class == ir.MatMul:
		batch, m, k, n := v.Product()
		switch {
		case m*k*n >= wholeProducts:
			l.fix(v)
		case batch > 1:
			l.rows(v, batch)
			l.join(v, args[0])
			l.join(v, args[1])
		default:
			l.join(v, args[0])
		}
		return
	case class == ir.LogSumExp, class == ir.Fold, class == ir.Softmax:
		if n := groupRows(v); n > 0 {
			l.rows(args[0], n)
		} else {
			l.fix(v)
		}
		if class != ir.Softmax {
			return
		}
	case class == ir.Sum, class == ir.Picked:
		return
	case class == ir.Opaque && codableTriangular(v):
		rank := len(v.Shape)
		l.rows(v, v.Len()/(v.Shape[rank-1]*v.Shape[rank-2]))
	case class != ir.Elementwise1 && class != ir.Elementwise2 && class != ir.Select:
		l.fix(v)
	}
	for _, a := range args {
		l.join(v, a)
	}
}

// fix keeps a result and its operands as they are.
func (l *layering) fix(v *ir.Value) {
	l.fixed[v.ID] = true
	for _, a := range v.Args {
		l.fixed[a.ID] = true
	}
}

// groupRows is the number of groups of a reduction if they are the rows of its operand, else 0.
func groupRows(v *ir.Value) int {
	sources := v.Sources()
	for g, row := range sources {
		for j, s := range row {
			if s != g*len(sources[0])+j {
				return 0
			}
		}
	}
	return len(sources)
}

// withinRows reports whether a view shows, of each of n rows of its operand, the same elements
// at the same places of its own row.
func withinRows(v *ir.Value, n int) bool {
	if n == 0 || len(v.Index)%n > 0 || v.Args[0].Len()%n > 0 {
		return false
	}
	own, from := len(v.Index)/n, v.Args[0].Len()/n
	for e, i := range v.Index {
		first := v.Index[e%own]
		if i < 0 != (first < 0) || i >= 0 && (first >= from || i != first+e/own*from) {
			return false
		}
	}
	return true
}
