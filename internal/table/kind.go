package table

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/words"
)

// Kind is what the values of a column are.
type Kind int

const (
	// Number is a column of numbers.
	Number Kind = iota
	// Boolean has two values such as true and false, yes and no, or 0 and 1.
	Boolean
	// Category has a few levels, words most often.
	Category
	// Ordinal has levels with an order, which an option gives.
	Ordinal
	// Text has words that hardly repeat: names, addresses, remarks.
	Text
	// Date has days or times.
	Date
	// Index numbers or names the rows, at the front of the file.
	Index
	// Identifier numbers what the rows are about.
	Identifier
	// Constant has one value.
	Constant
	// Empty has no value.
	Empty
	// Mixed has numbers and other texts.
	Mixed
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	return [...]string{"number", "boolean", "category", "ordinal", "text", "date", "index",
		"identifier", "constant", "empty", "mixed"}[k]
}

// A Level is one value of a category, with the rows that have it.
type Level struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A Profile describes the values of a column in the rows that were asked for.
type Profile struct {
	Name     string
	Position int // in the file, counted from 1
	Kind     Kind
	Rows     int
	Gaps     int
	// Spellings are the texts that count as missing values, with how many there are; the empty cell
	// is "".
	Spellings []Level
	// Levels are those of categories, ordinals, and booleans that are not numbers: sorted by name,
	// ordinals by their order, false before true.
	Levels []Level
	// Range and moments of the numbers, coded booleans and ordinals included; SD has the divisor n.
	Min, Max, Mean, SD float64
	Skewness, Kurtosis float64 // the latter above that of a normal distribution; NaN without spread
	// Distinct is the number of different values, at most 1001, which stands for more.
	Distinct int
	// Whole reports that all numbers are whole.
	Whole bool

	column  *Column
	gapText []bool // by code − 1
	// by code − 1: the numbers that texts spell, NaN where they do not; nil if none does
	values   []float64
	spelling *spelling      // how they do
	calendar *calendar      // they are dates
	limited  bool           // some are limits of values
	detect   *detection     // which are kept as such; nil means they stand for the values
	openDate bool           // they are dates, of which the order of day and month is not clear
	gapValue []float64      // numbers that count as missing
	levelOf  map[string]int // of a text or a spelled number
	rising   bool           // every number is greater than the one before
	grouped  bool           // none is less
	counting int            // 1: the numbers are 1…n; 0: 0…n−1; −1: neither
	odd      []Level        // texts of a mixed column
	repeated []extreme      // numbers that may stand for missing values
	measure  dataset.Kind   // of the numbers of an analysis
}

// manyDistinct is where different values are no longer counted.
const manyDistinct = 1001

// numbersAndTexts counts the values of a column.
type numbersAndTexts struct {
	numbers, gaps int
	distinct      map[float64]int // complete if there are fewer than manyDistinct
	texts         []int           // by code − 1
	codes         map[float64]int // numbers that people write for missing values
	low, high     float64         // of the others
}

func (p *Profile) count(rows []int) numbersAndTexts {
	n := numbersAndTexts{distinct: map[float64]int{}, texts: make([]int, len(p.column.texts)),
		codes: map[float64]int{}, low: math.Inf(1), high: math.Inf(-1)}
	p.rising, p.grouped, p.Whole, p.counting = true, true, true, -2
	p.Min, p.Max = math.Inf(1), math.Inf(-1)
	before := math.Inf(-1)
	sum := 0.0
	each(rows, p.column.rows, func(at, row int) {
		v := p.number(row)
		if v != v || slices.Contains(p.gapValue, v) {
			if code := p.column.code(row); code > 0 && v != v {
				n.texts[code-1]++
			} else {
				n.gaps++
			}
			return
		}
		if len(n.distinct) < manyDistinct {
			n.distinct[v]++
		}
		if forMissing(v) {
			n.codes[v]++
		} else {
			n.low, n.high = min(n.low, v), max(n.high, v)
		}
		p.rising, p.grouped = p.rising && v > before, p.grouped && v >= before
		before = v
		switch place := v - float64(at); {
		case p.counting == -2 && (place == 0 || place == 1):
			p.counting = int(place)
		case float64(p.counting) != place:
			p.counting = -1
		}
		p.Whole = p.Whole && v == math.Trunc(v)
		p.Min, p.Max = min(p.Min, v), max(p.Max, v)
		sum += v
		n.numbers++
	})
	p.Mean = sum / float64(n.numbers)
	return n
}

