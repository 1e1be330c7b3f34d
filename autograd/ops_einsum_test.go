package autograd_test

import (
	"strings"

	ad "tobac/autograd"
)

// plainEinsum runs through all values of all letters.
func plainEinsum(spec string, shapes []ad.Shape) func(x [][]float64) []float64 {
	left, output, _ := strings.Cut(spec, "->")
	terms := strings.Split(left, ",")
	size := map[rune]int{}
	letters := []rune{}
	for i, term := range terms {
		for k, c := range []rune(term) {
			if size[c] == 0 {
				letters = append(letters, c)
			}
			size[c] = shapes[i][k]
		}
	}
	all := ad.Shape{}
	for _, c := range letters {
		all = append(all, size[c])
	}
	return func(x [][]float64) []float64 {
		total := 1
		for _, c := range output {
			total *= size[c]
		}
		y := make([]float64, total)
		eachIndex(all, func(index []int) {
			element := func(term string) int {
				e := 0
				for _, c := range term {
					for k, l := range letters {
						if l == c {
							e = e*size[c] + index[k]
						}
					}
				}
				return e
			}
			p := 1.0
			for i, term := range terms {
				p *= x[i][element(term)]
			}
			y[element(output)] += p
		})
		return y
	}
}

func einsums() (cases []opCase) {
	for _, c := range []struct {
		spec   string // in explicit form, without spaces
		shapes []ad.Shape
		short  string // the same in another form
	}{
		{"ij,jk->ik", []ad.Shape{{2, 3}, {3, 4}}, "ij,jk"},
		{"ij,jk->ki", []ad.Shape{{2, 3}, {3, 4}}, " i j , j k -> k i "},
		{"bij,bjk->bik", []ad.Shape{{2, 2, 3}, {2, 3, 2}}, ""},
		{"ibj,kjb->kbi", []ad.Shape{{2, 3, 2}, {2, 2, 3}}, ""},
		{"i,ij,j->", []ad.Shape{{2}, {2, 3}, {3}}, "i,ij,j"},
		{"i,j->ij", []ad.Shape{{2}, {3}}, "i,j"},
		{"i,j->ji", []ad.Shape{{2}, {3}}, "j,i"},
		{"ij,ij->ij", []ad.Shape{{2, 3}, {2, 3}}, ""},
		{"ij,j->ij", []ad.Shape{{2, 3}, {3}}, ""},
		{",i->i", []ad.Shape{{}, {3}}, ",i"},
		{"ii->i", []ad.Shape{{3, 3}}, ""},
		{"ii->", []ad.Shape{{3, 3}}, "ii"},
		{"iij->j", []ad.Shape{{2, 2, 3}}, "iij"},
		{"ijk->ki", []ad.Shape{{2, 3, 2}}, ""},
		{"iij,jik->k", []ad.Shape{{2, 2, 3}, {3, 2, 2}}, ""},
		{"ab,bc,cd,de->ae", []ad.Shape{{2, 3}, {3, 2}, {2, 3}, {3, 2}}, "ab,bc,cd,de"},
		{"ab,c->a", []ad.Shape{{2, 3}, {2}}, ""},
		{"Ab,bC,AC->", []ad.Shape{{2, 3}, {3, 2}, {2, 2}}, "Ab,bC,AC"},
		{"nd,dh,nh->n", []ad.Shape{{3, 2}, {2, 2}, {3, 2}}, ""},
		{"i,i->", []ad.Shape{{1}, {1}}, "i,i"},
	} {
		specs := []string{c.spec}
		if c.short != "" {
			specs = append(specs, c.short)
		}
		for _, spec := range specs {
			want := c.spec
			if spec == "j,i" { // the letters of the result are in alphabetical order
				want = "j,i->ij"
			}
			cases = append(cases, opCase{
				name: "einsum " + spec, shapes: c.shapes, want: plainEinsum(want, c.shapes),
				build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
					return ad.Einsum(spec, x[0], x[1:]...)
				},
			})
		}
	}
	return cases
}
