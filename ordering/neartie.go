package ordering

import (
	"fmt"
	"math"
)

// nearGap is the gap of [Result.Gaps] below which the choice between two
// candidates is a guess with the given number of rows: a tenth of 2/√n, the
// standard error of the ratio of the sample variances of two independent normal
// columns. A change of the data by a tenth of what sampling does to them would
// have altered the choice.
func nearGap(rows int) float64 { return 0.2 / math.Sqrt(float64(rows)) }

// nearTies lists the positions of the order at which the gap was above 0 and
// below nearGap; a gap of 0 has a warning of its own. Two candidates without an
// edge between them may well be as close as that, and then nothing hangs on
// their sequence: [Bootstrap] shows what else moves with it. The scale of the
// gap is that of estimators that compare variances of columns; for [SCORE], whose
// criterion spreads more, more choices are guesses than are listed.
func (r *Result) nearTies(rows int) []int {
	var near []int
	for c, gap := range r.Gaps {
		if gap > 0 && gap < nearGap(rows) {
			near = append(near, c)
		}
	}
	return near
}

// NearTieSentence says for a reader where the order is a guess, and is empty
// where Result.nearTies is. Columns are named as by Warning.sentence.
func (r *Result) NearTieSentence(rows int, names []string) string {
	near := r.nearTies(rows)
	if len(near) == 0 {
		return ""
	}
	const most = 3
	var columns []int
	for _, c := range near[:min(most, len(near))] {
		columns = append(columns, r.Order[c])
	}
	who := nameColumns(columns, names)
	if len(near) > most {
		who = "among them " + who
	}
	return fmt.Sprintf("the order is a guess at %d of %d positions (%s): the next candidate was less than %.2g %% behind", len(near), len(r.Order), who, 100*nearGap(rows))
}
