package table

import (
	"errors"
	"io"

	"tobac/internal/delimited"
	"tobac/internal/words"
)

// separatorNames are those of the separators in messages.
var separatorNames = map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars",
	' ': "blanks"}

// readText reads a table in the form of a text.
func readText(r io.Reader, name string, layout Layout) (*Table, error) {
	s, err := delimited.NewStream(r, name,
		delimited.Syntax{Separator: layout.Delimiter, Comment: layout.Comment, Skip: layout.Skip})
	if err != nil {
		return nil, textError(err)
	}
	t := &Table{Source: name, Format: "text separated by " + separatorNames[s.Separator()],
		unit: "line", takes: textLayout}
	var mark delimited.DecimalMark
	l := &loader{t: t, layout: layout,
		number: func(text []byte) (float64, bool) { return mark.Number(text, s.Separator()) },
		like: func(text []byte) (float64, bool) {
			var any delimited.DecimalMark
			return any.Number(text, s.Separator())
		},
	}
	l.survey = func(head []record) { mark = t.decimalMark(head, s.Separator()) }
	if err := l.load(s); err != nil {
		return nil, textError(err)
	}
	if e := s.Encoding(); e != delimited.UTF8 {
		t.Format += ", in " + e.String()
	}
	if s.Encoding() == delimited.Windows1252 {
		t.note("the text is not UTF-8, and is read as Windows-1252, which includes Latin-1; if " +
			"names or words look wrong, save it as UTF-8")
	}
	t.mark, t.commas = rune(mark), s.Separator() == ','
	if mark == ',' {
		t.Format += ", with decimal commas"
	}
	empty, comments := s.LeftOut()
	if empty > 0 {
		t.note("%s between rows left out", words.Counted(empty, "empty line"))
	}
	if comments > 0 {
		t.note("%s left out", words.Counted(comments, "comment"))
	}
	return t, nil
}

// decimalMark is the decimal mark of a text if the first records tell, 0 if not. Beside other
// separators than commas 1,234 may be a little more than one, or than a thousand; a number with
// another count of digits behind its mark tells.
func (t *Table) decimalMark(head []record, separator rune) delimited.DecimalMark {
	if separator == ',' {
		return 0
	}
	points, commas := false, false
	open := ""
	for _, r := range head {
		for _, c := range r.cells {
			s, ok := takeApart(string(c.Text))
			if !ok {
				continue
			}
			points, commas = points || s.mark == '.', commas || s.mark == ','
			if s.either == ',' && open == "" {
				open = string(c.Text)
			}
		}
	}
	switch {
	case points && !commas:
		return '.'
	case commas && !points:
		return ','
	case open != "" && !points:
		t.note("commas are decimal marks, as in %s, although no number tells them from "+
			"separators of thousands", open)
	}
	return 0
}

// textError is the error of what is decompressed, or that of the text.
func textError(err error) error {
	if refused := new(FormatError); errors.As(err, &refused) {
		return refused
	}
	return err
}
