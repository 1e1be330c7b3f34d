package table_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/dataset"
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
	want := `column 2 (b): 3 of 6 values are limits: "<0.5" on line 3, "[2, 5]" on line 5, "≤1" on line 6; --set data.censored=impute draws the values between them given the other columns, data.censored=limit takes them for the values, --drop b leaves the column out`
	if err == nil || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "fix all with: --set data.censored=impute") {
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
	if !strings.Contains(all, "column 2 (b): 3 of 6 values are limits (<0.5 1, [2, 5] 1, ≤1 1), "+
		"which stand for the values: relations") {
		t.Errorf("warnings %q", all)
	}
	for _, word := range []string{"<x", "[5,2]", "[1", "<", "<Inf", "< 1 or 2", "[1,2,3]"} {
		text = "a,b\n1,2.5\n2,\"" + word + "\"\n3,1.5\n4,7\n"
		if _, err := read(table.Options{Censored: table.CensoredLimit}); err == nil {
			t.Errorf("%s was taken for a limit", word)
		}
	}
}

// Limits that are kept are those of missing values, below 0 only where other numbers are; an option
// names single columns, also with limits of detection.
func TestKeptLimits(t *testing.T) {
	text := "a,b,c\n1,2.5,3\n2,<0.5,>=40\n-3,1.5,7\n4,2-5,8.5\n5,≤1,9\n6,4,12\n"
	raw, err := table.Read(strings.NewReader(text), "t.csv", table.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	b := []dataset.Limit{{Row: 1, Column: 1, High: 0.5}, {Row: 3, Column: 1, Low: 2, High: 5},
		{Row: 4, Column: 1, High: 1}}
	c := dataset.Limit{Row: 1, Column: 2, Low: 40, High: inf}
	both := []dataset.Limit{b[0], c, b[1], b[2]}
	for _, row := range []struct {
		o    table.Options
		want []dataset.Limit
		note string
	}{
		{table.Options{Censored: table.CensoredImpute}, both,
			"column 2 (b): 3 of 6 values are limits (<0.5 1, 2-5 1, ≤1 1), between which"},
		{table.Options{Kinds: []string{"b=censored", "c=censored"}}, both,
			"column 3 (c): 1 of 6 values are limits (>=40 1)"},
	} {
		p, err := table.Prepare(raw, row.o)
		if err != nil {
			t.Fatalf("%+v: %v", row.o, err)
		}
		if diff := cmp.Diff(row.want, p.Limits); diff != "" {
			t.Errorf("%+v: (-want +got)\n%s", row.o, diff)
		}
		if p.Incomplete == nil || !math.IsNaN(p.Incomplete.X.At(1, 1)) ||
			p.Incomplete.X.At(2, 1) != 1.5 {
			t.Errorf("%+v: the values with limits are not missing", row.o)
		}
		if all := strings.Join(p.Notes, "\n"); !strings.Contains(all, row.note) {
			t.Errorf("%+v: notes %q, want %q", row.o, all, row.note)
		}
		if k := p.Incomplete.Variables[1].Kind; k != dataset.Positive {
			t.Errorf("%+v: kind %v", row.o, k)
		}
	}
	p, err := table.Prepare(raw,
		table.Options{Kinds: []string{"a=censored:1..5"}, Censored: table.CensoredLimit})
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Limit{{Row: 0, Low: -inf, High: 1}, {Row: 2, Low: -inf, High: -3},
		{Row: 4, Low: 5, High: inf}, {Row: 5, Low: 6, High: inf}}
	if diff := cmp.Diff(want, p.Limits); diff != "" {
		t.Errorf("limits of detection: (-want +got)\n%s", diff)
	}
	for spec, want := range map[string]string{
		"a=censored": "column 1 (a) has no limits such as <0.5 beside numbers, and cannot " +
			"be censored",
		"b=censored:5..1":  "unknown kind",
		"b=censored:":      "unknown kind",
		"b=censored:..":    "unknown kind",
		"b=censored:x..2":  "unknown kind",
		"b=censored:1-2":   "unknown kind",
		"a=censored:-9..9": "column 1 (a) has no limits",
	} {
		_, err := table.Prepare(raw,
			table.Options{Kinds: []string{spec}, Censored: table.CensoredLimit})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		}
	}
}
