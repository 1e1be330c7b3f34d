package table

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dates says which of two numbers is the day in dates such as 03/04/2020.
type Dates int

const (
	// DatesAuto finds out, if a number above 12 tells.
	DatesAuto Dates = iota
	// DayFirst reads 3 April.
	DayFirst
	// MonthFirst reads 4 March.
	MonthFirst
)

// String implements fmt.Stringer.
func (d Dates) String() string { return [...]string{"auto", "day-first", "month-first"}[d] }

// Forms of days, and of times of day, that are recognised. Those of slashedDays have the day
// first; the month may be.
var (
	plainDays = []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "2006-1",
		"2006-Jan", "Jan-2006", "Jan-06", "Jan 2006", "January 2006", "Jan 2, 2006",
		"January 2, 2006",
		"Jan 2 2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "Mon, 2 Jan 2006",
		"Mon Jan 2 2006"}
	slashedDays = []string{"2/1/2006", "2/1/06", "2-1-2006"}
	clocks      = []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM", "3:04PM"}
)

// A dateForm is a layout of package time; order is DatesAuto where it is clear which number is
// the day.
type dateForm struct {
	layout string
	order  Dates
	clock  bool // a time without a day
}

var dateForms = func() (all []dateForm) {
	add := func(day string, order Dates) {
		all = append(all, dateForm{layout: day, order: order})
		for _, clock := range clocks {
			all = append(all, dateForm{layout: day + " " + clock, order: order})
		}
	}
	for _, day := range plainDays {
		add(day, DatesAuto)
	}
	for _, more := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339,
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST"} {
		all = append(all, dateForm{layout: more})
	}
	for _, day := range slashedDays {
		add(day, DayFirst)
		month, _ := strings.CutPrefix(day, "2")
		add("1"+day[1:2]+"2"+month[2:], MonthFirst)
	}
	for _, clock := range clocks {
		all = append(all, dateForm{layout: clock, clock: true})
	}
	return all
}()

// quarters are those of years.
var quarters = regexp.MustCompile(`^(\d{4})[ -]?[Qq]([1-4])$`)

// A dateReader reads the dates of a column.
type dateReader struct {
	order                 Dates
	last                  int  // the form that fitted last: most columns keep to one
	days, clocks, ordered bool // what was met
}

// read reads a date.
func (r *dateReader) read(text string) (time.Time, bool) {
	if q := quarters.FindStringSubmatch(text); q != nil {
		year, _ := strconv.Atoi(q[1]) // of digits
		r.days = true
		return time.Date(year, time.Month(3*int(q[2][0]-'1')+1), 1, 0, 0, 0, 0, time.UTC), true
	}
	if text == "" || len(text) > 40 || !strings.ContainsAny(text, "0123456789") {
		return time.Time{}, false
	}
	for step := range dateForms {
		k := (r.last + step) % len(dateForms)
		form := dateForms[k]
		if form.order != DatesAuto && form.order != r.order {
			continue
		}
		if at, err := time.Parse(form.layout, text); err == nil {
			r.last = k
			r.days, r.clocks, r.ordered = r.days || !form.clock, r.clocks || form.clock,
				r.ordered || form.order != DatesAuto
			return at, true
		}
	}
	return time.Time{}, false
}

// A calendar is how the dates of a column become numbers: years, hours of the day, or days
// since one of them.
type calendar struct {
	order         Dates
	years, clocks bool
	from          time.Time
}

// newCalendar finds out how to read the texts of a column; ok says whether they are dates, and
// open that the order of day and month is not clear.
func newCalendar(texts []string, order Dates) (c *calendar, open, ok bool) {
	read := func(order Dates) (all []time.Time, r *dateReader) {
		r = &dateReader{order: order}
		for _, text := range texts {
			at, ok := r.read(text)
			if !ok || r.days && r.clocks {
				return nil, r
			}
			all = append(all, at)
		}
		return all, r
	}
	first := order
	if order == DatesAuto {
		first = DayFirst
	}
	dates, r := read(first)
	if order == DatesAuto && (dates == nil || r.ordered) {
		others, s := read(MonthFirst)
		switch {
		case dates == nil:
			first, dates, r = MonthFirst, others, s
		case others != nil && !slices.Equal(dates, others):
			return nil, true, true
		}
	}
	if dates == nil {
		return nil, false, false
	}
	if !r.ordered {
		first = order // and no other rows need another one
	}
	c = &calendar{order: first, clocks: r.clocks, years: !r.clocks,
		from: slices.MinFunc(dates, time.Time.Compare).Truncate(24 * time.Hour)}
	for _, at := range dates {
		c.years = c.years && at.Equal(time.Date(at.Year(), 1, 1, 0, 0, 0, 0, at.Location()))
	}
	return c, false, true
}

// reader returns the function that makes numbers of texts.
func (c *calendar) reader() func(text string) (float64, bool) {
	r := dateReader{order: c.order}
	return func(text string) (float64, bool) {
		r.days, r.clocks = false, false
		at, ok := r.read(text)
		switch {
		case !ok || r.clocks != c.clocks:
			return 0, false
		case c.years:
			return float64(at.Year()), true
		case c.clocks:
			return at.Sub(at.Truncate(24 * time.Hour)).Hours(), true
		}
		return at.Sub(c.from).Hours() / 24, true
	}
}

// String says how the dates are read.
func (c *calendar) String() string {
	switch {
	case c.years:
		return "years"
	case c.clocks:
		return "hours of the day"
	}
	return "days since " + c.from.Format(time.DateOnly)
}
