package study

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"tobac/internal/stream"
)

// A Row is a method of a section, or the reason why it is not run there.
type Row struct {
	Method
	Skipped string // why it is not run; "" means it is
}

// A Section is what one table of a study is about: methods on data sets of one kind.
type Section struct {
	Name  string // short, for files
	Title string
	// in pictures, the part of the title in which the study's sections differ; "" means the title
	Panel string
	Data  []Data // one for each run
	Rows  []Row
	Seeds int             // inference seeds for each data set; 0 means 1
	skip  map[string]bool // cells that were not asked for

	published []published // on the same data
}

// published are the outcomes of a method that others have published, one for each data set; nil
// where there is none.
type published struct {
	Method
	outcomes []*Outcome
	seconds  []float64
}

// A Study is one of the paper's experiments.
type Study struct {
	Name, Title string
	About       string // what is compared, in a few sentences
	Sections    []Section
	seed        uint64
}

// Cells of a section, data set by data set.
func (s Study) cells(section Section) (all []Cell) {
	for run, data := range section.Data {
		for _, row := range section.Rows {
			if row.Skipped != "" {
				continue
			}
			for k := range max(1, section.Seeds) {
				c := Cell{Data: data, Method: row.Method,
					Seed: stream.Seed(s.seed, stream.StudyRun, run+k*seedStride)}
				if !section.skip[c.Name()] {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// seedStride lies between the numbers of the inference seeds of one data set.
const seedStride = 1_000_000

// Cells are those of all studies, each once. Large tables come first, so that no worker is left
// with one at the end, and equal methods stand next to each other, so that shards are alike.
func Cells(studies []Study) (all []Cell) {
	seen := map[string]bool{}
	for _, s := range studies {
		for _, section := range s.Sections {
			for _, c := range s.cells(section) {
				if id := c.Job().ID(); !seen[id] {
					seen[id] = true
					all = append(all, c)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(b.Data.vars(), a.Data.vars()),
			cmp.Compare(a.Method.Name, b.Method.Name))
	})
	return all
}

// Only keeps the methods, sections, data sets and cells that one of the patterns of [path.Match]
// names; a cell is called by its data set and its method, with a slash between them. No pattern
// keeps all. A pattern that names nothing is an error, which lists what there is.
func Only(studies []Study, patterns []string) ([]Study, error) {
	if len(patterns) == 0 {
		return studies, nil
	}
	used := make([]bool, len(patterns))
	named := func(names ...string) (found bool) {
		for k, p := range patterns {
			for _, name := range names {
				if ok, err := path.Match(p, name); ok && err == nil {
					used[k], found = true, true
				}
			}
		}
		return found
	}
	var kept []Study
	for _, s := range studies {
		var sections []Section
		for _, section := range s.Sections {
			section.skip = map[string]bool{}
			cells := s.cells(section)
			for _, c := range cells {
				if !named(section.Name, c.Data.Name, c.Method.Name, c.Name()) {
					section.skip[c.Name()] = true
				}
			}
			left := s.cells(section)
			section.Rows = slices.DeleteFunc(slices.Clone(section.Rows), func(r Row) bool {
				if r.Skipped != "" {
					return !named(section.Name, r.Name)
				}
				return !slices.ContainsFunc(left, func(c Cell) bool {
					return c.Method.Name == r.Name
				})
			})
			if len(section.Rows) > 0 {
				sections = append(sections, section)
			}
		}
		if s.Sections = sections; len(sections) > 0 {
			kept = append(kept, s)
		}
	}
	if k := slices.Index(used, false); k >= 0 {
		return nil, fmt.Errorf("study: no method, section, data set or cell is called %q; "+
			"allowed: the methods %s; the sections %s; cells such as %s",
			patterns[k], strings.Join(methodNames(studies), ", "),
			strings.Join(sectionNames(studies), ", "), Cells(studies)[0].Name())
	}
	return kept, nil
}

func methodNames(studies []Study) (names []string) {
	for _, s := range studies {
		for _, section := range s.Sections {
			for _, row := range section.Rows {
				if !slices.Contains(names, row.Name) {
					names = append(names, row.Name)
				}
			}
		}
	}
	return names
}

func sectionNames(studies []Study) (names []string) {
	for _, s := range studies {
		for _, section := range s.Sections {
			names = append(names, section.Name)
		}
	}
	return names
}
