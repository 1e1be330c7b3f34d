package study

import (
	"io"

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
