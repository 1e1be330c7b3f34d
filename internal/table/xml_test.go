package table

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
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
