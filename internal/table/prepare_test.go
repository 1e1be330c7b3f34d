package table_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/table"
)

// column repeats values to n rows, beside an irregular column x of numbers.
func beside(n int, values ...string) string {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range n {
		fmt.Fprintf(&b, "%d.5,%s\n", i*i%17+i, values[i%len(values)])
	}
	return b.String()
}

func TestKinds(t *testing.T) {
	counting := func(from int) (all []string) {
		for i := range 30 {
			all = append(all, fmt.Sprint(from+i))
		}
		return all
	}
	words := func() (all []string) {
		for i := range 30 {
			all = append(all, fmt.Sprintf("word %d", i))
		}
		return all
	}()
	for _, c := range []struct {
		name   string
		values []string
		want   table.Kind
		gaps   int
	}{
		{"numbers", []string{"1", "2.5", "-3", "4e2", "+7"}, table.Number, 0},
		{"numbers and gaps", []string{"1", "NA", "3", "", "?"}, table.Number, 18},
		{"all usual spellings", []string{"1", "n/a", "NaN", ".", "null", "4", "None", "-",
			"missing", "#N/A"}, table.Number, 24},
		{"zero and one", []string{"0", "1", "1"}, table.Boolean, 0},
		{"true and false", []string{"True", "False", "True"}, table.Boolean, 0},
		{"yes and no with gaps", []string{"yes", "no", "None"}, table.Boolean, 10},
		{"two words", []string{"m", "f", "f"}, table.Category, 0},
		{"levels", []string{"red", "green", "blue"}, table.Category, 0},
		{"a level named None", []string{"None", "green", "blue"}, table.Category, 0},
		{"a level named NA is missing", []string{"NA", "green", "blue"}, table.Category, 10},
		{"numbers and words as levels", []string{"1", "2", "3+"}, table.Category, 0},
		{"text", words, table.Text, 0},
		{"dates", []string{"2020-01-31", "2021-05-06", "1999-12-31"}, table.Date, 0},
		{"dates and gaps", []string{"31.01.2020", "-", "06.05.2021"}, table.Date, 10},
		{"times", []string{"12:30", "23:59", "00:00:01"}, table.Date, 0},
		{"constant", []string{"7"}, table.Constant, 0},
		{"constant word", []string{"a", "NA"}, table.Constant, 15},
		{"empty", []string{"", "NA"}, table.Empty, 30},
		{"identifier elsewhere is a number", counting(1), table.Number, 0},
		{"infinite", []string{"1", "Inf", "2", "3", "4", "5", "6", "8", "9", "10"}, table.Mixed, 0},
		{"digits in groups", append([]string{"1_000"}, counting(1)[1:]...), table.Mixed, 0},
		{"thousands", []string{"\"1,000\"", "\"2,500\"", "\"1,750\""}, table.Number, 0},
		{"units", []string{"$5", "$7", "$12"}, table.Number, 0},
		{"percentages", []string{"5%", "7%", "NA"}, table.Number, 10},
		{"hexadecimal", append([]string{"0x1F"}, counting(1)[1:]...), table.Mixed, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := must.Get(table.Describe(read(t, beside(30, c.values...),
				table.Layout{Header: table.HeaderYes}), table.Options{}))(t)
			if p := d.Prepared.Profiles[1]; p.Kind != c.want || p.Gaps != c.gaps {
				t.Errorf("%v with %d gaps, want %v with %d", p.Kind, p.Gaps, c.want, c.gaps)
			}
		})
	}
}

// Moments are those of the values that there are, of numbers and of booleans.
func TestMoments(t *testing.T) {
	gap := math.NaN()
	for text, want := range map[string][]float64{
		"1 2.5 -3 NA 400 7": {1, 2.5, -3, gap, 400, 7},
		"yes no no NA no":   {1, 0, 0, gap, 0},
	} {
		d := must.Get(table.Describe(read(t, beside(30, strings.Fields(text)...),
			table.Layout{Header: table.HeaderYes}), table.Options{}))(t)
		values := slices.DeleteFunc(slices.Repeat(want, 30/len(want)), math.IsNaN)
		p, mean, sd := d.Prepared.Profiles[1], stat.Mean(values, nil), stat.PopStdDev(values, nil)
		third, fourth := stat.MomentAbout(3, values, mean, nil),
			stat.MomentAbout(4, values, mean, nil)
		got := []float64{p.Min, p.Max, p.Mean, p.SD, p.Skewness, p.Kurtosis}
		if want := []float64{slices.Min(values), slices.Max(values), mean, sd,
			third / math.Pow(sd, 3), fourth/math.Pow(sd, 4) - 3}; !floats.EqualApprox(got, want,
			1e-12) {
			t.Errorf("%s: least, largest, mean, standard deviation, skewness, kurtosis %v, want %v",
				text, got, want)
		}
	}
}

