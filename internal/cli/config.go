package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/words"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"
)

// ConfigFile is the name of the file that repeats a run.
const ConfigFile = "run.toml"

// DataKey is the key of the data in it.
const DataKey = "data"

// WriteConfig writes what repeats a run as TOML: the data and every option that
// was given, by the name of its flag, then the defaults of the others as comments, of topics with
// settings only those that the run used. Relative paths begin at the folder of the file.
func (c *CommandLine) WriteConfig(w io.Writer, dir string, used func(topic string) bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What repeats this run of tobac %s: tobac fit --config %s\n",
		CurrentVersions().Tobac, ConfigFile)
	b.WriteString("# Relative paths begin at the folder of this file. Options on the command " +
		"line come first.\n\n")
	if c == nil {
		_, err := w.Write(b.Bytes())
		return err
	}
	data := EmbeddedSachs
	if c.Data != "" {
		data = RelativeTo(dir, c.Data, DataKind)
	}
	lines := map[string][]string{} // of each table; "" is for those above all tables
	tables := []string{""}
	given := c.Given(dir, MarkOutside)
	for _, o := range given {
		if t := TopicOf(o.Name); !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	add := func(name, value string) {
		t := TopicOf(name)
		if t == "" && slices.Contains(tables, name) {
			t = name // TOML has no key and table of the same name
		}
		lines[t] = append(lines[t], ShortName(name)+" = "+value+"\n")
	}
	add(DataKey, tomlString(data))
	for _, o := range given {
		values := make([]string, len(o.Texts))
		for k, text := range o.Texts {
			values[k] = TomlValue(text, c.Lookup(o.Name).Value.Type())
		}
		if value := strings.Join(values, ", "); len(values) == 1 {
			add(o.Name, value)
		} else {
			add(o.Name, "["+value+"]")
		}
	}
	for _, t := range tables {
		if t != "" {
			fmt.Fprintf(&b, "\n[%s]\n", t)
		}
		b.WriteString(strings.Join(lines[t], ""))
	}
	b.WriteString("\n# Not given; the defaults:\n")
	c.Visit(func(flag *pflag.Flag) {
		topic := TopicOf(flag.Name)
		if !flag.Changed && !Marked(flag, MarkOutside) && flag.Name != "help" &&
			(topic == "" || used(topic)) {
			fmt.Fprintln(&b,
				strings.TrimRight(fmt.Sprintf("# %s: %s", flag.Name, flag.DefValue), " :"))
		}
	})
	_, err := w.Write(b.Bytes())
	return err
}

// TomlValue is a value of a flag in TOML: a number or a truth value where the flag
// takes one and TOML has it.
func TomlValue(text, kind string) string {
	switch kind {
	case "bool":
		if v, err := strconv.ParseBool(text); err == nil {
			return strconv.FormatBool(v)
		}
	case "N":
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(v, 10)
		}
	case "X", "FRACTION":
		if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) &&
			!math.IsNaN(v) {
			return tomlNumber(v)
		}
	}
	return tomlString(text)
}

// tomlNumber is a number as a float of TOML, which has a point or an exponent.
func tomlNumber(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// tomlString is a basic string of TOML.
func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ReadConfig sets the options of a file that the command line leaves open, and
// the data, which the file or the command line names.
func (c *CommandLine) ReadConfig(path string, assign func() error) error {
	f, err := file.Open(path, "a file of options, such as "+ConfigFile+" of a run")
	if err != nil {
		return err
	}
	defer f.Close() // only read
	if err := file.CheckEdited(path); err != nil {
		return err
	}
	settings, data, err := c.ReadOptions(f, path, assign)
	switch {
	case err != nil:
		return err
	case settings == 0 && data == "":
		return Usagef("%s: has no setting; allowed: a file of options, such as %s of a run", path,
			ConfigFile)
	case data == "" && c.Data == "":
		return Usagef("%s: names no data, nor does the command line; allowed: %s = \"FILE\", %s "+
			"= %q, or a file on the command line", path, DataKey, DataKey, EmbeddedSachs)
	}
	return nil
}

// ReadOptions sets the options of an open file, and the data. It returns how many options there
// are, and what is said of the data.
func (c *CommandLine) ReadOptions(f io.Reader, path string, assign func() error) (settings int,
	data string, err error) {
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return 0, "", file.WithPath(path, err)
	}
	if len(text) > most {
		return 0, "",
			Usagef("%s: more than %d bytes; allowed: a file of options, such as %s of a run", path,
				most, ConfigFile)
	}
	options, data, err := ParseConfig(string(text), c)
	if err != nil {
		return 0, "", WrongUse(Located(path, err))
	}
	dir := filepath.Dir(path)
	if c.Data == "" && data != EmbeddedSachs {
		c.Data = Resolved(dir, data, DataKind)
	}
	err = c.SetAll(options, dir, assign, func(o Option, err error) error {
		return WrongUse(Located(fmt.Sprintf("%s: line %d", path, lineOf(string(text), o.Name)),
			valueError(err)))
	})
	if err != nil {
		return 0, "", err
	}
	return len(options), data, nil
}

