package main

import (
	"fmt"
	"strings"
	"testing"

	"tobac/internal/cli"
)

// Levels are set and predicted by their names, and categories have no effect of a unit.
func TestPredictLevels(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("smoke,cough,site\n")
	for i := range 240 {
		smoke, cough := i%2, (i%2*3+i/2%4)/4
		fmt.Fprintf(&rows, "%s,%s,%s\n", []string{"no", "yes"}[smoke], []string{"none", "some"}[cough], []string{"a", "b", "c"}[(i*i+i/5)%3])
	}
	inFolder(t, map[string]string{"t.csv": rows.String()})
	succeed(t, "fit", "t.csv", "--require", "smoke,cough", "--out", "run", "--quiet")
	out := succeed(t, "predict", "run", "--do", "smoke=yes").stdout
	for _, want := range []string{"do smoke = yes", "P(cough = some)", "P(site = c)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(succeed(t, "predict", "run", "--do", "smoke=yes", "--json").stdout, `"some"`) {
		t.Error("no levels in JSON")
	}
	refuses(t, "predict run --do smoke=maybe", cli.ExitUsage, `--do "smoke=maybe": the value is "maybe"; allowed: "no", "yes"`)
	refuses(t, "effect run --from site", cli.ExitFailed, `column "site" is a category, whose levels have no unit; allowed: tobac predict --do, which compares levels`)
	succeed(t, "effect", "run", "--from", "smoke", "--to", "cough")
}
