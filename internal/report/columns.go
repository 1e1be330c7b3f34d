package report

import (
	"strconv"

	"tobac/internal/scene"
)

// The pictures of neighbourhoods, which the script draws when a reader asks for one: pairs from an
// adjacency on, at most so many of them for each variable of the table.
const (
	leastNear = 0.05
	mostNear  = 20
)

// A columnRow is a row of the table of variables, which wide tables have.
type columnRow struct {
	Place           int
	Name            string
	Causes, Effects float64 // expected numbers
	// Near lists pairs of which it is the first variable, as "other forward backward;…", with
	// probabilities in thousandths.
	Near string
}

// columnRows are the rows of the table of variables, none if the picture of the graph shows all.
func (r *Report) columnRows() []columnRow {
	d := len(r.content.Names)
	if d <= allNodes {
		return nil
	}
	rows := make([]columnRow, d)
	for k, name := range r.content.Names {
		rows[k].Place, rows[k].Name = k, scene.Clean(name)
	}
	for k := range r.relations {
		e := &r.relations[k]
		from, to := &rows[e.from], &rows[e.to]
		from.Effects += e.forward
		to.Causes += e.forward
		to.Effects += e.backward
		from.Causes += e.backward
		if e.adjacent < leastNear || k >= mostNear*d {
			continue
		}
		near := []byte(from.Near)
		if len(near) > 0 {
			near = append(near, ';')
		}
		for n, v := range [3]int{e.to, thousandths(e.forward), thousandths(e.backward)} {
			if n > 0 {
				near = append(near, ' ')
			}
			near = strconv.AppendInt(near, int64(v), 10)
		}
		from.Near = string(near)
	}
	return rows
}

func thousandths(p float64) int { return int(1000*p + 0.5) }
