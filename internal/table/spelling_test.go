package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/dataset"
	"tobac/internal/table"
)

// filled is a text with columns x, of other numbers, and y, with these values.
func filled(separator, x string, values ...string) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("x"+separator, 1+strings.Count(x, separator)) + "y\n")
	for i, v := range values {
		if strings.Contains(v, separator) {
			v = `"` + v + `"`
		}
		fmt.Fprintf(&b, "%s%s%s\n", strings.NewReplacer("#", fmt.Sprint(i*i%7), "@",
			fmt.Sprint(i*3%11)).Replace(x), separator, v)
	}
	return b.String()
}

// Numbers with separators of thousands, signs of units and decimal marks of their own, and dates,
// are read where the whole column agrees, which a note says.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []float64
		note       string
	}{
		{"thousands and decimals", filled(",", "#.5", "146,838.5", "2,000.25", "999"),
			[]float64{146838.5, 2000.25, 999}, "column 2 (y) is read as numbers, with commas " +
				"between thousands (such as 146,838.5)"},
		{"thousands in a file without a decimal mark", filled(",", "#", "1,234", "12,500",
			"-7,000"), []float64{1234, 12500, -7000}, "commas between thousands"},
		{"thousands first", filled("\t", "1,23#", "1.5", "2.25", "3"), []float64{1.5, 2.25, 3},
			"column 1 (x) is read as numbers, with commas between thousands"},
		{"decimals or thousands", filled("\t", "#", "1,234", "2,345", "9"),
			[]float64{1.234, 2.345, 9},
			"commas are decimal marks, as in 1,234, although no number tells"},
		{"thousands beside tabs", filled("\t", "#.5", "1,234", "12,500", "980"),
			[]float64{1234, 12500, 980}, "commas between thousands"},
		{"points and commas", filled(";", "#,5", "1.234,5", "2.000.000", "950,25"),
			[]float64{1234.5, 2e6, 950.25}, "points between thousands, with decimal commas"},
		{"blanks", filled(",", "#.5", "1 234.5", "2\u00a0000", "3\u202f500 "),
			[]float64{1234.5, 2000, 3500}, "blanks between thousands"},
		{"apostrophes", filled(",", "#.5", "1'234.5", "2’000", "1'000'000"),
			[]float64{1234.5, 2000, 1e6}, "apostrophes between thousands"},
		{"per cent", filled(",", "#.5", "42.0%", "7 %", "NA", "-3.5%"), []float64{42, 7, -3.5},
			"is read as numbers, without their sign % (such as 42.0%)"},
		{"currency", filled(",", "#.5", "$1,200.50", "-$3", "$ 7"), []float64{1200.5, -3, 7},
			"commas between thousands, without their sign $"},
		{"decimal commas in quotes", filled(",", "#", "1,5", "2,25", "3"), []float64{1.5, 2.25, 3},
			"decimal commas"},
		{"currency in a file without a decimal mark", filled("\t", "#", "$5", "$12", "-$7"),
			[]float64{5, 12, -7}, "without their sign $"},
		{"minus signs", filled(",", "#.5", "−5", "7", "−1.5"), []float64{-5, 7, -1.5},
			"read as numbers (such as −5)"},
		{"days", filled(",", "#.5", "2020-01-30", "2020-02-01", "-", "2019-12-31"),
			[]float64{30, 32, 0}, "column 2 (y) is taken as days since 2019-12-31"},
		{"times", filled(",", "#.5", "2020-01-30 06:00", "2020-01-30T12:00:00",
			"2020-01-31 00:00:00Z"), []float64{0.25, 0.5, 1}, "days since 2020-01-30"},
		{"years", filled(",", "#.5", "1970-01-01", "1982-01-01", "1971-01-01"),
			[]float64{1970, 1982, 1971}, "taken as years"},
		{"quarters", filled(",", "#.5", "2020Q1", "2020Q3", "2020-Q2"), []float64{0, 182, 91},
			"days since 2020-01-01"},
		{"hours", filled(",", "#.5", "06:30", "12:00", "23:15"), []float64{6.5, 12, 23.25},
			"hours of the day"},
		{"a month above 12", filled(",", "#.5", "01/02/2020", "01/13/2020", "02/01/2020"),
			[]float64{0, 11, 30}, "days since 2020-01-02"},
		{"a day above 12", filled(",", "#.5", "01/02/2020", "13/01/2020", "02/01/2020"),
			[]float64{30, 11, 0}, "days since 2020-01-02"},
		{"points", filled(",", "#.5", "01.02.2020", "02.02.20", "3.2.2020"), []float64{0, 1, 2},
			"days since 2020-02-01"},
		{"months", filled(",", "#.5", "Mar 2020", "Feb 2020", "January 2020"), []float64{60, 31, 0},
			"days since 2020-01-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := prepare(t, c.text, table.Layout{Header: table.HeaderYes},
				table.Options{Missing: table.MissingDrop, Keep: []string{"1", "2"},
					Dependent: table.DependentDrop})
			var got []float64
			for _, row := range rowsOf(p.Data) {
				got = append(got, row[slices.Index(p.Data.Names, "y")])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// Numbers and dates that may be read in two ways are refused, with what decides.
func TestDoubtfulSpellings(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"other decimal mark", filled(";", "#,5", "1.5", "2.25", "4"),
			`"1.5" on line 2 (other numbers have another decimal mark)`},
		{"some per cent", filled(",", "#.5", "42%", "7", "8"),
			`"42%" on line 2 (not all values have this sign)`},
		{"two units", filled(",", "#.5", "$42", "€7", "€8"), "(not all values have this sign)"},
		{"some thousands", filled(",", "#.5", "1,200", "1300", "1,700"),
			`"1,200" on line 2 (separators of thousands that not all values have, or another decimal mark)`},
		{"day or month", filled(",", "#.5", "03/04/2020", "05/06/2020", "01/02/2020"),
			"column 2 (y) has dates whose day and month cannot be told apart (such as " +
				"03/04/2020); --set data.dates=day-first or --set data.dates=month-first says " +
				"what comes first, --drop y leaves it out"},
	} {
		_, err := table.Prepare(read(t, c.text, table.Layout{Header: table.HeaderYes}),
			table.Options{Keep: []string{"1", "2"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	text := filled(",", "#.5", "03/04/2020", "05/06/2020", "01/02/2020")
	for order, want := range map[table.Dates]float64{table.DayFirst: 62, table.MonthFirst: 62} {
		p := prepare(t, text, table.Layout{}, table.Options{Dates: order, Keep: []string{"y"}})
		if got := p.Data.X.At(0, 1); got != want {
			t.Errorf("%v: %v, want %v", order, got, want)
		}
	}
}

// Dates are left out with a warning that says how they are taken.
func TestDatesAreLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"2020-01-30": "column 3 (y) has dates (such as 2020-01-30), and is left out; --set " +
			"data.keep=y takes them as days since 2020-01-10",
		"03/04/2020": "column 3 (y) has dates (such as 03/04/2020), and is left out; --set " +
			"data.keep=y takes them as numbers, with --set data.dates=day-first or --set " +
			"data.dates=month-first",
	} {
		p := prepare(t, filled(",", "#.5,@", text, strings.Replace(text, "3", "2", 1), text,
			strings.Replace(text, "3", "1", 1)), table.Layout{Names: []string{"x", "z", "y"}},
			table.Options{})
		if !slices.Equal(p.Data.Names, []string{"x", "z"}) ||
			!slices.Equal(p.Warnings, []string{want}) {
			t.Errorf("%q, warnings %q, want %q", p.Data.Names, p.Warnings, want)
		}
	}
}

// Names such as those in R's USJudgeRatings have commas and points, and are no numbers.
func TestNamesOfRows(t *testing.T) {
	p := prepare(t, "\"\",\"CONT\",\"INTG\"\n\"AARONSON,L.H.\",5.7,7.9\n\"ALEXANDER,J.M.\",6.8,8"+
		".9\n\"ARMENTANO,A.J.\",7.2,8.1\n\"BERDON,R.I.\",6.8,8.8\n", table.Layout{},
		table.Options{})
	if !slices.Equal(p.Data.Names, []string{"CONT", "INTG"}) ||
		!strings.Contains(p.Notes[0], "text that is almost all distinct (such as AARONSON,L.H.)") {
		t.Errorf("names %q, notes %q", p.Data.Names, p.Notes)
	}
}

// Other rows are read as those of the data: with the same day 0, and what the data lack is refused.
func TestApplySpellings(t *testing.T) {
	p := prepare(t, filled(",", "#.5,1@%", "2020-01-03", "2020-01-01", "2020-02-01"),
		table.Layout{Names: []string{"x", "share", "day"}}, table.Options{Keep: []string{"day"}})
	got, _, err :=
		p.Apply(read(t, "x,share,day\n1,12.5%,2020-03-01\n2,3%,2019-12-31\n", table.Layout{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 12.5, 60}, {2, 3, -1}}, rowsOf(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, _, err = p.Apply(read(t, "x,share,day\n1,$12,3/1/2020\n2,$3,2019-12-31\n", table.Layout{}))
	for _, want := range []string{"column 2 (share): has values that are not spelled as in the " +
		"data ($12 1, $3 1)",
		"column 3 (day): has values that are not spelled as in the data (3/1/2020 1)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, _, err = p.Apply(read(t, "x,share,day\n1,2%,7\n2,3%,8\n", table.Layout{})); err == nil ||
		!strings.Contains(err.Error(), "has numbers such as 7 among dates") {
		t.Errorf("numbers for dates: error %v", err)
	}
}

// However many different dates there are, all are read; of so many words none is kept.
func TestManyTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,name,x\n")
	const n = 1<<16 + 10
	for i := range n {
		fmt.Fprintf(&b, "2020-01-01 00:%02d:%02d.%03d,name %d,%d\n", i/60000, i/1000%60, i%1000, i,
			i*i%97)
	}
	p := prepare(t, b.String(), table.Layout{}, table.Options{Keep: []string{"time"}})
	if got := p.Data.X.At(n-1, 0) * 86400; !slices.Equal(p.Data.Names, []string{"time", "x"}) ||
		got < (n-1)/1e3-1e-3 || got > (n-1)/1e3+1e-3 {
		t.Errorf("columns %q, last time %v", p.Data.Names, got)
	}
}

// Levels are ordered by the words of scales or their numbers where they are said to be ordered, and
// categories of many levels are left out unless they are asked for.
func TestOrderedLevels(t *testing.T) {
	o := table.Options{Kinds: []string{"y=ordered"}}
	for _, c := range []struct{ levels, want string }{
		{"0-5yrs 12+yrs 6-11yrs", "0-5yrs 6-11yrs 12+yrs"},
		{"q10 q9 q1 q100 q2", "q1 q2 q9 q10 q100"},
		{"low high avg", "low avg high"},
	} {
		p := prepare(t, filled(",", "#.5", strings.Fields(strings.Repeat(c.levels+" ", 4))...),
			table.Layout{}, o)
		if got := strings.Join(p.Data.Variables[1].Levels, " "); got != c.want ||
			p.Data.Kind(1) != dataset.Ordered {
			t.Errorf("%s: %v %s, want %s", c.levels, p.Data.Kind(1), got, c.want)
		}
	}
	_, err := table.Prepare(read(t,
		filled(",", "#.5", strings.Fields(strings.Repeat("<5 5-9 >9 ", 4))...), table.Layout{}), o)
	if err == nil || !strings.Contains(err.Error(), "whose order is not known") {
		t.Errorf("levels with the sign of the option: %v", err)
	}
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf("n%d", i%60))
	}
	text := filled(",", "#.5,@", many...)
	layout := table.Layout{Names: []string{"x", "z", "y"}}
	p := prepare(t, text, layout, table.Options{})
	if len(p.Data.Names) != 2 ||
		!strings.Contains(strings.Join(p.Warnings, " "), "--kind y=categorical takes it") {
		t.Errorf("many levels: %q, warnings %q", p.Data.Names, p.Warnings)
	}
	p = prepare(t, text, layout, table.Options{Kinds: []string{"y=categorical"}})
	if len(p.Data.Names) != 3 || len(p.Data.Variables[2].Levels) != 60 {
		t.Errorf("many levels that are asked for: %q", p.Data.Names)
	}
	names := slices.Repeat([]string{"same"}, 300)
	for i := range 2700 {
		names = append(names, fmt.Sprintf("airport %d", i))
	}
	if p := prepare(t, filled(",", "#.5,@", names...), table.Layout{Names: []string{"x", "z", "y"}},
		table.Options{Dependent: table.DependentDrop}); slices.Contains(p.Data.Names, "y") {
		t.Errorf("names are taken: %q", p.Data.Names)
	}
}