// each calls f for every selected row, with its place among them; nil rows are all.
func each(rows []int, all int, f func(at, row int)) {
	if rows == nil {
		for row := range all {
			f(row, row)
		}
		return
	}
	for at, row := range rows {
		f(at, row)
	}
}

// number is that in a row, as a number or spelled by a text; NaN if there is none.
func (p *Profile) number(row int) float64 {
	v := p.column.number(row)
	if v != v && p.values != nil {
		if code := p.column.code(row); code > 0 {
			return p.values[code-1]
		}
	}
	return v
}

// profile describes a column in the given rows. categorical says that numbers are codes of a
// category; order, if not nil, the levels of an ordinal.
func profile(t *Table, c *Column, rows []int, o *Options, categorical bool, order []string,
	detect *detection) *Profile {
	p := &Profile{Name: c.Name, Position: c.Position, Rows: c.rows, column: c,
		gapText: make([]bool, len(c.texts)), detect: detect}
	if o.Censored == CensoredImpute && detect == nil {
		p.detect = &detection{math.Inf(-1), math.Inf(1)}
	}
	if rows != nil {
		p.Rows = len(rows)
	}
	for _, code := range o.MissingCodes {
		if v, ok := plainNumber(code); ok {
			p.gapValue = append(p.gapValue, v)
		}
	}
	n := p.count(rows)
	var words []string // that are values
	for k, t := range c.texts {
		if p.gapText[k] = gapAlways(t.text) || slices.Contains(o.MissingCodes,
			t.text); !p.gapText[k] && !gapAmongNumbers(t.text) && n.texts[k] > 0 {
			words = append(words, t.text)
		}
	}
	plain := !categorical && order == nil
	if plain && len(words) > 0 && (p.spell(t, words, n.numbers, o.Dates) ||
		(o.Censored != CensoredError || detect != nil) && n.numbers > 0 && p.readLimits(words)) {
		n = p.count(rows)
	}
	if len(words) == 0 && n.numbers > 0 && plain || p.values != nil || p.openDate ||
		len(words) == 2 && isBoolean(words[0], words[1]) {
		for k, t := range c.texts {
			p.gapText[k] = p.gapText[k] || gapAmongNumbers(t.text)
		}
	}
	if plain && detect != nil && (p.Min <= detect.from || p.Max >= detect.to) {
		p.limited = true
	}
	p.Gaps = n.gaps
	if n.gaps > 0 {
		p.countGaps(rows, n.gaps)
	}
	texts, different := 0, len(n.distinct)
	for k, t := range c.texts {
		switch {
		case n.texts[k] == 0:
		case p.gapText[k]:
			p.Gaps += n.texts[k]
			p.Spellings = append(p.Spellings, Level{t.text, n.texts[k]})
		default:
			texts += n.texts[k]
			different++
		}
	}
	p.Distinct = min(different, manyDistinct)
	p.classify(n, texts, different, categorical, order)
	return p
}

// spell finds out whether all words of a column spell numbers, or are dates, and if so reads them.
// numbers is how many cells are numbers, all of them below p.Max.
func (p *Profile) spell(t *Table, words []string, numbers int, order Dates) bool {
	if s, ok := newSpelling(words, t.mark, t.commas); ok &&
		(numbers == 0 || s.unit == 0 && (s.group == 0 || p.Max < 1000 && p.Min > -1000)) {
		p.spelling = &s
	} else if numbers > 0 {
		return false
	} else if p.calendar, p.openDate, ok = newCalendar(words, order); !ok || p.openDate {
		return false
	}
	read := p.reader()
	for _, word := range words {
		if _, ok := read(word); !ok { // beyond the range of numbers
			p.spelling, p.calendar = nil, nil
			return false
		}
	}
	p.read()
	return true
}

