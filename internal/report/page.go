package report

import (
	"bytes"
	_ "embed" // the page, its style sheet and its script
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"tobac/internal/scene"
	"tobac/internal/words"
)

// The page. Style sheet and script are constants of the program; everything else is
// escaped by html/template, or by svg.go.
var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	styleText string
	//go:embed page.js
	scriptText string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"percent": scene.Percent, "significant": func(v float64) string {
			return scene.Significant(v, 3)
		}, "plusMinus": plusMinus, "clean": scene.Clean,
		"sortable": sortable, "width": func(p float64) string {
			return strconv.FormatFloat(math.Round(100*p), 'f', 0, 64)
		},
		"pvalue": pvalue, "table": pairTable,
	}).Parse(pageText))
)

// Rows of the page's tables; the rest is in the files of the result.
const (
	mostPairs    = 1000 // pairs listed
	mostEffects  = 300  // effects listed
	leastListed  = 0.01 // adjacency from which a pair is listed
	shortListing = 25   // rows of a table that are open from the start
)

// sortable is a number by which the script sorts a table.
func sortable(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// pvalue writes a probability of chance.
func pvalue(p float64) string {
	switch {
	case math.IsNaN(p):
		return ""
	case p < 0.001:
		return "p < 0.001"
	}
	return "p = " + strconv.FormatFloat(p, 'f', 3, 64)
}

// A pairRow is a row of the table of pairs.
type pairRow struct {
	From, To           string
	Adjacent, Forward  float64 // Forward: given adjacency
	Directed           bool
	Weight, Reverse    string // given the edge From → To, and To → From
	WeightNumber       float64
	Truth              string // "" without a truth
	Sign               string // of the weight: positive, negative, uncertain
	ForwardP, ReverseP float64
}

// tableOfPairs is what the template of a table of pairs sees.
type tableOfPairs struct {
	Page  *page
	Rows  []pairRow
	Label string
}

func pairTable(p *page, rows []pairRow, label string) tableOfPairs {
	return tableOfPairs{p, rows, label}
}

// A tile is a number with what it counts.
type tile struct{ Number, Text string }

// A page is what the template sees.
type page struct {
	Content
	Style              template.CSS
	Script             template.JS
	Figures            map[string]template.HTML
	Tiles              []tile
	GraphNote, MapNote string
	Pairs, MorePairs   []pairRow
	PairsLeft          int // that are not listed
	Columns            []columnRow
	NearPercent        string
	Weighted           bool
	EffectRows         []Effect
	EffectsLeft        int
	Scaled             bool
	Failed             int // checks
	DirectedPercent    string
}

// WriteHTML writes the page: one file that loads nothing from anywhere.
func (r *Report) WriteHTML(w io.Writer) error {
	c := &r.content
	p := page{Content: *c, GraphNote: r.graphNote, MapNote: r.mapNote,
		Figures: map[string]template.HTML{}, Tiles: r.tiles(),
		Weighted: c.Marginals.WeightMean != nil,
		Style:    template.CSS(scene.StyleSheet() + "\n" + styleText),
		Script:   template.JS(scriptText), DirectedPercent: scene.Percent(Directed),
		Scaled: r.Picture(effectsPicture) != nil}
	if p.Title == "" {
		p.Title = "Causal graph"
	}
	if len(p.Verdict) == 0 {
		p.Verdict = r.verdict()
	}
	for k := range r.pictures {
		f := &r.pictures[k]
		p.Figures[f.Name] = template.HTML(f.scene.InlineSVG("figure-"+f.Name, f.Title,
			f.Description, f.least, f.most))
	}
	p.Pairs, p.PairsLeft = r.pairRows()
	if len(p.Pairs) > shortListing {
		p.Pairs, p.MorePairs = p.Pairs[:shortListing], p.Pairs[shortListing:]
	}
	p.Columns, p.NearPercent = r.columnRows(), scene.Percent(leastNear)
	p.EffectRows = r.effects[:min(len(r.effects), mostEffects)]
	p.EffectsLeft = len(r.effects) - len(p.EffectRows)
	for _, f := range c.Fit {
		for _, check := range []Check{f.Normal, f.EqualVariance, f.Linear} {
			if check.Failed() {
				p.Failed++
			}
		}
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, &p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// pairRows lists pairs, and counts those that are left out.
func (r *Report) pairRows() (rows []pairRow, left int) {
	c := &r.content
	for k := range r.relations {
		e := &r.relations[k]
		if e.adjacent < leastListed || len(rows) == mostPairs {
			left = len(r.relations) - k
			break
		}
		row := pairRow{From: scene.Clean(c.Names[e.from]), To: scene.Clean(c.Names[e.to]),
			Adjacent: e.adjacent, Forward: e.direction(), Directed: e.directed(),
			Weight: plusMinus(e.weight, e.sd), Reverse: "–", WeightNumber: e.weight,
			ForwardP: e.forward, ReverseP: e.backward, Sign: (signOf(e.weight, e.sd)).Name()}
		if e.backward >= 0.005 {
			row.Reverse = plusMinus(e.reverse, e.rsd)
		}
		if c.Truth != nil {
			switch {
			case c.Truth.Has(e.from, e.to):
				row.Truth = "→"
			case c.Truth.Has(e.to, e.from):
				row.Truth = "←"
			default:
				row.Truth = "none"
			}
		}
		rows = append(rows, row)
	}
	return rows, left
}

// tiles are the result at a glance.
func (r *Report) tiles() []tile {
	sure := related(r.relations)
	directed := 0
	for k := range sure {
		if sure[k].directed() {
			directed++
		}
	}
	d := len(r.content.Names)
	return []tile{
		{strconv.Itoa(d), "variables"},
		{strconv.Itoa(len(sure)),
			fmt.Sprintf("of %d pairs are related with a probability above 50 %%", d*(d-1)/2)},
		{strconv.Itoa(directed), "of these have a direction (" + scene.Percent(Directed) +
			" or more)"},
	}
}

// verdict counts what the probabilities say, for content without a verdict.
func (r *Report) verdict() []string {
	c := &r.content
	sure := related(r.relations)
	var open []string
	directed := 0
	for k := range sure {
		if e := &sure[k]; e.directed() {
			directed++
		} else {
			open = append(open, scene.Clean(c.Names[e.from])+" — "+scene.Clean(c.Names[e.to]))
		}
	}
	if len(sure) == 0 {
		return []string{"No pair of variables is related with a probability above 50 %."}
	}
	said := fmt.Sprintf("%s related with a probability above 50 %%; %[3]d of these have a "+
		"direction (%[2]s or more).", are(len(sure), "pair"), scene.Percent(Directed), directed)
	out := []string{said}
	if len(open) > 0 {
		out = append(out, "Related, with an open direction: "+words.Some(open, 6)+".")
	}
	return append(out, "No probability includes hidden common causes, feedback, or errors of "+
		"measurement.")
}

func are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " of variables is"
	}
	return fmt.Sprintf("%d %ss of variables are", n, thing)
}
