package study

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// bestPublished is the published method with the best mean of a measure, over the data sets of a
// section; "" if there is none.
func (r *Results) bestPublished(s Study, section Section, m Measure) (best Line, mean float64) {
	for _, l := range r.Lines(s, section) {
		if l.Kind != PublishedKind {
			continue
		}
		all := Known(l.Values(m))
		if len(all) == 0 {
			continue
		}
		v := stat.Mean(all, nil)
		if best.Name == "" || lessIsBetter(m) == (v < mean) {
			best, mean = l, v
		}
	}
	return best, mean
}

// svidagClaim is that the default is better than the best published method on every metric in every
// cell.
func (r *Results) svidagClaim() Claim {
	c := Claim{Number: 6, Text: "Tables of SVI-DAG: this program's default is better than the " +
		"best of the six published methods, in every cell and by each of their metrics."}
	for _, s := range r.Studies {
		if s.Name != SVIDAG {
			continue
		}
		for _, section := range s.Sections {
			ours := r.Lines(s, section)[0]
			for _, m := range svidagMeasures {
				theirs, _ := r.bestPublished(s, section, m)
				if theirs.Name == "" {
					continue
				}
				a, b := ours, theirs
				if !lessIsBetter(m) {
					a, b = theirs, ours
				}
				text := fmt.Sprintf("%s: %s of %s is below that of %s", section.Name, m.Title,
					a.Label(), b.Label())
				c.Parts = append(c.Parts, below(text, a.Values(m), b.Values(m)))
			}
		}
	}
	return c
}

// BesideSVIDAG has a line for each cell: means of this program's default, and the best published
// one of each metric with its method.
func (r *Results) BesideSVIDAG(s Study) Table {
	t := Table{Head: []string{"cell", "tables"}, Note: "Here, then the best of six methods by " +
		"this metric, with its published mean over the same tables. Seconds are those of one " +
		"worker here, and theirs on a GPU, of the method with the best E-SHD."}
	for _, m := range svidagMeasures {
		t.Head = append(t.Head, m.Title)
	}
	t.Head = append(t.Head, "seconds")
	for _, section := range s.Sections {
		ours := r.Lines(s, section)[0]
		row := []string{section.Name, ours.cells()}
		for _, m := range svidagMeasures {
			digits := 3
			if m.Name == "svidag_eshd" {
				digits = 1
			}
			text := ""
			if here := Known(ours.Values(m)); len(here) > 0 {
				text = fmt.Sprintf("%.*f", digits, stat.Mean(here, nil))
			}
			best, mean := r.bestPublished(s, section, m)
			row = append(row,
				fmt.Sprintf("%s; %.*f (%s)", cmp.Or(text, "not run"), digits, mean, best.Title))
		}
		best, _ := r.bestPublished(s, section, svidagMeasures[0])
		t.Rows = append(t.Rows,
			append(row, fmt.Sprintf("%s; %s", cmp.Or(seconds(ours), "not run"), seconds(best))))
	}
	return t
}
