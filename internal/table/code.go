package table

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/internal/words"
)

// How many levels a category may have: for an order of them to be proposed, and to be taken without
// being asked for; and how many rows each of more than manyLevels must have on average for that.
const (
	manyLevels   = 10
	mostLevels   = 50
	rowsPerLevel = 4
)

// code decides what becomes of a wanted column.
func (p *preparation) code(j int) {
	q, c := p.out.Profiles[j], p.t.Columns[j]
	name, _ := p.dropping(j)
	shellName := shellQuote(name)
	leave := func(text, solve string, remedy func(*Options)) {
		p.problem(Problem{Column: c.Position, Text: c.Label() + text, Solve: solve,
			remedy: remedy})
	}
	switch q.Kind {
	case Empty:
		if c.Name == "" && !p.named[j] {
			return // what stands after a last separator
		}
		p.note("%s has no value, and is left out", c.Label())
	case Index, Identifier, Text:
		p.unusable(j, leave)
	case Date:
		p.date(j, leave)
	case Mixed:
		p.mixed(j, leave)
	case Constant:
		value := q.Levels[0].Name
		if p.o.Dependent == DependentDrop {
			p.note("%s is constant (%s), and is left out", c.Label(), short(value))
			return
		}
		text := " is constant: every value is " + short(value)
		if q.Gaps > 0 {
			text += fmt.Sprintf(", apart from %d that are missing", q.Gaps)
		}
		leave(text, "--set data.dependent=drop or --drop "+shellName+" leaves it out",
			func(o *Options) { o.Dependent = DependentDrop })
	case Ordinal:
		if len(q.odd) > 0 {
			leave(" has levels that data.ordinal does not order ("+describe(q.odd)+")",
				"--set data.ordinal="+shellQuote(name+"="+joinLevels(q.Levels)+"<...")+
					" has to name all of them", nil)
			return
		}
		p.add(q, q.Name, -1)
		p.coded(c, "coded "+codes(q.Levels))
	case Category:
		p.category(j, leave)
	default:
		if q.Kind == Boolean && q.levelOf != nil {
			p.coded(c, "coded "+codes(q.Levels))
		}
		if q.spelling != nil {
			p.coded(c, "read as "+q.spelling.String()+" ("+p.example(q)+")")
		}
		if q.limited {
			p.noteLimits(q, c)
		}
		p.add(q, q.Name, -1)
	}
}

// coded remembers how a column became numbers, for one note about all columns with the same.
func (p *preparation) coded(c *Column, how string) {
	for k, before := range p.codings {
		if before.how == how {
			p.codings[k].columns = append(before.columns, c.Label())
			return
		}
	}
	p.codings = append(p.codings, coding{how, []string{c.Label()}})
}

func (p *preparation) noteCodings() {
	for _, c := range p.codings {
		if len(c.columns) == 1 {
			p.note("%s is %s", c.columns[0], c.how)
		} else {
			p.note("%s and %s are %s", words.Some(c.columns[:len(c.columns)-1], mostNames),
				c.columns[len(c.columns)-1], c.how)
		}
	}
}

// add appends a column to the prepared table; indicator −1: it is none.
func (p *preparation) add(q *Profile, name string, indicator int) {
	if q.Name == "" {
		name = fmt.Sprintf("column%d%s", q.Position, name)
		if n := len(p.out.Columns); n == 0 || p.out.Columns[n-1].profile != q {
			p.note("column %d has no name: it is called column%d", q.Position, q.Position)
		}
	}
	c := Coded{Name: name, Source: q.Name, Position: q.Position, profile: q, indicator: indicator}
	if indicator >= 0 {
		c.Level = q.Levels[indicator].Name
	}
	p.out.Columns = append(p.out.Columns, c)
}

// unusable leaves out columns that say which row it is, unless they are wanted by name.
func (p *preparation) unusable(j int, leave func(text, solve string, remedy func(*Options))) {
	q, c := p.out.Profiles[j], p.t.Columns[j]
	name, drop := p.dropping(j)
	switch {
	case q.Kind == Text && !p.named[j]:
		p.note("%s has text that is almost all distinct (%s), and is left out", c.Label(),
			p.example(q))
	case q.Kind == Text:
		leave(fmt.Sprintf(" has text that is almost all distinct (%s)", p.example(q)),
			"--drop "+shellQuote(name)+" leaves it out", drop)
	case p.named[j]:
		p.add(q, q.Name, -1)
	case q.Kind == Index:
		keep := c.Name
		if keep == "" {
			keep = "1"
		}
		p.note("%s numbers the rows, and is left out; --set data.keep=%s takes it as a measurement",
			c.Label(), shellQuote(keep))
	case !q.rising && q.grouped:
		p.warn("%s identifies groups of rows, and is left out: rows of one group may depend on "+
			"each other; --set data.keep=%s takes it as a measurement", c.Label(), shellQuote(name))
	default:
		p.note("%s looks like an identifier, with whole numbers that never repeat, and is left "+
			"out; --set data.keep=%s takes it as a measurement", c.Label(), shellQuote(name))
	}
}

