package study_test

import (
	"testing"

	"tobac/internal/study"
)

// quickBudget is what all cells of a quick study may take together, in seconds of one core: ten
// minutes of two cores, less what a busy machine and the last cell cost.
const quickBudget = 14 * 60

// A quick study fits into ten minutes on two cores by the stated seconds of its cells, has every
// method on every section, and every section of the full one.
func TestQuickStudyIsAffordable(t *testing.T) {
	quick, full := all(t, study.Options{Quick: true}), all(t, study.Options{})
	sum, most := 0.0, 0.0
	for _, c := range study.Cells(quick) {
		seconds := c.CoreSeconds()
		if !(seconds > 0) {
			t.Errorf("%s: %v seconds", c.Name(), seconds)
		}
		sum, most = sum+seconds, max(most, seconds)
	}
	t.Logf("%d cells of %.0f seconds, the longest of %.0f", len(study.Cells(quick)), sum, most)
	if sum > quickBudget || most > quickBudget/10 {
		t.Errorf("cells take %.0f seconds, the longest %.0f; want at most %d, and a tenth of it",
			sum, most, quickBudget)
	}
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
