package table_test

import (
	"strings"
	"testing"

	"tobac/internal/table"
)

// Limits in a column of numbers are refused with an option that takes them, and are then the
// values.
func TestLimits(t *testing.T) {
	text := "a,b,c\n1,2.5,3\n2,<0.5,>=40\n3,1.5,7\n4,\"[2, 5]\",8.5\n5,≤1,9\n6,4,12\n"
	read := func(o table.Options) (*table.Prepared, error) {
		raw, err := table.Read(strings.NewReader(text), "t.csv", table.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		return table.Prepare(raw, o)
	}
	_, err := read(table.Options{})
	want := `column 2 (b): 3 of 6 values are limits: "<0.5" on line 3, "[2, 5]" on line 5, "≤1" on line 6; --set data.censored=limit takes them for the values, --drop b leaves the column out`
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "solved together by: --set data.censored=limit") {
		t.Errorf("got %v, want %s", err, want)
	}
	p, err := read(table.Options{Censored: table.CensoredLimit})
	if err != nil {
		t.Fatal(err)
	}
	for row, v := range []float64{2.5, 0.5, 1.5, 3.5, 1, 4} {
		if got := p.Data.X.At(row, 1); got != v {
			t.Errorf("row %d: %v, want %v", row+1, got, v)
		}
	}
	if got := p.Data.X.At(1, 2); got != 40 {
		t.Errorf("got %v, want 40", got)
	}
	all := strings.Join(p.Warnings, "\n")
	if !strings.Contains(all, "column 2 (b): 3 of 6 values are limits (<0.5 1, [2, 5] 1, ≤1 1), which stand for the values: relations") {
		t.Errorf("warnings %q", all)
	}
	for _, word := range []string{"<x", "[5,2]", "[1", "<", "<Inf", "< 1 or 2", "[1,2,3]"} {
		text = "a,b\n1,2.5\n2,\"" + word + "\"\n3,1.5\n4,7\n"
		if _, err := read(table.Options{Censored: table.CensoredLimit}); err == nil {
			t.Errorf("%s was taken for a limit", word)
		}
	}
}
