package table

import (
	"errors"
	"io"

	"tobac/delimited"
)

// separatorNames are those of the separators in messages.
var separatorNames = map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars", ' ': "blanks"}

// readText reads a table in the form of a text.
func readText(r io.Reader, name string, layout Layout) (*Table, error) {
	s, err := delimited.NewStream(r, name, delimited.Syntax{Separator: layout.Delimiter, Comment: layout.Comment, Skip: layout.Skip})
	if err != nil {
		return nil, textError(err)
	}
	t := &Table{Source: name, Format: "text separated by " + separatorNames[s.Separator()], unit: "line", takes: textLayout}
	var mark delimited.DecimalMark
	l := &loader{t: t, layout: layout,
		number: func(text []byte) (float64, bool) { return mark.Number(text, s.Separator()) },
		like: func(text []byte) (float64, bool) {
			var any delimited.DecimalMark
			return any.Number(text, s.Separator())
		},
	}
	if err := l.load(s); err != nil {
		return nil, textError(err)
	}
	if e := s.Encoding(); e != delimited.UTF8 {
		t.Format += ", in " + e.String()
	}
	if s.Encoding() == delimited.Windows1252 {
		t.note("the text is not UTF-8, and is read as Windows-1252, which includes Latin-1; if names or words look wrong, save it as UTF-8")
	}
	if mark == ',' {
		t.Format += ", with decimal commas"
	}
	empty, comments := s.LeftOut()
	if empty > 0 {
		t.note("%s between rows left out", plural(empty, "empty line"))
	}
	if comments > 0 {
		t.note("%s left out", plural(comments, "comment"))
	}
	return t, nil
}

// textError is the error of what is decompressed, or that of the text.
func textError(err error) error {
	if refused := new(FormatError); errors.As(err, &refused) {
		return refused
	}
	return err
}
