package table

import (
	"fmt"
	"slices"
	"strings"
)

// Options of a [Layout] that the readers of the formats take, by the names of their flags. Names are taken for every format.
var (
	textLayout     = []string{"delimiter", "comment", "skip", "header", "names"}
	workbookLayout = []string{"sheet", "comment", "skip", "header", "names"}
	parquetLayout  = []string{"names"}
	arrayLayout    = []string{"skip", "names"}
	archiveLayout  = []string{"sheet", "skip", "names"}
)

// CheckLayout returns an [*OptionError] for the first option of a layout that is not zero and that the format of the file does not take, so that it was not read.
func (t *Table) CheckLayout(l Layout) error {
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"delimiter", l.Delimiter != 0},
		{"comment", l.Comment != ""},
		{"skip", l.Skip != 0},
		{"header", l.Header != HeaderAuto},
		{"names", l.Names != nil},
		{"sheet", l.Sheet != ""},
	} {
		if o.given && !slices.Contains(t.takes, o.name) {
			return &OptionError{o.name, fmt.Sprintf("means nothing here: %s is a %s, which takes data.%s", t.Source, t.Format, strings.Join(t.takes, ", data."))}
		}
	}
	return nil
}
