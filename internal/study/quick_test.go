package study_test

import (
	"testing"

	"tobac/internal/study"
)

// A quick study has every method on every section, and every section of the full one.
func TestQuickStudyHasAllMethods(t *testing.T) {
	quick, full := all(t, study.Options{Quick: true}), all(t, study.Options{})
	for i, s := range full {
		for k, section := range s.Sections {
			got := quick[i].Sections[k]
			if got.Name != section.Name || len(got.Data) != study.QuickRuns ||
				len(got.Rows) != len(section.Rows) {
				t.Errorf("%s: quick has %d data sets and %d rows of %s", section.Name,
					len(got.Data), len(got.Rows), got.Name)
				continue
			}
			for r, row := range section.Rows {
				if q := got.Rows[r]; q.Name != row.Name || q.Kind != row.Kind ||
					q.Order != row.Order || q.Skipped != row.Skipped {
					t.Errorf("%s: quick has %s in the place of %s", section.Name, q.Name, row.Name)
				}
				if _, err := got.Rows[r].Config(); err != nil {
					t.Errorf("%s, %s: %v", section.Name, row.Name, err)
				}
			}
		}
	}
}