// readLimits reads the limits in a column of numbers, if all its words are such.
func (p *Profile) readLimits(words []string) bool {
	for _, word := range words {
		if _, ok := limit(word); !ok {
			return false
		}
	}
	p.limited = true
	p.read()
	return true
}

// Limited reports whether limits of some values of the column are kept.
func (p *Profile) Limited() bool { return p.limited && p.detect != nil }

// limits are those of the value in a row of the file.
func (p *Profile) limits(row int) (i interval, ok bool) {
	if !p.Limited() || p.missing(row) {
		return i, false
	}
	if v := p.column.number(row); v == v {
		switch {
		case v <= p.detect.from:
			i, ok = interval{math.Inf(-1), v}, true
		case v >= p.detect.to:
			i, ok = interval{v, math.Inf(1)}, true
		}
	} else {
		i, ok = limits(p.column.texts[p.column.code(row)-1].text)
	}
	if p.Min >= 0 && i.low < 0 {
		i.low = 0 // such as all others are
	}
	return i, ok && i.low < i.high
}

// reader returns the function that makes numbers of the texts of a column.
func (p *Profile) reader() func(text string) (float64, bool) {
	switch {
	case p.limited:
		return limit
	case p.calendar != nil:
		return p.calendar.reader()
	}
	return p.spelling.number
}

// read reads the numbers that the texts of a column spell.
func (p *Profile) read() {
	p.values = make([]float64, len(p.column.texts))
	read := p.reader()
	for k, t := range p.column.texts {
		v, ok := read(t.text)
		if !ok || p.gapText[k] {
			v = math.NaN()
		}
		p.values[k] = v
	}
}

// countGaps counts empty cells and the numbers that count as missing apart.
func (p *Profile) countGaps(rows []int, gaps int) {
	count := map[float64]int{}
	if len(p.gapValue) > 0 {
		each(rows, p.column.rows, func(_, row int) {
			if v := p.number(row); slices.Contains(p.gapValue, v) {
				count[v]++
				gaps--
			}
		})
	}
	if gaps > 0 {
		p.Spellings = append(p.Spellings, Level{"", gaps})
	}
	for _, v := range p.gapValue {
		if count[v] > 0 {
			p.Spellings = append(p.Spellings, Level{spelled(v), count[v]})
			count[v] = 0
		}
	}
}

// fewLevels is how many levels numbers and texts together may have to be a category.
const fewLevels = 8

// classify finds the kind.
func (p *Profile) classify(n numbersAndTexts, texts, different int, categorical bool,
	order []string) {
	values := n.numbers + texts
	switch {
	case values == 0:
		p.Kind = Empty
		return
	case p.Distinct == 1:
		p.Kind = Constant
		p.levels(n)
		return
	case p.calendar != nil, p.openDate:
		p.Kind = Date
		return
	case order != nil:
		p.Kind = Ordinal
		p.levels(n)
		p.arrange(order)
		return
	case texts == 0 && !categorical:
		p.numeric(n)
		return
	}
	if !categorical && p.almostNumbers(n) {
		p.mixed(n)
		return
	}
	switch {
	case p.column.codeOf[otherText] > 0 && n.numbers == 0:
		p.Kind = Text
		return
	case categorical, n.numbers == 0 && different <= max(2, values/2), n.numbers > 0 &&
		p.Distinct <= fewLevels && values >= 4*p.Distinct:
		p.Kind = Category
	case n.numbers > 0:
		p.mixed(n)
		return
	default:
		p.Kind = Text
		return
	}
	p.levels(n)
	if len(p.Levels) == 2 && isBoolean(p.Levels[0].Name, p.Levels[1].Name) {
		p.Kind = Boolean // "false" < "true", "no" < "yes", "f" < "t", "n" < "y", "off" < "on"
		if strings.EqualFold(p.Levels[0].Name, "on") {
			p.Levels[0], p.Levels[1] = p.Levels[1], p.Levels[0]
		}
		p.arrange([]string{p.Levels[0].Name, p.Levels[1].Name})
	}
}

