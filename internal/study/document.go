package study

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
)

// A Document is what is shown of results, as Markdown or as a page.
type Document struct {
	Title  string
	Blocks []Block
}

// A Block is a heading, paragraphs, a table or a picture, each of which may be missing, in this
// sequence.
type Block struct {
	Level   int // of the heading, from 2
	Heading string
	Text    []string
	Code    string
	Table   *Table
	Picture *Picture
}

// A Picture is a figure as a file and as a part of a page.
type Picture struct {
	Name string        // of its file, without an ending
	SVG  template.HTML // an element of a page, which needs the declarations of [scene.StyleSheet]
	Alt  string        // what it shows, for readers who do not see it
}

// About says how results came about, for the head of a document.
type About struct {
	Command string // that was run
	Version string // of the program
	Machine string
	Date    string
	Quick   bool
	Only    []string // patterns that cells were chosen by; none: all were run
}

// Document is the account of results, with the pictures in it.
func (r *Results) Document(a About) (*Document, []Drawing) {
	d := &Document{Title: "Results of tobac reproduce"}
	text := []string{r.summary(a)}
	if a.Quick {
		text = append(text, "This is a quick study, not a reproduction of the paper: "+
			strings.ReplaceAll(Reduced, "\n", " "))
	}
	if len(a.Only) > 0 {
		text = append(text, "Only a part was run: "+strings.Join(a.Only, ", ")+".")
	}
	d.add(Block{Code: a.Command, Text: text})
	claims := r.Claims()
	if slices.ContainsFunc(claims, func(c Claim) bool { return c.Verdict() != NotCovered }) {
		d.add(Block{Level: 2, Heading: "Claims", Text: []string{VerdictRule},
			Table: claimTable(claims)})
	}
	for _, c := range claims {
		if t := partTable(c); t != nil {
			d.add(Block{Level: 3, Heading: fmt.Sprintf("Claim %d: %s", c.Number, c.Verdict()),
				Text: []string{c.Text}, Table: t})
		}
	}
	var all []Drawing
	for _, s := range r.Studies {
		drawings, notes := r.Drawings(s)
		r.addStudy(d, s, drawings, notes)
		all = append(all, drawings...)
	}
	return d, all
}

func (d *Document) add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// summary says how many cells there are, and where and when.
func (r *Results) summary(a About) string {
	done, failed, total := 0, 0, 0.0
	for _, res := range r.All {
		switch {
		case res.Outcome != nil:
			done++
		case res.Failure != "":
			failed++
		}
		if !math.IsNaN(res.Seconds) {
			total += res.Seconds
		}
	}
	return fmt.Sprintf("%s; %s; %s. %d cells of %d have an outcome, %d failed; all together took "+
		"%.0f seconds of one worker each.", a.Version, a.Machine, a.Date, done, len(r.All), failed,
		total)
}

func claimTable(claims []Claim) *Table {
	t := &Table{Head: []string{"claim", "verdict", "parts that hold", "that do not", "not decided",
		"not run"}}
	for _, c := range claims {
		count := map[Verdict]int{}
		for _, p := range c.Parts {
			count[p.Verdict]++
		}
		t.Rows = append(t.Rows,
			[]string{fmt.Sprintf("%d. %s", c.Number, c.Text), string(c.Verdict()),
				fmt.Sprint(count[Holds]), fmt.Sprint(count[Fails]), fmt.Sprint(count[Undecided]),
				fmt.Sprint(count[NotCovered])})
	}
	return t
}

