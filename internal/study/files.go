package study

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"tobac/internal/scene"
)

// pictureNames are those that [Results.Drawings] may use.
var pictureNames = []string{eshd.Name, auroc.Name, negLL.Name, "roc", "calibration",
	"probabilities", "learning",
	"svidag_eshd", "svidag_auroc", "svidag_brier", "svidag_f1"}

// Files are the names of what [Results.WriteFiles] may write.
func Files(studies []Study) []string {
	all := []string{"results.csv", "times.csv", "results.md", "report.html"}
	for _, s := range studies {
		for _, name := range pictureNames {
			for _, ending := range []string{".svg", ".png"} {
				all = append(all, "figures/"+s.Name+"-"+name+ending)
			}
		}
	}
	return all
}

// WriteFiles writes all results: results.csv, which has no times in it, times.csv, results.md,
// report.html, and the pictures as SVG and PNG.
func (r *Results) WriteFiles(a About,
	write func(name string, content func(io.Writer) error) error) error {
	d, drawings := r.Document(a)
	type output struct {
		name    string
		content func(io.Writer) error
	}
	all := []output{
		{"results.csv", r.WriteCSV},
		{"times.csv", r.WriteTimes},
		{"results.md", d.WriteMarkdown},
		{"report.html", func(w io.Writer) error { return d.WriteHTML(w, scene.StyleSheet()) }},
	}
	for _, drawn := range drawings {
		all = append(all, output{"figures/" + drawn.Name + ".svg", drawn.Figure.WriteSVG},
			output{"figures/" + drawn.Name + ".png", drawn.Figure.WritePNG})
	}
	for _, f := range all {
		if err := write(f.name, f.content); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes a line for every cell and every way to read its posterior, with all measures:
// "listed" are the edge probabilities that the method reports, "draws" those of its draws with
// their weights, "mixture" those of its particles weighted by their density. It holds no time, so
// that two runs of a study write the same bytes. A cell that failed or was not done has one line
// without numbers.
func (r *Results) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{"study", "section", "data", "method", "preset", "variant", "seed",
		"variables", "true_edges"}
	for _, m := range Measures() {
		header = append(header, m.Name)
	}
	c.Write(append(header, "truth", "job", "failure")) // Flush has the error
	written := map[string]bool{}
	for _, s := range r.Studies {
		for _, section := range s.Sections {
			for _, cell := range s.cells(section) {
				if res := r.byID[cell.Job().ID()]; !written[res.ID] {
					written[res.ID] = true
					res.writeCSV(c, s.Name, section.Name)
				}
			}
		}
	}
	c.Flush()
	return c.Error()
}

func (res *Result) writeCSV(c *csv.Writer, study, section string) {
	m, o := res.Cell.Method, res.Outcome
	line := func(variant string, v *View) {
		record := []string{study, section, res.Cell.Data.Name, m.Name, m.Preset, variant,
			strconv.FormatUint(res.Cell.Seed, 10)}
		truth := ""
		if o == nil {
			record = append(record, "", "")
		} else {
			record, truth = append(record, strconv.Itoa(o.Variables), strconv.Itoa(o.Edges)),
				o.Truth
		}
		for _, measure := range Measures() {
			text := ""
			if v != nil {
				text = number(float64(measure.of(v, o)))
			}
			record = append(record, text)
		}
		c.Write(append(record, truth, res.ID, res.Failure))
	}
	if o == nil {
		line("", nil)
		return
	}
	for _, v := range []struct {
		name string
		view *View
	}{{"listed", o.Listed}, {"draws", o.Empirical}, {"mixture", o.Mixture}} {
		if v.view != nil {
			line(v.name, v.view)
		}
	}
}

// number is the shortest text that reads back exactly; "" for what is not one.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// WriteTimes writes the seconds that every cell took, as far as they are known.
func (r *Results) WriteTimes(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"data", "method", "seed", "seconds", "job"}) // Flush has the error
	for _, res := range r.All {
		c.Write([]string{res.Cell.Data.Name, res.Cell.Method.Name,
			strconv.FormatUint(res.Cell.Seed, 10), number(res.Seconds), res.ID})
	}
	c.Flush()
	return c.Error()
}