// mixed makes a column one of numbers and other texts, and lists these.
func (p *Profile) mixed(n numbersAndTexts) {
	p.Kind = Mixed
	for k, t := range p.column.texts {
		if n.texts[k] > 0 && !p.gapText[k] {
			p.odd = append(p.odd, Level{t.text, n.texts[k]})
		}
	}
}

// almostNumbers reports whether all texts of a column would be numbers but for separators of
// thousands, other decimal marks, or units.
func (p *Profile) almostNumbers(n numbersAndTexts) bool {
	for k, t := range p.column.texts {
		if n.texts[k] > 0 && !p.gapText[k] && why(t.text) == "" {
			return false
		}
	}
	return true
}

// identifying are names of columns that number what the rows are about.
var identifying = regexp.MustCompile(
	`(?i)^(.*[ _.-])?(id|ids|idx|index|uid|uuid|pid|sid|pidnum|idnum|rownames?|row|obs|observation|nr|no|case|caseid|subjectid|patientid|personid)$|^__index_level_|^unnamed: ?[0-9]+$`)

// groups are names of columns that number what several rows may be about.
var groups = regexp.MustCompile(
	`(?i)^(.*[ _.-])?(id|ids|uid|pid|sid|pidnum|idnum|caseid|subjectid|patientid|personid)$`)

// longIndex is how many rows numbers in a row must have at the front of a file, under a name, to be
// an index.
const longIndex = 10

// numeric tells numbers from indices, identifiers and booleans.
func (p *Profile) numeric(n numbersAndTexts) {
	unnamed := p.Name == ""
	counted := p.counting >= 0 && p.Gaps == 0
	switch {
	case p.Limited():
		p.Kind = Number
		if p.measure = dataset.Real; p.Min > 0 {
			p.measure = dataset.Positive
		}
	case p.Position == 1 && unnamed && p.Whole && p.Gaps == 0,
		p.Position == 1 && counted && n.numbers >= longIndex && !generatedName.MatchString(p.Name):
		p.Kind = Index
	case identifying.MatchString(p.Name) && p.Whole && p.Gaps == 0 && n.numbers >= longIndex &&
		(p.rising || p.allDifferent()),
		groups.MatchString(p.Name) && p.Whole && p.Gaps == 0 && n.numbers >= longIndex &&
			len(n.distinct) > 2 && p.grouped:
		p.Kind = Identifier
	case len(n.distinct) == 2 && p.Min == 0 && p.Max == 1:
		p.Kind = Boolean
	default:
		p.Kind = Number
		p.repeated = extremes(n)
		p.measure = measured(p, n)
	}
}

// generatedName are the names of columns of a file without names.
var generatedName = regexp.MustCompile(`^X[0-9]+$`)

