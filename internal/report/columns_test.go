package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"gonum.org/v1/gonum/floats"

	"tobac/internal/must"
)

// Wide tables have a row for each variable with its expected numbers of causes and effects; the
// picture of a few variables shows all, and needs no such table.
func TestColumns(t *testing.T) {
	c := random(40, 5)
	row, numbered := 0, func(a nethtml.Attribute) bool { return a.Key == "data-k" }
	for _, n := range parseStrictly(t, html(t, build(t, c))).having("tr") {
		if !slices.ContainsFunc(n.Attr, numbered) {
			continue
		}
		causes, effects := 0.0, 0.0
		for i := range 40 {
			causes += c.Marginals.Probabilities.At(i, row)
			effects += c.Marginals.Probabilities.At(row, i)
		}
		var got []float64
		for cell := range n.ChildNodes() {
			for _, a := range cell.Attr {
				if a.Key == "data-v" {
					v := must.Get(strconv.ParseFloat(a.Val, 64))(t)
					got = append(got, v)
				}
			}
		}
		if !floats.EqualApprox(got, []float64{causes, effects}, 1e-4) {
			t.Errorf("row %d has %v causes and effects, want %v and %v", row, got, causes, effects)
		}
		row++
	}
	if row != 40 {
		t.Errorf("%d rows, want 40", row)
	}
	if page := html(t, build(t, random(30, 5))); strings.Contains(page, "list-of-columns\">") {
		t.Error("a table of 30 variables lists its columns")
	}
}

// neighbourhood looks for a variable and asks for its picture and then for that of a neighbour.
const neighbourhood = `<script>addEventListener("load",function(){
var find=document.getElementById("find-column"),out=[];
function said(){out.push(document.querySelector("#near figcaption").textContent+" "+
 document.querySelectorAll("#near g").length)}
find.value="X12";find.dispatchEvent(new Event("input"));
out.push(document.querySelectorAll("#list-of-columns tbody tr:not([hidden])").length);
find.dispatchEvent(new KeyboardEvent("keydown",{key:"Enter"}));said();
document.querySelector("#near g").dispatchEvent(new Event("click"));said();
document.title=out.join("; ")});</script>`

// A reader finds a variable and sees its neighbours.
func TestNeighbourhoodInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	program, c := browser(t), random(40, 5)
	for i := range 40 { // X12 has two effects and an open direction, and nothing else
		c.Marginals.Probabilities.Set(i, 12, 0)
		c.Marginals.Probabilities.Set(12, i, 0)
	}
	c.Marginals.Probabilities.Set(12, 3, 0.95)
	c.Marginals.Probabilities.Set(12, 4, 0.3)
	c.Marginals.Probabilities.Set(12, 5, 0.4)
	c.Marginals.Probabilities.Set(5, 12, 0.4)
	page := strings.Replace(html(t, build(t, c)), "</body>", neighbourhood+"</body>", 1)
	file := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(file, []byte(page), 0o644))
	dom, _ := browse(t, program, file, "--dump-dom")
	_, title, _ := strings.Cut(dom, "<title>")
	title, _, _ = strings.Cut(title, "</title>")
	if want := "1; X12: 3 neighbours. 4; X3: 2 neighbours. 3"; title != want {
		t.Errorf("the page says %q, want %q", title, want)
	}
}
