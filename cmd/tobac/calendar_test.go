package main

import (
	"fmt"
	"strings"
	"testing"
)

// Nothing causes a column of years, unless its kind is asked for or an edge into it is required.
func TestYearsAreCauses(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("year,speed,weight\n")
	for i := range 90 {
		year := 1950 + i*i%17
		speed := float64(year-1940)*1.5 + float64(i*7%11)
		fmt.Fprintf(&rows, "%d,%.1f,%.2f\n", year, speed, speed*0.3+float64(i*5%13))
	}
	inFolder(t, map[string]string{"t.csv": rows.String()})
	into := func(args ...string) (largest string) {
		out := "run" + strings.Join(args, "")
		succeed(t, append([]string{"fit", "t.csv", "--out", out, "--model", "bge"}, args...)...)
		for _, line := range strings.Split(readFile(t, out+"/edges.csv"), "\n") {
			if cells := strings.Split(line, ","); len(cells) > 2 && cells[1] == "year" &&
				cells[2] > largest {
				largest = cells[2]
			}
		}
		return largest
	}
	if p := into(); p > "0" {
		t.Errorf("an edge into years has probability %s", p)
	}
	if p := into("--kind", "year=real"); p < "0.01" {
		t.Errorf("edges into years as a measurement have probability %s", p)
	}
	if p := into("--require", "speed,year"); p != "1" {
		t.Errorf("a required edge into years has probability %s", p)
	}
}
