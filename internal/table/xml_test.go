package table

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tobac/internal/must"
)

// ours are the tokens that a markup reads, texts joined.
func ours(text string) (out []string, err error) {
	m := newMarkup(strings.NewReader(text))
	for {
		if err := m.next(); err != nil {
			return out, err
		}
		switch m.kind {
		case startTag:
			token := "<" + m.name
			for _, a := range m.attrs {
				token += fmt.Sprintf(" %s=%q", local(a.name), a.value)
			}
			out = append(out, token)
		case endTag:
			out = append(out, "/"+m.name)
		default:
			out = joined(out, string(m.text))
		}
	}
}

// theirs are those that package encoding/xml reads.
func theirs(text string) (out []string, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		t, err := d.Token()
		if err != nil {
			return out, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			token := "<" + t.Name.Local
			for _, a := range t.Attr {
				token += fmt.Sprintf(" %s=%q", a.Name.Local, a.Value)
			}
			out = append(out, token)
		case xml.EndElement:
			out = append(out, "/"+t.Name.Local)
		case xml.CharData:
			out = joined(out, string(t))
		}
	}
}

func joined(out []string, text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "T") {
		out[n-1] += text
		return out
	}
	return append(out, "T"+text)
}

func FuzzMarkup(f *testing.F) {
	for _, text := range []string{
		`<?xml version="1.0" encoding="UTF-8"?><a x="1" y:z='&lt;"'><b/>t&amp;&#x41;<![CDATA[<&]]>u<!-- > --></a>`, "<a>\r\n</a>\n", "\uFEFF<x:a b = '>'></x:a>", "<a><b></a></b>", "<a/><b/>", "<!DOCTYPE a><a/>", "<a>&b;</a>", "<a",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ours(text)
		if !errors.Is(err, io.EOF) {
			return
		}
		want, err := theirs(strings.TrimPrefix(text, "\uFEFF"))
		if !errors.Is(err, io.EOF) {
			return // names and characters of its texts are checked more closely
		}
		for len(want) > 0 && strings.HasPrefix(want[0], "T") {
			want = want[1:]
		}
		for len(want) > 0 && strings.HasPrefix(want[len(want)-1], "T") {
			want = want[:len(want)-1]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") && !strings.Contains(text, "\r") {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	})
}

// Names of cells count like numbers with the digits A to Z, and no zero: A to Z, AA to AZ, and so
// on, each the next one.
func TestCellName(t *testing.T) {
	number := func(name string) (n int) {
		for _, c := range name[:len(name)-1] {
			n = 26*n + int(c-'A') + 1
		}
		return n
	}
	for column := 1; column <= mostSheetColumns; column++ {
		if name := cellName(column, 7); number(name) != column || name[len(name)-1] != '7' {
			t.Fatalf("column %d, row 7: %s", column, name)
		}
	}
	if name := cellName(mostSheetColumns, 1048576); name != "XFD1048576" {
		t.Errorf("the last cell is %s, want XFD1048576", name)
	}
}

// Days and their parts, to the millisecond, are the time that has passed since the first of January
// 1900 or 1904.
func TestDateText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for range 200 {
		days, part := float64(61+rng.IntN(lastDay-1600)), float64(rng.IntN(86400e3))
		for late, origin := range map[bool]time.Time{false: time.Date(1899, 12, 30, 0, 0, 0, 0,
			time.UTC), true: time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)} {
			text := dateText(days+part/86400e3, late)
			at, err := time.Parse("2006-01-02 15:04:05.999", text)
			if passed := at.Sub(origin.AddDate(0, 0, int(days))); err != nil ||
				math.Abs(passed.Seconds()*1e3-part) > 1 {
				t.Errorf("day %v and %v ms: %s, %v", days, part, text, err)
			}
			if whole := dateText(days, late); whole != origin.AddDate(0, 0,
				int(days)).Format(time.DateOnly) {
				t.Errorf("day %v: %s", days, whole)
			}
		}
		hour, want := dateText(part/86400e3, false),
			new(time.Time).Add(time.Duration(part)*time.Millisecond).Format("15:04:05.999")
		if hour != want {
			t.Errorf("%v ms: %s, want %s", part, hour, want)
		}
	}
	for days, want := range map[float64]string{1: "1900-01-01", 59: "1900-02-28", 61: "1900-03-01",
		0.25: "06:00:00"} {
		if got := dateText(days, false); got != want {
			t.Errorf("day %v: %s, want %s", days, got, want)
		}
	}
}

// A file that grows while it is read is an error, not a table whose last row is cut, nor one
// without an end.
func TestGrowingFile(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "t.csv")))(t)
	defer f.Close()
	must.Get(f.WriteString("a,b\n1,2\n"))(t)
	for _, more := range []string{"", "7."} {
		c := newCounter(f)
		must.Get(f.WriteString(more))(t)
		must.Get(f.Seek(0, io.SeekStart))(t)
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{c}); (err != nil) != (more != "") ||
			!errors.Is(err, c.err) {
			t.Errorf("%q more: error %v", more, err)
		}
	}
}
