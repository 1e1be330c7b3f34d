package report_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/atom"
	"gonum.org/v1/gonum/mat"

	nethtml "golang.org/x/net/html"

	"tobac/internal/must"
	"tobac/internal/report"
	"tobac/posterior"
)

// A parsed page.
type document struct {
	root     *nethtml.Node
	elements []*nethtml.Node // in their sequence
}

// parseStrictly parses a page and asserts that tags are balanced, which the parser itself
// forgives: every start tag that needs an end has one, in the right sequence.
func parseStrictly(t *testing.T, text string) *document {
	t.Helper()
	void := []string{"meta", "br", "hr", "img", "input", "link"}
	var open []string
	z := nethtml.NewTokenizer(strings.NewReader(text))
	for kind := z.Next(); kind != nethtml.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch kind {
		case nethtml.StartTagToken:
			if !slices.Contains(void, token.Data) {
				open = append(open, token.Data)
			}
		case nethtml.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %v", token.Data, open[max(0, len(open)-3):])
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("never closed: %v", open)
	}
	root := must.Get(nethtml.Parse(strings.NewReader(text)))(t)
	d := &document{root: root}
	for n := range root.Descendants() {
		if n.Type == nethtml.ElementNode {
			d.elements = append(d.elements, n)
		}
	}
	return d
}

func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (d *document) having(tag string) []*nethtml.Node {
	var out []*nethtml.Node
	for _, n := range d.elements {
		if n.Data == tag {
			out = append(out, n)
		}
	}
	return out
}

func textOf(n *nethtml.Node) string {
	var b strings.Builder
	for m := range n.Descendants() {
		if m.Type == nethtml.TextNode {
			b.WriteString(m.Data)
		}
	}
	return b.String()
}

// checkPage asserts what holds for every page: balanced tags, nothing loaded from
// anywhere, unique identifiers to which all references lead, headings that step down one
// by one, and names for every picture and scrolling region.
func checkPage(t *testing.T, text string) *document {
	t.Helper()
	d := parseStrictly(t, text)
	ids := map[string]bool{}
	for _, n := range d.elements {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("the identifier %s is not unique", id)
			}
			ids[id] = true
		}
	}
	level := 0
	for _, n := range d.elements {
		for _, key := range []string{"src", "srcset", "action", "data", "poster", "background"} {
			if v := attribute(n, key); v != "" {
				t.Errorf("<%s %s=%q> loads something", n.Data, key, v)
			}
		}
		if href := attribute(n, "href"); href != "" &&
			(!strings.HasPrefix(href, "#") || !ids[href[1:]]) {
			t.Errorf("<%s href=%q> leads nowhere", n.Data, href)
		}
		for _, id := range strings.Fields(attribute(n, "aria-labelledby")) {
			if !ids[id] {
				t.Errorf("<%s> is labelled by %s, which does not exist", n.Data, id)
			}
		}
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4:
			if next := int(n.Data[1] - '0'); next > level+1 {
				t.Errorf("heading %q of level %d follows level %d", textOf(n), next, level)
			} else {
				level = next
			}
		case atom.Svg:
			if attribute(n, "role") != "img" || attribute(n, "aria-labelledby") == "" {
				t.Error("a picture without a role or a name")
			}
		case atom.Link, atom.Img, atom.Iframe, atom.Object, atom.Embed, atom.Base, atom.Form:
			t.Errorf("an element <%s>", n.Data)
		}
		if attribute(n, "role") == "region" &&
			(attribute(n, "aria-label") == "" || attribute(n, "tabindex") != "0") {
			t.Error("a scrolling region without a name, or that keys do not reach")
		}
	}
	for _, style := range d.having("style") {
		if s := textOf(style); strings.Contains(s, "url(") || strings.Contains(s, "@import") {
			t.Error("the style sheet loads something")
		}
	}
	return d
}

func sections(d *document) []string {
	var ids []string
	for _, n := range d.having("section") {
		ids = append(ids, attribute(n, "id"))
	}
	return ids
}