// ParseConfig reads the text of a file of options for a command, and the path of the data, "" if it
// has none.
func ParseConfig(text string, c *CommandLine) (options []Option, data string, err error) {
	values := map[string]any{}
	meta, err := DecodeTOML(text, &values)
	if err != nil {
		if parse := new(toml.ParseError); errors.As(err, parse) {
			return nil, "", fmt.Errorf("line %d: %s", parse.Position.Line, InBrief(parse.Message))
		}
		return nil, "", err
	}
	for _, key := range meta.Keys() { // in the sequence of the file
		name, value := key[0], values[key[0]]
		table, isTable := value.(map[string]any)
		isTable = isTable && c.Settings != nil && len(settingsWithin(c.Settings, name)) > 0
		switch {
		case len(key) == 1 && isTable:
			continue // its keys follow
		case len(key) == 2 && isTable:
			if value = table[key[1]]; key[1] != key[0] { // else an option in the table of its name
				name += "." + key[1]
			}
		case len(key) > 1:
			continue // below a key that is refused
		}
		at := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s", lineOf(text, name), fmt.Sprintf(format, args...))
		}
		flag := c.Lookup(name)
		switch {
		case name == DataKey:
			ok := false
			if data, ok = value.(string); !ok {
				return nil, "", at("%s is not a text; allowed: the path of the data", DataKey)
			}
			continue
		case flag == nil || name == "help" || name == "set":
			return nil, "", at("%s", c.unknownKey(name))
		case CommandLineOnly(flag):
			return nil, "", at("%s stands on the command line only: a file of options names no "+
				"places to write to", name)
		}
		o := Option{Name: name}
		if o.Texts, err = configTexts(value); err != nil {
			return nil, "", at("%s %v", name, err)
		}
		options = append(options, o)
	}
	return options, data, nil
}

// unknownKey says what may have been meant by a key of a file of options.
func (c *CommandLine) unknownKey(name string) string {
	text := "unknown option " + delimited.Excerpt(name)
	if c.Settings != nil && TopicOf(name) == "" {
		if all := settingsCalled(c.Settings, name); len(all) > 0 {
			return fmt.Sprintf("%s is a setting of %s, and stands in a table: [%s]", name,
				listedTopics(all), TopicOf(all[0].Name))
		}
	}
	return text + words.Suggestion(name, append(c.names(), DataKey)) + "; tobac fit --help lists " +
		"the options, which stand here without dashes, tobac help the topics with settings"
}

// CommandLineOnly reports whether an option says where something is written, or that it may replace
// other files. Files that others may have made, those of options and checkpoints, have no say in
// that.
func CommandLineOnly(flag *pflag.Flag) bool {
	_, path := pathKind(flag.Value.Type())
	return Marked(flag, MarkOutside) && (path || flag.Name == "force")
}

// configTexts are the texts of a value of TOML, of an array those of its elements.
func configTexts(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case int64:
		return []string{strconv.FormatInt(v, 10)}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'g', -1, 64)}, nil
	case []any:
		var all []string
		for _, element := range v {
			if _, nested := element.([]any); nested {
				break
			}
			one, err := configTexts(element)
			if err != nil {
				return nil, err
			}
			all = append(all, one...)
		}
		if len(all) == len(v) && len(v) > 0 {
			return all, nil
		}
	}
	return nil, errors.New("has a value of another kind; allowed: a text, a number, true or " +
		"false, or for an option that may be repeated an array of them")
}

// lineOf is the number of the line at which a key of a file of options begins.
func lineOf(text, key string) int {
	if topic := TopicOf(key); topic != "" { // below the line of its table
		if before, after, found := strings.Cut(text, "["+topic+"]"); found {
			return strings.Count(before, "\n") + lineOf(after, ShortName(key))
		}
	}
	quoted := regexp.QuoteMeta(key)
	at := regexp.MustCompile(`(?m)^[ \t]*\[*[ \t]*(?:` + quoted + `|"` + quoted + `"|'` + quoted +
		`')[ \t]*[=.\]]`).FindStringIndex(text)
	if at == nil {
		return 1
	}
	return 1 + strings.Count(text[:at[0]], "\n")
}

// DecodeTOML is toml.Decode of a text that is not nested so deeply that reading it takes all
// memory.
func DecodeTOML(text string, v any) (toml.MetaData, error) {
	if err := checkNesting(text); err != nil {
		return toml.MetaData{}, err
	}
	return toml.Decode(text, v)
}

// InBrief is a message in one line of some length, whatever it quotes.
func InBrief(message string) string {
	const most = 200
	runes := []rune(strings.ReplaceAll(message, "\n", " "))
	if len(runes) > most {
		runes = append(runes[:most], []rune("...")...)
	}
	return string(runes)
}

// checkNesting finds brackets in brackets, and keys with points, that are too many. Strings and
// comments may hold as many as they like.
func checkNesting(text string) error {
	const most = 100
	line, depth, points := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			i = endOfString(text, i, &line)
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return nil
			}
			i += end - 1
		case '\n':
			line++
			points = 0
		case '[', '{':
			depth++
			points = 0
		case ']', '}':
			depth--
		case '.':
			points++
		case ',', '=':
			points = 0
		}
		if depth > most || points > most {
			return fmt.Errorf("line %d: nested more than %d deep", line, most)
		}
	}
	return nil
}

// endOfString is where the string that begins at a place in a text of TOML ends; line is counted
// on.
func endOfString(text string, at int, line *int) int {
	quote := text[at : at+1]
	long := strings.HasPrefix(text[at:], strings.Repeat(quote, 3))
	if long {
		at += 2
	}
	for at++; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote == `"`:
			at++
		case text[at] == '\n' && !long:
			return at - 1 // not closed, which is an error
		case text[at] == '\n':
			*line++
		case !long && text[at:at+1] == quote:
			return at
		case long && strings.HasPrefix(text[at:], strings.Repeat(quote, 3)):
			// quotes before the last three
			for at += 2; strings.HasPrefix(text[at+1:], quote); at++ {
			}
			return at
		}
	}
	return at
}