// partTable has the parts of a claim that were run; nil means none was.
func partTable(c Claim) *Table {
	t := &Table{Head: []string{"part", "numbers", "verdict"}}
	for _, p := range c.Parts {
		if p.Verdict != NotCovered {
			t.Rows = append(t.Rows, []string{p.Text, p.Numbers, string(p.Verdict)})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// conventions explains the columns of the tables of means.
const conventions = "Mean ± standard error over the data sets. Methods of particles are judged " +
	"by their draws, \"+\" by the draws weighted by their density on the training rows, the " +
	"others by the edge probabilities that they list. AUROC with the diagonal is the published " +
	"convention; Neg.LL is, as published, −log p(Θ|G) − log p(D|G,Θ) summed over the held-out " +
	"rows; per row it is −log p(D|G,Θ) alone. Seconds are those of one worker."

func (r *Results) addStudy(d *Document, s Study, drawings []Drawing, notes []string) {
	d.add(Block{Level: 2, Heading: s.Title, Text: append([]string{s.About, conventions}, notes...)})
	switch s.Name {
	case TableOne:
		if t, ok := r.BesidePublished(); ok {
			d.add(Block{Level: 3, Heading: "Beside the published table", Table: &t})
		}
	case SVIDAG:
		t := r.BesideSVIDAG(s)
		d.add(Block{Table: &t})
	case Authors:
		if t, ok := r.BesideAuthors(); ok {
			d.add(Block{Table: &t})
		}
	}
	for _, drawn := range drawings {
		d.add(Block{Picture: drawn.picture()})
	}
	for _, section := range s.Sections {
		means := r.Means(s, section)
		d.add(Block{Level: 3, Heading: section.Title, Table: &means})
		if t, ok := r.Differences(s, section); ok {
			d.add(Block{Level: 4, Heading: "Paired differences", Table: &t})
		}
	}
	if s.Name == LinearFigure || s.Name == NonlinearFigure {
		t := authorsTable(s.Name)
		d.add(Block{Level: 3, Heading: "What the authors' program found on data of this kind",
			Text: []string{"One inference seed each, on data sets of its own: E-SHD and AUROC " +
				"with the diagonal, Neg.LL."}, Table: &t})
	}
}

// authorsTable lists what the authors' program found, for a study.
func authorsTable(study string) Table {
	t := Table{Head: []string{"data", "method", "E-SHD", "AUROC with diagonal", "Neg.LL"}}
	all := NonlinearReference()
	if study == LinearFigure {
		all = nil
		for _, m := range LinearReference() {
			for run, result := range m.Runs {
				all = append(all,
					ReferenceResult{fmt.Sprintf("linear-d20-e40-run%d", run), m.Method, result})
			}
		}
		all = append(all, DenseReference()...)
	}
	for _, m := range all {
		t.Rows = append(t.Rows, []string{m.Problem, m.Method, fmt.Sprintf("%.1f", m.ESHD),
			fmt.Sprintf("%.3f", m.AUROC), fmt.Sprintf("%.0f", m.NegLL)})
	}
	return t
}

// WriteMarkdown writes the document with tables of pipes. Pictures are links to their files in the
// folder figures.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", d.Title)
	for _, block := range d.Blocks {
		if block.Heading != "" {
			fmt.Fprintf(&b, "\n%s %s\n", strings.Repeat("#", block.Level), block.Heading)
		}
		if block.Code != "" {
			fmt.Fprintf(&b, "\n    %s\n", block.Code)
		}
		for _, text := range block.Text {
			if text != "" {
				fmt.Fprintf(&b, "\n%s\n", text)
			}
		}
		if t := block.Table; t != nil {
			b.WriteByte('\n')
			rule := make([]string, len(t.Head))
			for i := range rule {
				rule[i] = "---"
			}
			for _, row := range append([][]string{t.Head, rule}, t.Rows...) {
				for _, cell := range row {
					fmt.Fprintf(&b, "| %s ", pipes.Replace(cell))
				}
				b.WriteString("|\n")
			}
			if t.Note != "" {
				fmt.Fprintf(&b, "\n%s\n", t.Note)
			}
		}
		if p := block.Picture; p != nil {
			fmt.Fprintf(&b, "\n![%s](figures/%s.svg)\n", p.Alt, p.Name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pipes keeps a text within a cell of a table.
var pipes = strings.NewReplacer("|", `\|`, "\n", " ")

// WriteHTML writes the document as a page without references to anything outside it. style is put
// into its head.
func (d *Document) WriteHTML(w io.Writer, style string) error {
	return page.Execute(w, struct {
		*Document
		Style template.CSS
	}{d, template.CSS(style)})
}

var page = template.Must(template.New("report").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
{{.Style}}
body { font: 15px/1.5 Arial, "Liberation Sans", Helvetica, sans-serif; color: var(--text); background: var(--paper); max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid color-mix(in srgb, var(--muted) 35%, transparent); vertical-align: top; }
th { font-weight: 600; }
pre { overflow-x: auto; }
.note { color: var(--muted); font-size: 13px; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Blocks}}
{{- if .Heading}}{{if eq .Level 2}}<h2>{{.Heading}}</h2>{{else if eq .Level 3}}<h3>{{.Heading}}</h3>{{else}}<h4>{{.Heading}}</h4>{{end}}
{{end}}
{{- if .Code}}<pre>{{.Code}}</pre>
{{end}}
{{- range .Text}}{{if .}}<p>{{.}}</p>
{{end}}{{end}}
{{- with .Table}}<div class="wide"><table>
<tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table></div>
{{if .Note}}<p class="note">{{.Note}}</p>
{{end}}{{end}}
{{- with .Picture}}<figure>{{.SVG}}</figure>
{{end}}
{{- end}}
</body>
</html>
`))