// allDifferent reports whether no number occurs twice in a column.
func (p *Profile) allDifferent() bool {
	seen := make(map[float64]bool, p.column.rows)
	for row := range p.column.rows {
		v := p.number(row)
		if seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}

// levels lists the levels by name.
func (p *Profile) levels(n numbersAndTexts) {
	if p.values != nil { // of a constant
		k := slices.IndexFunc(p.values, func(v float64) bool { return v == v })
		p.Levels = []Level{{p.column.texts[k].text, n.numbers}}
		return
	}
	for k, t := range p.column.texts {
		if n.texts[k] > 0 && !p.gapText[k] {
			p.Levels = append(p.Levels, Level{t.text, n.texts[k]})
		}
	}
	numbers := make([]float64, 0, len(n.distinct))
	for v := range n.distinct {
		numbers = append(numbers, v)
	}
	slices.Sort(numbers)
	words := p.Levels
	slices.SortFunc(words, func(a, b Level) int { return strings.Compare(a.Name, b.Name) })
	p.Levels = nil
	for _, v := range numbers {
		p.Levels = append(p.Levels, Level{spelled(v), n.distinct[v]})
	}
	p.Levels = append(p.Levels, words...)
	p.levelOf = make(map[string]int, len(p.Levels))
	for k, level := range p.Levels {
		p.levelOf[level.Name] = k
	}
}

// arrange numbers the levels by the given order; levels that it does not have keep no number.
func (p *Profile) arrange(order []string) {
	count := make(map[string]int, len(p.Levels))
	for _, level := range p.Levels {
		count[level.Name] = level.Count
	}
	sorted := make([]Level, 0, len(order))
	p.levelOf = make(map[string]int, len(order))
	for k, name := range order {
		if v, ok := plainNumber(name); ok {
			name = spelled(v)
		}
		sorted = append(sorted, Level{name, count[name]})
		p.levelOf[name] = k
		delete(count, name)
	}
	for _, level := range p.Levels {
		if _, left := count[level.Name]; left {
			p.odd = append(p.odd, level)
		}
	}
	p.Levels = sorted
}

// booleans are pairs of words of which the second means 1.
var booleans = [][2]string{{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"}}

func isBoolean(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for _, pair := range booleans {
		if a == pair[0] && b == pair[1] || a == pair[1] && b == pair[0] {
			return true
		}
	}
	return false
}

// An extreme is a number that may stand for missing values.
type extreme struct {
	value float64
	count int
}

// forMissing reports whether a number is one that people write for missing values: eights or nines,
// of either sign, or −77 and −777.
func forMissing(v float64) bool {
	if v != math.Trunc(v) || math.Abs(v) > 999999 {
		return false
	}
	switch int(v) {
	case 9, 99, 999, 9999, 99999, 999999, 8, 88, 888, 8888, -9, -99, -999, -9999, -99999, -999999,
		-8, -88, -888, -8888, -77, -777:
		return true
	}
	return false
}

// extremes are those of these numbers that occur more than once, and lie farther from all others
// than these from each other.
func extremes(n numbersAndTexts) (all []extreme) {
	width := n.high - n.low
	if !(width > 0) {
		return nil
	}
	for v, count := range n.codes {
		if count > 1 && (n.low-v > width || v-n.high > width) {
			all = append(all, extreme{v, count})
		}
	}
	slices.SortFunc(all, func(a, b extreme) int { return cmp.Compare(a.value, b.value) })
	return all
}

// moments completes the description by the values that a column has in an analysis; NaN are gaps.
func (p *Profile) moments(values func(yield func(v float64) bool)) {
	n, sum := 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for v := range values {
		if v == v {
			n++
			sum += v
			low, high = min(low, v), max(high, v)
		}
	}
	mean := sum / n
	var m2, m3, m4 float64
	for v := range values {
		if v == v {
			e := v - mean
			m2, m3, m4 = m2+e*e, m3+e*e*e, m4+e*e*e*e
		}
	}
	m2, m3, m4 = m2/n, m3/n, m4/n
	p.Min, p.Max, p.Mean, p.SD = low, high, mean, math.Sqrt(m2)
	p.Skewness, p.Kurtosis = m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
}

// given says what a column has that no other column of a table causes: years and days written as
// numbers, ages, and what people are born with; "" if it seems to have nothing of that kind. kind
// is the one under which it is a column like others.
func (p *Profile) given() (what, kind string) {
	name := strings.ToLower(p.Name)
	switch {
	case born.MatchString(p.Name) && p.Kind == Number:
		return "what is given at birth", "real"
	case born.MatchString(p.Name) && p.Kind == Boolean:
		return "what is given at birth", "binary"
	case born.MatchString(p.Name) && p.Kind == Category:
		return "what is given at birth", "categorical"
	case p.Kind == Number && ages.MatchString(p.Name):
		return "ages", "real"
	case p.Kind != Number || !p.Whole:
	case p.Min >= 1500 && p.Max <= 2200 &&
		(strings.Contains(name, "year") || strings.HasSuffix(name, "yr") || name == "date" ||
			name == "time" || p.rising && p.Max-p.Min < 400):
		return "years", "real"
	case p.Min >= 19000101 && p.Max <= 22001231 && strings.Contains(name, "da"):
		return "days written as numbers", "real"
	}
	return "", ""
}

// Names of columns of ages, and of what is given at birth.
var (
	ages = regexp.MustCompile(
		`(?i)^age([ _.]*[(\[]?(in[ _.])?(years?|yrs?|months?|weeks?|days?)[)\]]?)?$`)
	born = regexp.MustCompile(`(?i)^(sex|gender|race|ethnicity|male|female|non[ _.-]?white)$`)
)

// describe lists levels for a message.
func describe(levels []Level) string {
	var parts []string
	for _, level := range levels {
		name := level.Name
		if name == "" {
			name = "empty"
		} else {
			name = short(name)
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, level.Count))
	}
	return words.Some(parts, 6)
}

// Numbers count as levels if they are whole, of few values, each of which stands in a few rows; as
// counts if they are whole and the most frequent value stands in a part of the rows.
const (
	fewNumbers   = 10
	rowsOfNumber = 5
	countedPart  = 0.05
)

// measured is the kind of a column of numbers.
func measured(p *Profile, n numbersAndTexts) dataset.Kind {
	most := 0
	for _, count := range n.distinct {
		most = max(most, count)
	}
	switch k := len(n.distinct); {
	case k == 2:
		return dataset.Binary
	case p.Whole && k <= fewNumbers && n.numbers >= rowsOfNumber*k:
		return dataset.Ordered
	case p.Whole && (p.Min == 0 || p.Min == 1) && float64(most) > countedPart*float64(n.numbers):
		return dataset.Count
	case p.Min >= 0 && p.Max <= 1:
		return dataset.Proportion
	case p.Min > 0:
		return dataset.Positive
	}
	return dataset.Real
}

// Measure is what the values of a column that an analysis takes are.
func (p *Profile) Measure() dataset.Kind {
	switch {
	case p.Kind == Boolean || p.Kind == Category && len(p.Levels) == 2:
		return dataset.Binary
	case p.Kind == Category:
		return dataset.Categorical
	case p.Kind == Ordinal:
		return dataset.Ordered
	}
	return p.measure
}

// kinds reads what columns are said to be.
func (t *Table) kinds(specs []string) (map[int]dataset.Kind, map[int]*detection, error) {
	all, limited, said := map[int]dataset.Kind{}, map[int]*detection{}, map[int]string{}
	for _, spec := range specs {
		at := strings.LastIndex(spec, "=")
		if at < 1 {
			return nil, nil,
				&OptionError{"kind",
					fmt.Sprintf("%q has no = after the name of a column; allowed: such as "+
						"stage=ordered", spec)}
		}
		j, err := t.find("kind", spec[:at])
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSpace(spec[at+1:])
		kind, err := dataset.ParseKind(name)
		detect, ok := detections(name)
		if err != nil && !ok {
			return nil, nil, &OptionError{"kind",
				fmt.Sprintf("unknown kind %q; allowed: %s", spec[at+1:], kindList())}
		}
		if before := said[j]; before != "" && before != name {
			return nil, nil,
				&OptionError{"kind", fmt.Sprintf("%s is said to be %s and %s",
					delimited.Excerpt(spec[:at]), before, name)}
		}
		if said[j] = name; ok {
			limited[j] = &detect
		} else {
			all[j] = kind
		}
	}
	return all, limited, nil
}

func kindList() string {
	var names []string
	for _, k := range dataset.Kinds() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ") + ", " + censoredKind + " (also " + censoredKind +
		":0.5..100, with limits of detection)"
}
