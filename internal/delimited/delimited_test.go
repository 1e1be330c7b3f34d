package delimited_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tobac/internal/delimited"
	"tobac/internal/must"
)

func texts(f *delimited.File) [][]string {
	var all [][]string
	for _, record := range f.Records {
		var row []string
		for _, field := range record.Fields {
			row = append(row, field.Text)
		}
		all = append(all, row)
	}
	return all
}

func TestReadSplits(t *testing.T) {
	abc := [][]string{{"a", "b"}, {"1", "2"}}
	tests := []struct {
		name, text string
		separator  rune
		want       [][]string
	}{
		{"LF", "a,b\n1,2\n", ',', abc},
		{"CRLF", "a,b\r\n1,2\r\n", ',', abc},
		{"bare CR", "a,b\r1,2\r", ',', abc},
		{"no final terminator", "a,b\r1,2", ',', abc},
		{"mixed line ends", "a,b\r\n1,2\n3,4\r5,6", ',',
			[][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}, {"5", "6"}}},
		{"byte order mark", "\uFEFFa,b\n1,2", ',', abc},
		{"byte order mark before a quote", "\uFEFF\"a\",b\n1,2", ',', abc},
		{"semicolon", "a;b\n1;2", ';', abc},
		{"tab", "a\tb\n1\t2", '\t', abc},
		{"decimal commas", "1,5;2,5", ';', [][]string{{"1,5", "2,5"}}},
		{"blanks around fields", "  a ,\tb\n 1\t, 2 ", ',', abc},
		{"blanks around quotes", ` "a" , "b"` + "\n1,2", ',', abc},
		{"blanks inside quotes stay", `" a ",b`, ',', [][]string{{" a ", "b"}}},
		{"separators in quotes", `"x;y","t` + "\t" + `u",plain`, ',',
			[][]string{{"x;y", "t\tu", "plain"}}},
		{"unquoted field first", `plain,"x;y"`, ',', [][]string{{"plain", "x;y"}}},
		{"commas in quotes", `"x,y";z`, ';', [][]string{{"x,y", "z"}}},
		{"doubled quotes", `"say ""hi""",b`, ',', [][]string{{`say "hi"`, "b"}}},
		{"line ends in quotes", "\"x\r\ny\",b\n1,2", ',', [][]string{{"x\r\ny", "b"}, {"1", "2"}}},
		{"empty fields", "a,,\n,,", ',', [][]string{{"a", "", ""}, {"", "", ""}}},
		{"bars", "a|b\n1|2", '|', abc},
		{"blanks", "a  b\n 1\t2 \n", ' ', abc},
		{"empty lines between", "a,b\n\n1,2\n", ',', abc},
		{"Windows-1252", "a,\xe9\n1,2", ',', [][]string{{"a", "é"}, {"1", "2"}}},
		{"UTF-16", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", ',', abc},
		{"single column", "a\n1\n", ',', [][]string{{"a"}, {"1"}}},
		{"empty lines around", "\n \t\na,b\n1,2\n\n  \n\r\r\n", ',', abc},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := must.Get(delimited.Read(strings.NewReader(test.text), "t.csv",
				delimited.Syntax{}))(t)
			if f.Separator != test.separator {
				t.Errorf("separator %q, want %q", f.Separator, test.separator)
			}
			if diff := cmp.Diff(test.want, texts(f)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadCountsLines(t *testing.T) {
	f := must.Get(delimited.Read(strings.NewReader("\r\n\"x\ny\r\nz\",b\r1,2\n3,4"), "t.csv",
		delimited.Syntax{}))(t)
	var got []int
	for _, record := range f.Records {
		got = append(got, record.Line)
	}
	if diff := cmp.Diff([]int{2, 5, 6}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "t.csv: file is empty"},
		{"only a byte order mark", "\uFEFF", "t.csv: file is empty"},
		{"only empty lines", "\n \r\n", "t.csv: file is empty"},
		{"open quote", "a,b\n\"1,2\n3,4",
			`t.csv: line 2: quote is never closed; allowed: quotes around a whole field, doubled inside it ("")`},
		{"text after a quote", "\"a\"b,c",
			`t.csv: line 1: text "b" after a closing quote; allowed: quotes around a whole field, doubled inside it ("")`},
		{"no encoding", "a,b\r\n1,2\r\n\x81,3", "t.csv: line 3: text is not Windows-1252; " +
			"allowed: UTF-8, Windows-1252 or Latin-1, UTF-16 with a byte order mark"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := delimited.Read(strings.NewReader(test.text), "t.csv", delimited.Syntax{})
			if err == nil || err.Error() != test.want {
				t.Fatalf("error\n got %v\nwant %s", err, test.want)
			}
			if located := new(delimited.Error); !errors.As(err, &located) {
				t.Errorf("error is a %T, want %T", err, located)
			}
		})
	}
	t.Run("failing reader", func(t *testing.T) {
		_, err := delimited.Read(iotest.ErrReader(io.ErrClosedPipe), "t.csv", delimited.Syntax{})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v, want %v wrapped", err, io.ErrClosedPipe)
		}
	})
}