// Columns that number the rows are left out unless they are asked for.
func TestIndicesAndIdentifiers(t *testing.T) {
	text := func(first, second string, from int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%s,%s,x,y\n", first, second)
		for i := range 12 {
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", from+i, 500+7*i, i*i%7, i*i%5)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text string
		o          table.Options
		want       []string
	}{
		{"index from 1, identifier", text("Obs", "id", 1), table.Options{}, []string{"x", "y"}},
		{"index from 0", text("", "z", 0), table.Options{}, []string{"z", "x", "y"}},
		{"not an index", text("t", "z", 2), table.Options{}, []string{"t", "z", "x", "y"}},
		{"kept", text("t", "id", 1), table.Options{Keep: []string{"t", "id"}},
			[]string{"t", "id", "x", "y"}},
		{"named", text("t", "id", 1), table.Options{Columns: []string{"y", "t"}},
			[]string{"y", "t"}},
		{"by number", text("t", "id", 1), table.Options{Columns: []string{"4", "1"}},
			[]string{"y", "t"}},
		{"without a name, kept", text("", "z", 0), table.Options{Keep: []string{"1"}},
			[]string{"column1", "z", "x", "y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Dependent = table.DependentDrop
			p := must.Get(table.Prepare(read(t, c.text, table.Layout{}), c.o))(t)
			var got []string
			for _, column := range p.Columns {
				got = append(got, column.Name)
			}
			// 500+7i follows from 1…n, and is left out where both are kept.
			got = slices.DeleteFunc(got, func(s string) bool { return s == "z" || s == "id" })
			want := slices.DeleteFunc(c.want, func(s string) bool { return s == "z" || s == "id" })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCoding(t *testing.T) {
	text := "x,size,sex,ok,colour,code\n1,small,m,yes,red,1\n4,large,f,no,blue,2\n2,medium,f,yes" +
		",red,9\n8,small,m,yes,green,2\n5,large,m,no,red,1\n7,medium,f,no,blue,1\n6,small,f,yes," +
		"green,9\n3,large,m,no,red,2\n"
	p := prepare(t, text, table.Layout{}, table.Options{Categories: table.CategoriesIndicators,
		Ordinal: []string{"size=small<medium<large"}, Kinds: []string{"code=categorical"}})
	if diff := cmp.Diff([]string{"x", "size", "sex", "ok", "colour=blue", "colour=green", "code=2",
		"code=9"}, p.Data.Names); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	want := [][]float64{{1, 0, 1, 1, 0, 0, 0, 0}, {4, 2, 0, 0, 1, 0, 1, 0},
		{2, 1, 0, 1, 0, 0, 0, 1}, {8, 0, 1, 1, 0, 1, 1, 0}, {5, 2, 1, 0, 0, 0, 0, 0},
		{7, 1, 0, 0, 1, 0, 0, 0}, {6, 0, 0, 1, 0, 1, 0, 1}, {3, 2, 1, 0, 0, 0, 1, 0}}
	if diff := cmp.Diff(want, rowsOf(p.Data)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][2]int{{4, 5}, {6, 7}}, p.Exclusive); diff != "" {
		t.Errorf("exclusive pairs (-want +got):\n%s", diff)
	}
	p = prepare(t, text, table.Layout{},
		table.Options{Kinds: []string{"code=categorical", "x=count", "size=ordered"}})
	if diff := cmp.Diff([]float64{2, 0, 2, 1, 2, 0, 1, 2}, columnOf(p, "colour")); diff != "" {
		t.Errorf("codes by name (-want +got):\n%s", diff)
	}
	kinds := []dataset.Variable{{Kind: dataset.Count},
		{Kind: dataset.Ordered, Levels: []string{"small", "medium", "large"}},
		{Kind: dataset.Binary, Levels: []string{"f", "m"}},
		{Kind: dataset.Binary, Levels: []string{"no", "yes"}},
		{Kind: dataset.Categorical, Levels: []string{"blue", "green", "red"}},
		{Kind: dataset.Categorical, Levels: []string{"1", "2", "9"}}}
	if diff := cmp.Diff(kinds, p.Data.Variables); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	p = prepare(t, text, table.Layout{}, table.Options{Categories: table.CategoriesDrop})
	if diff := cmp.Diff([]string{"x", "sex", "ok", "code"}, p.Data.Names); diff != "" {
		t.Errorf("names without categories (-want +got):\n%s", diff)
	}
}

func columnOf(p *table.Prepared, name string) []float64 {
	var out []float64
	for _, row := range rowsOf(p.Data) {
		out = append(out, row[slices.Index(p.Data.Names, name)])
	}
	return out
}

// Everything that is wrong is in one error, with what solves it; and what is said to solve it
// together does.
func TestRefusal(t *testing.T) {
	text := "species,day,bill,mass,note,flat,twice,sex\nA,2020-01-02,NA,30,ok " +
		"1,5,60,m\nB,2020-01-03,2.5,10,ok 2,5,20,f\nC,2020-01-04,3.5,20,ok " +
		"3,5,40,f\nA,2020-02-02,1,50,ok 4,5,100,m\n" +
		"B,2020-02-03,2,70,ok 5,5,140,NA\nC,2020-03-03,9,60,ok 6,5,120,m\nA,2020-03-04,7,10,ok " +
		"7,5,20,f\nB,2020-03-05,6,40,ok 8,5,80,m\nC,2020-03-06,5,30,ok 9,5,60,f\n" +
		"A,2021-03-06,4,90,ok 10,5,180,f\nB,2021-03-07,2,80,ok 11,5,160,m\nC,2021-03-08,2,5,ok " +
		"12,5,10,m\nA,2022-03-08,2,4,ok 13,5,8,f\nB,2022-03-09,8,40,ok " +
		"14,5,80,f\nA,2022-04-09,1,45,ok 15,5,90,m\nA,2022-04-19,3,35,ok 16,5,70,f\n"
	_, err := table.Prepare(read(t, text, table.Layout{}), table.Options{})
	var r *table.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error %v", err)
	}
	want := `t.csv: 3 problems
  column 6 (flat) is constant: every value is 5; --set data.dependent=drop or --drop flat leaves it out
  missing values in 2 rows of 16: 1 in column 3 (bill) spelled "NA", 1 in column 8 (sex) spelled "NA"; --missing drop leaves out 2 rows and keeps 14, --missing impute completes them
  column 7 (twice) is determined by others: twice = 2·mass; --set data.dependent=drop leaves out the last column of each dependence
  fix all with: --missing drop --set data.dependent=drop`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	p := prepare(t, text, table.Layout{},
		table.Options{Drop: []string{"day"}, Missing: table.MissingDrop,
			Categories: table.CategoriesIndicators, Dependent: table.DependentDrop})
	if diff := cmp.Diff([]string{"species=B", "species=C", "bill", "mass", "sex"},
		p.Data.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if len(p.Rows) != 14 || p.Rows[0] != 1 {
		t.Errorf("rows %v", p.Rows)
	}
}

// Rows that stand there again are left out, but where their values come again by themselves.
func TestCopies(t *testing.T) {
	measured, counted := "x,y,z\n", "x,y,z\n"
	for i := range 30 {
		for range 1 + i%3 {
			measured += fmt.Sprintf("%d.%d,%d,%d\n", i*i%37, i, i%4, i%5)
		}
		counted += fmt.Sprintf("%d,%d,%d\n%[1]d,%[2]d,%[3]d\n", i%2, i%3, i%2)
	}
	for _, c := range []struct {
		text   string
		o      table.Options
		rows   int
		warned bool
	}{
		{measured, table.Options{}, 30, true},
		{measured, table.Options{Copies: table.DoubtfulKeep}, 60, false},
		{counted, table.Options{Columns: []string{"x", "y"}}, 60, false},
	} {
		p := prepare(t, c.text, table.Layout{}, c.o)
		warned := slices.ContainsFunc(p.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "30 of 60 rows are copies of an earlier row")
		})
		if n, _ := p.Data.X.Dims(); n != c.rows || len(p.Rows) != n || warned != c.warned {
			t.Errorf("%d rows with numbers %v, warnings %q; want %d", n, p.Rows, p.Warnings, c.rows)
		}
	}
}

func TestMissing(t *testing.T) {
	text := "x,y,z\n1,-999,0.5\n2,3,NA\n4,4,0.25\n9,-999,0.5\n7,1,0.75\n5,5,0.125\n6,2,\n8,3,1\n"
	noted := prepare(t, text, table.Layout{}, table.Options{Columns: []string{"x", "y"}})
	if !strings.Contains(strings.Join(noted.Warnings, "\n"),
		"the value -999 stands 2 times, far from all others") {
		t.Errorf("warnings %q", noted.Warnings)
	}
	p := prepare(t, text, table.Layout{},
		table.Options{Missing: table.MissingDrop, MissingCodes: []string{"-999"}})
	if diff := cmp.Diff([][]float64{{4, 4, 0.25}, {7, 1, 0.75}, {5, 5, 0.125}, {8, 3, 1}},
		rowsOf(p.Data)); diff != "" {
		t.Errorf("complete rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 4, 5, 7}, p.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	p = prepare(t, text, table.Layout{},
		table.Options{Missing: table.MissingImpute, MissingCodes: []string{"-999.0"}})
	if p.Data != nil || p.Incomplete == nil {
		t.Fatal("missing values are not kept")
	}
	gaps := 0
	n, d := p.Incomplete.X.Dims()
	for i := range n {
		for j := range d {
			if math.IsNaN(p.Incomplete.X.At(i, j)) {
				gaps++
			}
		}
	}
	if gaps != 4 || n != 8 {
		t.Errorf("%d gaps in %d rows, want 4 in 8", gaps, n)
	}
}

func TestSelections(t *testing.T) {
	text := "a,b,c\n1,5,2\n2,6,9\n4,1,3\n3,3,1\n5,2,2\n"
	p := prepare(t, text, table.Layout{}, table.Options{Rows: "2-3,5-", Drop: []string{"2"}})
	if diff := cmp.Diff([][]float64{{2, 9}, {4, 3}, {5, 2}}, rowsOf(p.Data)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		o    table.Options
		want string
	}{
		{table.Options{Rows: "0"},
			`data.rows: "0" is not a row or a range of rows; allowed: such as 5, 2-101 or 200-, counted from 1 below the header, separated by commas`},
		{table.Options{Rows: "3-2"},
			`data.rows: "3-2" is not a row or a range of rows; allowed: such as 5, 2-101 or 200-, counted from 1 below the header, separated by commas`},
		{table.Options{Rows: "3-9"}, `data.rows: 3-9 ends after the last of 5 rows`},
		{table.Options{Rows: "9-"}, `data.rows: 9- begins after the last of 5 rows`},
		{table.Options{Drop: []string{"A"}},
			`--drop: no column is named "A"; did you mean a?; allowed: "a", "b", "c", or numbers from 1 to 3`},
		{table.Options{Columns: []string{"a", "1"}}, `--columns: names the column 1 (a) twice`},
		{table.Options{Columns: []string{"4"}},
			`--columns: no column 4; allowed: 1 to 3, or names`},
		{table.Options{Ordinal: []string{"a"}},
			`data.ordinal: "a" has no = after the name of a column; allowed: such as "size=small<medium<large"`},
		{table.Options{Ordinal: []string{"a=1<1"}},
			`data.ordinal: "a=1<1" has an empty or repeated level; allowed: such as "size=small<medium<large"`},
		{table.Options{Columns: []string{"a"}},
			`t.csv: got a single column, want at least 2: one variable has no edges to infer`},
		{table.Options{Rows: "2"},
			`t.csv: got a single row of those that data.rows takes, want at least 2`},
		{table.Options{Ordinal: []string{"a=1<2<3"}},
			`t.csv: column 1 (a) has levels that data.ordinal does not order (4 1, 5 1); --set data.ordinal='a=1<2<3<...' has to name all of them`},
	} {
		_, err := table.Prepare(read(t, text, table.Layout{}), c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%+v: error\n got %v\nwant %s", c.o, err, c.want)
		}
	}
}

// Rows of other lengths are refused, unless they are not wanted.
func TestRagged(t *testing.T) {
	text := "a,b\n1,2\n3\n4,1\n5,5\nTotal: 5 rows\n"
	_, err := table.Prepare(read(t, text, table.Layout{}), table.Options{})
	want := "t.csv: line 3: got 1 value, want 2 as elsewhere, and so in 2 lines in all (3, 6); " +
		"--set data.rows=1,3-4 leaves out such rows; data.delimiter and data.comment say how " +
		"lines are read"
	if err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
	p := prepare(t, text, table.Layout{}, table.Options{Rows: "1,3-4"})
	if diff := cmp.Diff([][]float64{{1, 2}, {4, 1}, {5, 5}}, rowsOf(p.Data)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// Other rows are coded like the data.
func TestApply(t *testing.T) {
	p := prepare(t,
		"x,sex,colour\n1,m,red\n2,f,blue\n4,f,green\n3,m,red\n9,m,blue\n8,f,green\n5,m,red\n",
		table.Layout{},
		table.Options{Categories: table.CategoriesIndicators, Missing: table.MissingDrop})
	got, notes, err := p.Apply(read(t, "colour,other,sex,x\ngreen,1,m,7\nred,2,m,NA\nred,3,f,-1\n",
		table.Layout{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{7, 1, 0, 1}, {-1, 0, 0, 0}}, rowsOf(got)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "1 row with missing values left out of 3") {
		t.Errorf("notes %q", notes)
	}
	_, _, err = p.Apply(read(t, "colour,x\nred,1\npink,high\n", table.Layout{}))
	want := "t.csv: 3 problems\n  column 2 (x): has values that are not finite numbers (high 1)\n" +
		"  column 1 (colour): has levels that the data do not have (pink 1)\n" +
		"  no column is named \"sex\"; allowed: \"colour\", \"x\""
	if err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
}

// An option with a long name or value is not proposed.
func TestLongProposals(t *testing.T) {
	digits, name := strings.Repeat("1", 1<<20), strings.Repeat("x", 1<<20)
	for _, text := range []string{beside(12, append(slices.Repeat([]string{"1", "2"}, 5), digits,
		"5")...), name + ",y\n1,2\n1,3\n1,1\n"} {
		if _, err := table.Prepare(read(t, text, table.Layout{}), table.Options{}); err == nil ||
			len(err.Error()) > 1000 {
			t.Errorf("error %.300v", err)
		}
	}
}

// Three columns named by years have these, but for one whose kind is asked for; two have none.
func TestYears(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("size,1990,1991,1992,mass\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "%s,%d.2,%d.1,%d.7,%d.3\n", []string{"large", "small"}[i*i%3%2], i*3%23,
			i*5%29, i*7%31, i*i%13)
	}
	for kind, want := range map[string][]int{"mass=real": {-1, 1990, 1991, 1992, -1},
		"1990=real": nil} {
		p := prepare(t, rows.String(), table.Layout{}, table.Options{Kinds: []string{kind}})
		if got := p.Years(); !slices.Equal(got, want) {
			t.Errorf("%s: years %v, want %v", kind, got, want)
		}
	}
}

// Ages, years and what is given at birth are caused by no other column; whole numbers under the
// name of an identifier that rise and repeat are left out.
func TestGiven(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("ID,x,Age (years),Sex,race,year,agegroup,packages\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%.2f,%d,%s,%s,%d,%d,%d\n", 3+i/4, float64(i*i%17)/3, 20+i*7%31,
			[]string{"m", "f"}[i%2],
			[]string{"u", "v", "w"}[i*i%3], 2001+i*i%7, i%5, i*3%13)
	}
	p := prepare(t, rows.String(), table.Layout{},
		table.Options{Kinds: []string{"race=categorical"}})
	var got []string
	for _, j := range p.Given() {
		got = append(got, p.Data.Names[j])
	}
	if diff := cmp.Diff([]string{"Age (years)", "Sex", "year"}, got); diff != "" {
		t.Errorf("given (-want +got):\n%s", diff)
	}
	if len(p.Warnings) != 1 ||
		!strings.Contains(p.Warnings[0], "(ID) identifies groups of rows") {
		t.Errorf("warnings %q, want one about column ID", p.Warnings)
	}
}