func TestPageHasEverySection(t *testing.T) {
	text := html(t, build(t, complete()))
	d := checkPage(t, text)
	want := []string{"verdict", "graph", "pairs", "settings", "convergence", "fit", "maps",
		"effects", "order", "truth", "repeat"}
	if diff := cmp.Diff(want, sections(d)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if strings.Contains(text, "http") {
		t.Error("the page names a place in the network")
	}
	if got := len(d.having("svg")); got != len(report.PictureNames()) {
		t.Errorf("%d pictures, want %d", got, len(report.PictureNames()))
	}
	for _, want := range []string{"A title", "All is said.", "Take care.",
		"tobac fit data.csv --seed 1", "in units of the data", "heavy tails, kurtosis 9",
		"The chains agree."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// What is empty is left out, and the links to it too.
func TestPageOfLittle(t *testing.T) {
	c := report.Content{Names: names(2),
		Marginals: posterior.Marginals{Probabilities: mat.NewDense(2, 2, nil)}}
	text := html(t, build(t, c))
	d := checkPage(t, text)
	if diff := cmp.Diff([]string{"verdict", "graph", "pairs", "maps"}, sections(d)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	for _, want := range []string{"No pair of variables is related",
		"No pair has a probability of 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The same content gives the same bytes, however often it is drawn.
func TestDeterminism(t *testing.T) {
	for _, c := range []report.Content{complete(), random(33, 3)} {
		first, second := build(t, c), build(t, c)
		if html(t, first) != html(t, second) {
			t.Error("two pages differ")
		}
		for k, p := range first.Pictures() {
			q := second.Pictures()[k]
			if svg(t, &p) != svg(t, &q) || png(t, &p) != png(t, &q) {
				t.Errorf("two pictures %s differ", p.Name)
			}
		}
	}
}

// hostile are names that try to leave their place.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'); DROP TABLE x; --`,
	`a & b &lt; c`, "مرحبا بالعالم", "\u202eevil\u202c", strings.Repeat("long ", 40),
	"line\nbreak\ttab", `{{.Secret}}`, "]]>", "</style><b>", "javascript:alert(1)",
	"https://example.org/", "\x00nul", "数据列", "bad\xff\xfeutf",
}

func TestHostileNames(t *testing.T) {
	d := len(hostile)
	c := complete()
	probability := func(i, j int) float64 {
		if j == i+1 {
			return 0.9
		}
		return 0.02
	}
	c.Names = hostile
	c.Marginals = posterior.Marginals{Probabilities: filled(d, probability),
		WeightMean: filled(d, func(i, j int) float64 { return 1 }),
		WeightSD:   filled(d, func(i, j int) float64 { return 0.1 })}
	c.Ancestors, c.Precedes, c.SD, c.Truth = filled(d, probability), nil, nil, nil
	c.SD = slices.Repeat([]float64{1}, d)
	c.Effects, c.Fit, c.Convergence.Rows = nil, nil, nil
	for k, name := range hostile {
		c.Effects = append(c.Effects, report.Effect{From: name, To: hostile[(k+1)%d], Mean: 1,
			SD: 1, Lower: 0, Upper: 2, PathProbability: 1})
		c.Fit = append(c.Fit, report.ColumnFit{Name: name, Parents: []string{hostile[(k+1)%d]},
			R2: 0.5, Normal: report.Check{P: 1e-9, Text: name}})
		c.Convergence.Rows =
			append(c.Convergence.Rows, report.ConvergenceRow{Quantity: name, RHat: 1})
		c.Verdict, c.Warnings = append(c.Verdict, name), append(c.Warnings, name)
		c.Facts, c.Settings = append(c.Facts, report.Fact{Name: name, Text: name}),
			append(c.Settings, report.Fact{Name: name, Text: name})
	}
	c.Title, c.Data, c.Command, c.Units, c.Refuted = hostile[0], hostile[1], hostile[0], hostile[1],
		hostile[0]
	r := build(t, c)
	text := html(t, r)
	doc := checkPage(t, text)
	if got := len(doc.having("script")); got != 1 {
		t.Errorf("%d scripts, want the page's own", got)
	}
	for _, n := range doc.elements {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s> runs something", n.Data, a.Key)
			}
		}
	}
	for _, bad := range []string{"\u202e", "\u202c", "\x00", "\xff"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	body := textOf(doc.root)
	for _, name := range []string{hostile[0], hostile[3], hostile[4], hostile[6][:100],
		hostile[14]} {
		if !strings.Contains(body, strings.TrimSpace(name)) {
			t.Errorf("the text lacks the name %q", name)
		}
	}
	for _, p := range r.Pictures() {
		checkSVG(t, p.Name, svg(t, &p))
	}
}

// Numbers that are not known are dashes, in the table and in what the script sorts by.
func TestUnknownWeights(t *testing.T) {
	c := random(4, 2)
	nan := filled(4, func(i, j int) float64 { return math.NaN() })
	for _, m := range []posterior.Marginals{
		{Probabilities: filled(4, func(i, j int) float64 { return 0.5 }), WeightMean: nan,
			WeightSD: nan},
		{Probabilities: filled(4, func(i, j int) float64 { return 0.5 }),
			WeightMean: filled(4, func(i, j int) float64 { return 2 }), WeightSD: nan},
		{Probabilities: filled(4, func(i, j int) float64 { return 0.5 }),
			WeightMean: filled(4, func(i, j int) float64 { return math.Inf(1) })},
		{Probabilities: filled(4, func(i, j int) float64 { return 0.5 })},
	} {
		c.Marginals = m
		text := html(t, build(t, c))
		checkPage(t, text)
		if strings.Contains(text, "NaN") && !strings.Contains(text, "isNaN") {
			t.Error("the page holds NaN")
		}
		// the script's own
		if n := strings.Count(strings.ReplaceAll(text, "isNaN", ""), "NaN"); n != 1 {
			t.Errorf("NaN stands %d times in the page, want once, in the script", n)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := report.New(ctx, random(5, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestContentErrors(t *testing.T) {
	ok := func() report.Content { return random(3, 1) }
	for want, spoil := range map[string]func(c *report.Content){
		"report: got 1 variables, " +
			"want at least 2": func(c *report.Content) { c.Names = c.Names[:1] },
		`report: variable 3 is named "X0", want names that are different and not empty`: func(c *report.Content) { c.Names[2] = "X0" },
		"report: no edge probabilities": func(c *report.Content) {
			c.Marginals.Probabilities = nil
		},
		"report: ancestors are 2×2, want 3×3": func(c *report.Content) {
			c.Ancestors = mat.NewDense(2, 2, nil)
		},
		`report: probability of "X0" → "X1" is NaN, want 0 to 1`: func(c *report.Content) {
			c.Marginals.Probabilities.Set(0, 1, math.NaN())
		},
		`report: probability of "X2" → "X1" is 1.5, want 0 to 1`: func(c *report.Content) {
			c.Marginals.Probabilities.Set(2, 1, 1.5)
		},
		"report: 1 standard deviations, want 3": func(c *report.Content) {
			c.SD = []float64{1}
		},
		`report: effect of "X0" on "Y", want names of variables`: func(c *report.Content) {
			c.Effects = []report.Effect{{From: "X0", To: "Y"}}
		},
	} {
		c := ok()
		spoil(&c)
		if _, err := report.New(t.Context(), c); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