// One record is split at commas alone, whatever other separators it holds.
func TestFields(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
		err  string
	}{
		{"a", []string{"a"}, ""},
		{"a, b ,,\"c,\"\"d\"", []string{"a", "b", "", `c,"d`}, ""},
		{"a;x,b\ty", []string{"a;x", "b\ty"}, ""},
		{"a,b\n", []string{"a", "b"}, ""},
		{`a,"b,c`, nil,
			`--order: quote is never closed; allowed: quotes around a whole field, doubled inside it ("")`},
		{"a,b\nc", nil,
			"--order: text has more than one line; allowed: values separated by commas"},
	} {
		got, err := delimited.Fields(row.text, "--order")
		if row.err != "" {
			if err == nil || err.Error() != row.err {
				t.Errorf("%q: error %v, want %s", row.text, err, row.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, error %v, want %q", row.text, got, err, row.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		name      string
		separator string
		text      string
		want      float64
		err       string
	}{
		{"integer", ",", "414", 414, ""},
		{"point", ",", "-1.5", -1.5, ""},
		{"exponent", ",", " +2E-3 ", 2e-3, ""},
		{"largest", ",", "1.7976931348623157e308", math.MaxFloat64, ""},
		{"underflow rounds to zero", ",", "1e-400", 0, ""},
		{"decimal comma beside semicolons", ";", "1,25", 1.25, ""},
		{"decimal comma beside tabs", "\t", "-1,25e2", -125, ""},
		{"missing", ",", " ", 0,
			`t.csv: line 7, column "PKA": value is missing; allowed: finite numbers such as 1.5 or -2e-3`},
		{"word", ",", "NA", 0,
			`t.csv: line 7, column "PKA": "NA" is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"NaN", ",", "nan", 0,
			`t.csv: line 7, column "PKA": "nan" is not finite; allowed: finite numbers such as 1.5 or -2e-3`},
		{"infinity", ",", "-Inf", 0,
			`t.csv: line 7, column "PKA": "-Inf" is not finite; allowed: finite numbers such as 1.5 or -2e-3`},
		{"overflow", ",", "1e999", 0,
			`t.csv: line 7, column "PKA": "1e999" is too large; allowed: magnitudes up to 1.798e+308`},
		{"decimal comma beside commas", ",", "1,5", 0,
			`t.csv: line 7, column "PKA": "1,5" is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"thousands", ";", "1,234.5", 0,
			`t.csv: line 7, column "PKA": "1,234.5" is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"two commas", ";", "1,234,5", 0,
			`t.csv: line 7, column "PKA": "1,234,5" is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"trailing comma", "\t", "1,", 0,
			`t.csv: line 7, column "PKA": "1," is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"long text is shortened", ",", strings.Repeat("é", 100), 0,
			`t.csv: line 7, column "PKA": "` + strings.Repeat("é", 60) +
				`..." is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := must.Get(delimited.Read(strings.NewReader("a"+test.separator+"b"), "t.csv",
				delimited.Syntax{}))(t)
			got, err := f.Numbers().Parse(test.text, 7, "PKA")
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error\n got %v\nwant %s", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %v, error %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestNumbersKeepOneDecimalMark(t *testing.T) {
	f := must.Get(delimited.Read(strings.NewReader("a;b"), "t.csv", delimited.Syntax{}))(t)
	numbers := f.Numbers()
	for line, text := range []string{"1", "2,5", "3e4", "4,5"} {
		must.Get(numbers.Parse(text, line, "a"))(t)
	}
	const want = `t.csv: line 9, column "b": "1.5" has decimal mark '.', but line 1 has ','; allowed: one decimal mark throughout the file`
	if _, err := numbers.Parse("1.5", 9, "b"); err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
}

// Whatever the text, a field written with AppendText reads back unchanged, in any position.
func TestAppendTextRoundTrip(t *testing.T) {
	awkward := rapid.SampledFrom([]string{"", " ", "a", "1", "NaN", "1,5", ";", "\t", "\r", "\n",
		"\r\n", `"`, `""`, "\uFEFFx", "\u00a0x", "x\u2028", "-0", "0x1p4", "λ"})
	texts1 := rapid.OneOf(awkward, rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(texts1, 1, 5).Draw(t, "fields")
		line := delimited.AppendTexts(nil, want...)
		f, err := delimited.Read(strings.NewReader(string(line)), "t.csv", delimited.Syntax{})
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff([][]string{want}, texts(f)); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", line, diff)
		}
		fields, err := delimited.Fields(string(line), "option")
		if err != nil || !slices.Equal(fields, want) {
			t.Fatalf("%q: fields %q, error %v, want %q", line, fields, err, want)
		}
	})
}

func TestAppendNumberRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64().Draw(t, "number")
		f, err := delimited.Read(strings.NewReader(string(delimited.AppendNumber(nil, want))),
			"t.csv", delimited.Syntax{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Numbers().Parse(f.Records[0].Fields[0].Text, 1, "a")
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("got %v, error %v, want %v", got, err, want)
		}
	})
}

