package dag_test

import (
	"strings"
	"testing"

	"tobac/dag"
)

// An edge that is listed twice is refused whichever vertices it joins, the first one of the file
// included; its reverse is another edge.
func TestRepeatedEdges(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, from := range names {
		for _, to := range names {
			if from == to {
				continue
			}
			text := "source,target\na,b\nb,a\nb,c\nc,b\na,c\nc,a\n"
			if _, _, err := dag.ReadEdges(strings.NewReader(text+from+","+to+"\n"), "edges.csv",
				names); err == nil || !strings.Contains(err.Error(), "already on line") {
				t.Errorf("%s -> %s a second time: error %v", from, to, err)
			}
		}
	}
}