// date leaves dates out, unless they are wanted by name.
func (p *preparation) date(j int, leave func(text, solve string, remedy func(*Options))) {
	q, c := p.out.Profiles[j], p.t.Columns[j]
	name, drop := p.dropping(j)
	name = shellQuote(name)
	switch {
	case p.named[j] && q.openDate:
		leave(" has dates whose day and month cannot be told apart ("+p.example(q)+")",
			"--set data.dates=day-first or --set data.dates=month-first says what comes first, "+
				"--drop "+name+" leaves it out", drop)
	case p.named[j]:
		p.add(q, q.Name, -1)
		p.coded(c, "taken as "+q.calendar.String())
	case q.openDate:
		p.warn("%s has dates (%s), and is left out; --set data.keep=%s takes them as numbers, "+
			"with --set data.dates=day-first or --set data.dates=month-first", c.Label(),
			p.example(q), name)
	default:
		p.warn("%s has dates (%s), and is left out; --set data.keep=%s takes them as %v", c.Label(),
			p.example(q), name, q.calendar)
	}
}

// mixed refuses a column of numbers and other texts.
func (p *preparation) mixed(j int, leave func(text, solve string, remedy func(*Options))) {
	q, c := p.out.Profiles[j], p.t.Columns[j]
	name, drop := p.dropping(j)
	count := 0
	for _, level := range q.odd {
		count += level.Count
	}
	const few = 3
	var parts, flags []string
	long := false
	for _, level := range q.odd[:min(few, len(q.odd))] {
		long = long || len(level.Name) > longestValue
		text := c.texts[c.codeOf[level.Name]-1]
		parts = append(parts,
			fmt.Sprintf("%q on %s %d%s", short(level.Name), p.t.unit, text.first, why(level.Name)))
		flags = append(flags, "--set data.missing-code="+shellQuote(level.Name))
	}
	if more := len(q.odd) - few; more > 0 {
		parts = append(parts, fmt.Sprintf("%d other texts", more))
	}
	what := "values are not finite numbers"
	if count == 1 {
		what = "values is not a finite number"
	}
	text := fmt.Sprintf(": %d of %d %s: %s", count, q.Rows-q.Gaps, what, strings.Join(parts, ", "))
	solve, remedy := "--drop "+shellQuote(name)+" leaves the column out", drop
	if allLimits(q.odd) {
		leave(fmt.Sprintf(": %d of %d values are limits: %s", count, q.Rows-q.Gaps,
			strings.Join(parts, ", ")),
			"--set data.censored=impute draws the values between them given the other columns, "+
				"data.censored=limit takes them for the values, "+
				solve, func(o *Options) { o.Censored = CensoredImpute })
		return
	}
	if len(q.odd) <= few && !long {
		odd := slices.Clone(q.odd)
		solve = strings.Join(flags, " ") + " counts as missing, " + solve
		if 10*count <= q.Rows {
			remedy = func(o *Options) {
				for _, level := range odd {
					o.MissingCodes = append(o.MissingCodes, level.Name)
				}
			}
		}
	}
	leave(text, solve, remedy)
}

// allLimits reports whether all texts of a list say limits.
func allLimits(odd []Level) bool {
	for _, level := range odd {
		if _, ok := limit(level.Name); !ok {
			return false
		}
	}
	return true
}

// manyCensored is the part of the values from which on limits in their place are a warning.
const manyCensored = 0.1

// noteLimits says how many limits there are in the place of values, and what becomes of them.
func (p *preparation) noteLimits(q *Profile, c *Column) {
	var all []Level
	count := 0
	each(p.rows, c.rows, func(_, row int) {
		text, code := "", c.code(row)
		switch i, ok := q.limits(row); {
		case code > 0 && !q.gapText[code-1]:
			text = c.texts[code-1].text
		case !ok:
			return
		case math.IsInf(i.high, 1):
			text = "≥" + spelled(i.low)
		default:
			text = "≤" + spelled(i.high)
		}
		count++
		for k := range all {
			if all[k].Name == text {
				all[k].Count++
				return
			}
		}
		all = append(all, Level{text, 1})
	})
	what := fmt.Sprintf("%s: %d of %d values are limits (%s)", c.Label(), count, q.Rows-q.Gaps,
		describe(all))
	if q.Limited() {
		p.note("%s, between which values are drawn given the other columns", what)
		return
	}
	what += ", which stand for the values"
	if float64(count) > manyCensored*float64(q.Rows-q.Gaps) {
		p.warn("%s: relations with it may seem weaker, or bent", what)
		return
	}
	p.note("%s", what)
}