// FuzzRead: any bytes give records or an [*delimited.Error], and the records read back after
// writing.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a;b\r1,5;2", "\"x\"\"y\"\t1\r\n", "\"open",
		"\xff\xfe", "\uFEFF", "a\n\nb", "1,\t2", "\"a\"b"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := delimited.Read(strings.NewReader(string(data)), "t.csv", delimited.Syntax{})
		if err != nil {
			if located := new(delimited.Error); !errors.As(err, &located) {
				t.Fatalf("error is a %T: %v", err, err)
			}
			return
		}
		var written []byte
		for _, row := range texts(file) {
			written = append(delimited.AppendTexts(written, row...), '\n')
		}
		again, err := delimited.Read(strings.NewReader(string(written)), "written.csv",
			delimited.Syntax{})
		if err != nil {
			t.Fatalf("%q written as %q: %v", data, written, err)
		}
		if diff := cmp.Diff(texts(file), texts(again)); diff != "" {
			t.Fatalf("%q written as %q (-want +got):\n%s", data, written, diff)
		}
	})
}

// A line has a bounded number of fields, however they are separated.
func TestMaxFields(t *testing.T) {
	for _, c := range []struct {
		separator rune
		field     string
	}{{',', "1,"}, {' ', "1 "}, {';', `"1";`}, {' ', `"1" `}} {
		text := "a\n" + strings.Repeat(c.field, delimited.MaxFields+2)
		_, err := delimited.Read(strings.NewReader(text), "f",
			delimited.Syntax{Separator: c.separator})
		if want := "f: line 2: more than 131072 values"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", c.field, err, want)
		}
	}
}
