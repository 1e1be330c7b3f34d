package study

import (
	"io"
)

// Files are the names of what [Results.WriteFiles] writes.
func Files(studies []Study) []string {
	return []string{"results.csv", "times.csv", "results.md", "report.html"}
}

// WriteFiles writes all results: results.csv, which has no times in it, times.csv, results.md and report.html.
func (r *Results) WriteFiles(a About, write func(name string, content func(io.Writer) error) error) error {
	d := r.Document(a)
	for _, f := range []struct {
		name    string
		content func(io.Writer) error
	}{
		{"results.csv", r.WriteCSV},
		{"times.csv", r.WriteTimes},
		{"results.md", d.WriteMarkdown},
		{"report.html", func(w io.Writer) error { return d.WriteHTML(w, "") }},
	} {
		if err := write(f.name, f.content); err != nil {
			return err
		}
	}
	return nil
}
