package table

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

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