// category makes a category a variable, or what the options say.
func (p *preparation) category(j int, leave func(text, solve string, remedy func(*Options))) {
	q, c := p.out.Profiles[j], p.t.Columns[j]
	name, drop := p.dropping(j)
	what := fmt.Sprintf("is a category of %d levels (%s)", len(q.Levels), describe(q.Levels))
	switch {
	case p.kinds[j] == dataset.Ordered:
		order := proposal(q.Levels)
		if order == "" || strings.HasSuffix(order, "<...") {
			leave(" "+what+" whose order is not known", "--set data.ordinal="+
				shellQuote(name+"="+joinLevels(q.Levels[:2])+"<...")+" says it", drop)
			return
		}
		q.Kind = Ordinal
		q.arrange(strings.Split(order, "<"))
		p.add(q, q.Name, -1)
		p.coded(c, "ordered "+order)
	case len(q.Levels) == 2:
		p.add(q, q.Name, -1)
		p.coded(c, "coded "+codes(q.Levels))
	case p.o.Categories == CategoriesDrop:
		p.note("%s %s, and is left out", c.Label(), what)
	case p.o.Categories == CategoriesNodes && p.kinds[j] != dataset.Categorical &&
		(len(q.Levels) > mostLevels || len(q.Levels) > manyLevels &&
			q.Rows-q.Gaps < rowsPerLevel*len(q.Levels)):
		p.warn("%s %s, of few rows each, and is left out; --kind %s takes it", c.Label(), what,
			shellQuote(name+"=categorical"))
	case p.o.Categories == CategoriesNodes:
		p.add(q, q.Name, -1)
		p.coded(c, "a category: one variable with all its levels")
	case p.o.Categories == CategoriesIndicators:
		base := 0
		for k, level := range q.Levels {
			if level.Count > q.Levels[base].Count {
				base = k
			}
		}
		for k, level := range q.Levels {
			if k != base {
				p.add(q, q.Name+"="+level.Name, k)
			}
		}
		p.note("%s %s: a column of 0 and 1 for each but %s, without edges between them", c.Label(),
			what, short(q.Levels[base].Name))
	}
}

// codes says which number stands for which level.
func codes(levels []Level) string {
	const most = 6
	var parts []string
	for k, level := range levels[:min(most, len(levels))] {
		parts = append(parts, fmt.Sprintf("%s = %d", short(level.Name), k))
	}
	if len(levels) > most {
		parts = append(parts,
			fmt.Sprintf("and so on to %s = %d", short(levels[len(levels)-1].Name), len(levels)-1))
	}
	return strings.Join(parts, ", ")
}

func joinLevels(levels []Level) string {
	var names []string
	for _, level := range levels {
		names = append(names, level.Name)
	}
	return strings.Join(names, "<")
}

// example is the first text of a column.
func (p *preparation) example(q *Profile) string {
	for k, t := range q.column.texts {
		if !q.gapText[k] {
			return "such as " + short(t.text)
		}
	}
	return ""
}

// ranks are words of scales, from low to high.
var ranks = []string{"none", "no", "never", "lowest", "very low", "very poor", "very bad", "tiny",
	"low", "poor", "bad", "small", "rarely", "fair", "sometimes", "medium", "middle", "mid",
	"moderate", "avg", "average",

	"normal", "neutral", "ok", "often", "good", "large", "big", "high", "very good", "very high",
	"premium", "excellent", "ideal", "always", "highest"}

// proposal is how an order of levels might be written: by words of scales if all of them are, by
// their numbers if all have some, else by name, and then no more than three. It is "" if there is
// none, or the levels cannot be written as an option.
func proposal(levels []Level) string {
	sorted := slices.Clone(levels)
	rank := func(l Level) int { return slices.Index(ranks, strings.ToLower(l.Name)) }
	switch {
	case slices.ContainsFunc(sorted, func(l Level) bool { return strings.Contains(l.Name, "<") }):
		return ""
	case !slices.ContainsFunc(sorted, func(l Level) bool { return rank(l) < 0 }):
		slices.SortStableFunc(sorted, func(a, b Level) int { return rank(a) - rank(b) })
	case len(sorted) <= mostLevels && !slices.ContainsFunc(sorted, func(l Level) bool {
		return !digits.MatchString(l.Name)
	}):
		slices.SortStableFunc(sorted, func(a, b Level) int {
			v, _ := strconv.ParseFloat(digits.FindString(a.Name), 64) // of digits, however many
			w, _ := strconv.ParseFloat(digits.FindString(b.Name), 64)
			return cmp.Compare(v, w)
		})
	case len(sorted) > manyLevels:
		return ""
	case len(sorted) > 3:
		return joinLevels(sorted[:2]) + "<..."
	}
	return joinLevels(sorted)
}

// digits are the first number of a level.
var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
