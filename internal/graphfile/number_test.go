package graphfile_test

import (
	"fmt"
	"strings"
	"testing"

	"tobac/internal/graphfile"
)

// Numbers of edges are decimal in every format: what Go alone reads as one is none.
func TestDecimalNumbers(t *testing.T) {
	for text, ok := range map[string]bool{"0.5": true, "5e-1": true, "NaN": true, "1_0": false,
		"0x1p-2": false, "half": false} {
		for name, document := range map[string]string{
			"GraphML": `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="w">%s</data></edge></graph></graphml>`,
			"JSON":    `{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "weight": "%s"}]}`,
			"DOT":     `digraph { a -> b [weight="%s"] }`,
			"CSV":     "source,target,weight\na,b,%s\n",
		} {
			if name == "CSV" && text == "NaN" {
				continue // its numbers are finite or missing
			}
			g, _, err := graphfile.Read(strings.NewReader(fmt.Sprintf(document, text)), name)
			if (err == nil) != ok || ok && g.Edges[0].Weight.Known != (text != "NaN") {
				t.Errorf("%s, %s: %v, %v", name, text, g, err)
			}
		}
	}
}
