package delimited_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tobac/internal/delimited"
	"tobac/internal/must"
)

// streamed are all records of a text, with the separator.
func streamed(text string, syntax delimited.Syntax) (all [][]string, separator rune, err error) {
	s, err := delimited.NewStream(strings.NewReader(text), "t.csv", syntax)
	if err != nil {
		return nil, 0, err
	}
	for {
		cells, _, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all, s.Separator(), nil
		}
		if err != nil {
			return all, s.Separator(), err
		}
		var row []string
		for _, c := range cells {
			row = append(row, string(c.Text))
		}
		all = append(all, row)
	}
}

func TestStreamSplits(t *testing.T) {
	abc := [][]string{{"a", "b"}, {"1", "2"}}
	for _, c := range []struct {
		name, text string
		syntax     delimited.Syntax
		separator  rune
		want       [][]string
	}{
		{"bars", "a|b\n1|2\n", delimited.Syntax{}, '|', abc},
		{"blanks", " a  b\n1\t2 \n", delimited.Syntax{}, ' ', abc},
		{"blanks and quotes", "\"a b\" c\n1 \"2 3\"  \n", delimited.Syntax{}, ' ',
			[][]string{{"a b", "c"}, {"1", "2 3"}}},
		{"sep line", "sep=;\r\na;b\r\n1;2\r\n", delimited.Syntax{}, ';', abc},
		{"quoted sep line", "\"sep=\t\"\na\tb\n1\t2\n", delimited.Syntax{}, '\t', abc},
		{"the separator of most lines", "one, two\na;b\n1;2\n3;4\n", delimited.Syntax{}, ';',
			[][]string{{"one, two"}, {"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"given separator", "a;b\n1;2\n", delimited.Syntax{Separator: ','}, ',',
			[][]string{{"a;b"}, {"1;2"}}},
		{"comments", "//x\na,b\n //y,z\n1,2\n", delimited.Syntax{Comment: "//"}, ',', abc},
		{"skipped lines", "\"open,\nx\na,b\n1,2\n", delimited.Syntax{Skip: 2}, ',', abc},
		{"empty lines", "\na,b\n\n \n1,2\n\n", delimited.Syntax{}, ',', abc},
		{"quote inside", "a,b\n1,6\" pipe\n", delimited.Syntax{}, ',',
			[][]string{{"a", "b"}, {"1", "6\" pipe"}}},
		{"line end inside quotes", "\"a\r\nx\",b\r\n1,2\r\n", delimited.Syntax{}, ',',
			[][]string{{"a\r\nx", "b"}, {"1", "2"}}},
		{"empty fields", "a,,\n\"\",,2\n", delimited.Syntax{}, ',',
			[][]string{{"a", "", ""}, {"", "", "2"}}},
		{"one column", "a\n1\n", delimited.Syntax{}, ',', [][]string{{"a"}, {"1"}}},
		{"empty first field of tabs", "\tb\n1\t2\n", delimited.Syntax{}, '\t',
			[][]string{{"", "b"}, {"1", "2"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, separator, err := streamed(c.text, c.syntax)
			if err != nil || separator != c.separator {
				t.Errorf("separator %q, error %v, want %q", separator, err, c.separator)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

// Records are the same however small the pieces in which the bytes come.
func TestStreamIsRead(t *testing.T) {
	field := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "1", "1,5", ";", "\t", "\n", "\r",
		"\r\n", `"`, "λ", "x y"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 4).Draw(t, "records"), rapid.IntRange(2, 4).Draw(t, "fields")
		var text []byte
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
		for range n {
			row := rapid.SliceOfN(field, d, d).Draw(t, "row")
			text = append(delimited.AppendTexts(text, row...), end...)
		}
		want, err := delimited.Read(strings.NewReader(string(text)), "t.csv", delimited.Syntax{})
		if err != nil {
			t.Fatal(err)
		}
		s := must.Get(delimited.NewStream(iotest.OneByteReader(strings.NewReader(string(text))),
			"t.csv", delimited.Syntax{Separator: ','}))(t)
		var got [][]string
		for {
			cells, _, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			var row []string
			for _, c := range cells {
				row = append(row, string(c.Text))
			}
			got = append(got, row)
		}
		if want.Separator == ',' {
			if diff := cmp.Diff(texts(want), got); diff != "" {
				t.Fatalf("%q (-read +stream):\n%s", text, diff)
			}
		}
	})
}

func TestDecimalMark(t *testing.T) {
	for _, c := range []struct {
		text      string
		separator rune
		want      float64
		ok        bool
	}{
		{"1", ',', 1, true}, {"-1.5e3", ',', -1500, true}, {".5", ',', 0.5, true},
		{"+2", ';', 2, true}, {"1,5", ';', 1.5, true}, {"1,5", ',', 0, false},
		{"1_000", ';', 0, false}, {"0x10", ',', 0, false}, {"1e999", ',', 0, false},
		{"nan", ',', 0, false}, {"Inf", ',', 0, false}, {"1,234.5", ';', 0, false},
		{"1,", ';', 0, false}, {",5", ';', 0, false}, {"", ',', 0, false}, {"-", ',', 0, false},
		{"1 2", ',', 0, false}, {"1e-400", ',', 0, true}, {"٣", ',', 0, false},
	} {
		var m delimited.DecimalMark
		if v, ok := m.Number([]byte(c.text), c.separator); v != c.want || ok != c.ok {
			t.Errorf("%q: got %v, %v, want %v, %v", c.text, v, ok, c.want, c.ok)
		}
	}
	var m delimited.DecimalMark
	if _, ok := m.Number([]byte("1,5"), ';'); !ok {
		t.Fatal("decimal comma refused")
	}
	if _, ok := m.Number([]byte("1.5"), ';'); ok {
		t.Error("two decimal marks in one text")
	}
	rapid.Check(t, func(t *rapid.T) {
		var m delimited.DecimalMark
		want := rapid.Float64().Draw(t, "number")
		got, ok := m.Number(delimited.AppendNumber(nil, want), ',')
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("got %v, %v, want %v", got, ok, want)
		}
	})
}

func ExampleStream() {
	s, err := delimited.NewStream(strings.NewReader("# by hand\nname | dose\nA | 1.5\n"), "t.txt",
		delimited.Syntax{Comment: "#"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		cells, line, err := s.Next()
		if err != nil {
			break
		}
		fmt.Printf("line %d: %q %q\n", line, cells[0].Text, cells[1].Text)
	}
	// Output:
	// line 2: "name" "dose"
	// line 3: "A" "1.5"
}

// FuzzStream: any bytes give records or an error, and every record has a field.
func FuzzStream(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "sep=;\na;b\r1,5;2", "\"x\"\"y\"\t1\r\n", "\"open",
		"\xff\xfe", "\uFEFF", "# c\n\na b\n", "\"a\"b"} {
		f.Add([]byte(text), byte(0), byte(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, separator, skip byte) {
		syntax := delimited.Syntax{Separator: []rune{0, ',', ';', '\t', '|', ' '}[separator%6],
			Skip: int(skip % 3), Comment: []string{"", "#"}[skip%2]}
		all, _, err := streamed(string(data), syntax)
		if located := new(delimited.Error); err != nil && !errors.As(err, &located) {
			t.Fatalf("error is a %T: %v", err, err)
		}
		for _, row := range all {
			if len(row) == 0 {
				t.Fatalf("%q: a record without fields", data)
			}
		}
	})
}

// Empty lines between records count as left out, those before and after them do not.
func TestLeftOut(t *testing.T) {
	s, err := delimited.NewStream(strings.NewReader("\n# by hand\na,b\n1,2\n\n\n3,4\n\n5,6\n\n"),
		"t.csv", delimited.Syntax{Separator: ',', Comment: "#"})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = s.Next()
	}
	if empty, comments := s.LeftOut(); !errors.Is(err, io.EOF) || empty != 3 || comments != 1 {
		t.Errorf("%d empty lines and %d comments are left out, %v; want 3 and 1", empty, comments,
			err)
	}
}
