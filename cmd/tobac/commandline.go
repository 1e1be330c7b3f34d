package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tobac/internal/file"
	"tobac/setting"

	"github.com/spf13/pflag"
)

// A commandLine is what a run was asked for: options, and the data. It is kept
// in run.toml and in checkpoints as the texts that the options were given, so
// that whatever an option accepts is repeated to the letter.
type commandLine struct {
	flags    *pflag.FlagSet
	settings *pflag.FlagSet // of all topics, under their full names; nil for commands without --set
	data     string         // path; "": the embedded data, "-": standard input
}

// visit calls a function for every option, then for every setting.
func (c *commandLine) visit(do func(*pflag.Flag)) {
	c.flags.VisitAll(do)
	if c.settings != nil {
		c.settings.VisitAll(do)
	}
}

// lookup is the option or setting with a name; nil if there is none.
func (c *commandLine) lookup(name string) *pflag.Flag {
	if topicOf(name) == "" {
		return c.flags.Lookup(name)
	}
	if c.settings == nil {
		return nil
	}
	return c.settings.Lookup(name)
}

// changed reports whether an option or a setting was given.
func (c *commandLine) changed(name string) bool {
	flag := c.lookup(name)
	return flag != nil && flag.Changed
}

// names are those of all options and settings.
func (c *commandLine) names() (all []string) {
	c.visit(func(flag *pflag.Flag) { all = append(all, flag.Name) })
	return all
}

// word is an option or a setting with its value, as it stands in a command.
func (c *commandLine) word(name, text string) string {
	switch without := c.lookup(name).NoOptDefVal; {
	case without == "":
		return asGiven(name, text)
	case without == text:
		return "--" + name
	}
	return "--" + name + "=" + text
}

// dashed is the name of an option or a setting in a message.
func dashed(name string) string {
	if topicOf(name) != "" {
		return name
	}
	return "--" + name
}

// asGiven is the form of an option or a setting on the command line.
func asGiven(name, value string) string {
	if topicOf(name) != "" {
		return "--set " + shellWord(name+"="+value)
	}
	return "--" + name + " " + shellWord(value)
}

// An option is a flag with the texts it was given, more than one if it was repeated.
type option struct {
	Name  string   `json:"name"`
	Texts []string `json:"texts"`
}

// A recorded is a flag that keeps the texts it is given.
type recorded struct {
	pflag.Value
	texts []string
}

// Set implements pflag.Value.
func (r *recorded) Set(text string) error {
	if err := r.Value.Set(text); err != nil {
		return err
	}
	if takesOne(r.Value) {
		r.texts = nil
	}
	r.texts = append(r.texts, text)
	return nil
}

// takesOne reports whether the last value of a flag is known to replace those
// before it. Other flags are given all of them again.
func takesOne(v pflag.Value) bool {
	switch v.(type) {
	case interface{ single() }, *setting.Setting:
		return true
	}
	return false
}

// single says that a second value replaces the first.
func (b *bounded[T]) single() {}

// record makes every flag keep its texts. It is called after all of them are
// defined.
func record(f *pflag.FlagSet) {
	f.VisitAll(func(flag *pflag.Flag) { flag.Value = &recorded{Value: flag.Value} })
}

// Marks of flags, which say what a flag has to do with the run.
const (
	// markOutside is for flags that are about the process and the place of the
	// results, and are no part of what run.toml repeats.
	markOutside = "tobac outside"
	// markAnytime is for flags that change no step of the run, and may differ when it is
	// resumed.
	markAnytime = "tobac anytime"
)

// mark adds a mark to flags.
func mark(f *pflag.FlagSet, with string, names ...string) {
	for _, name := range names {
		f.SetAnnotation(name, with, []string{"true"}) // an unknown name would be seen by the test of all marks
	}
}

func marked(flag *pflag.Flag, with string) bool { return len(flag.Annotations[with]) > 0 }

// texts are those that a flag was given.
func texts(flag *pflag.Flag) []string {
	if r, ok := flag.Value.(*recorded); ok {
		return r.texts
	}
	return []string{flag.Value.String()}
}

// given lists the options that were given and have none of the marks, with their
// paths relative to the folder dir.
func (c *commandLine) given(dir string, without ...string) (all []option) {
	if c == nil {
		return nil
	}
	c.visit(func(flag *pflag.Flag) {
		if !flag.Changed || slices.ContainsFunc(without, func(m string) bool { return marked(flag, m) }) {
			return
		}
		o := option{Name: flag.Name}
		for _, text := range texts(flag) {
			o.Texts = append(o.Texts, relativeTo(dir, text, flag.Value.Type()))
		}
		all = append(all, o)
	})
	return all
}

var placeholder = regexp.MustCompile(`^(FILE|DIR|PATH|[A-Z]+\.[a-z]+)$`)

// The placeholder for a value says whether it is a path: FILE, DIR, a file with
// its ending such as GRAPH.csv, or these among other choices, as in er|FILE.
func pathKind(kind string) (may, must bool) {
	words := strings.Split(kind, "|")
	for _, w := range words {
		if placeholder.MatchString(w) {
			return true, len(words) == 1
		}
	}
	return false, false
}

// isPath reports whether a value of a flag is a path: of a flag that takes names
// too, one that is no name and a file.
func isPath(text, kind string) bool {
	may, must := pathKind(kind)
	if !may || text == "" || text == "-" {
		return false
	}
	if must {
		return true
	}
	if slices.Contains(kindChoices(kind), text) {
		return false
	}
	info, err := os.Stat(text)
	return err == nil && !info.IsDir()
}

// relativeTo is a value as it is written into a file in the folder dir: a relative
// path begins there. Without a folder it becomes an absolute one.
func relativeTo(dir, text, kind string) string {
	if !isPath(text, kind) || filepath.IsAbs(text) {
		return text
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return text
	}
	to, err := filepath.Abs(text)
	if err != nil {
		return text
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || dir == "" {
		return to // on another drive, or for a file that will be moved
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, "../") {
		if _, must := pathKind(kind); !must {
			rel = "./" + rel // no name of something else
		}
	}
	return rel
}

// resolved is a value from a file in the folder dir, as it is on the command
// line.
func resolved(dir, text, kind string) string {
	may, must := pathKind(kind)
	if !may || text == "" || text == "-" || filepath.IsAbs(text) {
		return text
	}
	path := filepath.Join(dir, filepath.FromSlash(text))
	if !must {
		if slices.Contains(kindChoices(kind), text) {
			return text
		}
		if _, err := os.Stat(path); err != nil && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
			return text // no file, so something else that the flag takes
		}
		if !strings.ContainsRune(path, filepath.Separator) {
			path = "." + string(filepath.Separator) + path
		}
	}
	return path
}

// dataKind is the placeholder of the data.
const dataKind = "FILE"

// inputs are the files that the command reads. Flags named in without are left
// out.
func (c *commandLine) inputs(without ...string) (all []file.Input) {
	if c == nil {
		return nil
	}
	if isPath(c.data, dataKind) {
		all = append(all, file.Input{Path: c.data, What: "the data"})
	}
	c.visit(func(flag *pflag.Flag) {
		if !flag.Changed || slices.Contains(without, flag.Name) {
			return
		}
		for _, text := range texts(flag) {
			if isPath(text, flag.Value.Type()) {
				all = append(all, file.Input{Path: text, What: "an input, given as --" + flag.Name})
			}
		}
	})
	return all
}

// set sets the options that the command line leaves open.
func (c *commandLine) set(o option, dir string) error {
	flag := c.lookup(o.Name)
	if flag.Changed {
		return nil
	}
	for _, text := range o.Texts {
		if topicOf(o.Name) != "" {
			if err := setSetting(flag, text); err != nil {
				return fmt.Errorf("%s = %s: %w", o.Name, text, err)
			}
		} else if err := c.flags.Set(o.Name, resolved(dir, text, flag.Value.Type())); err != nil {
			return err
		}
	}
	return nil
}

// setAll sets options, then the settings that the command line has, by assign, and then the others: short names are known once the engine is.
func (c *commandLine) setAll(all []option, dir string, assign func() error, located func(option, error) error) error {
	for _, settings := range []bool{false, true} {
		if settings {
			if err := assign(); err != nil {
				return err
			}
		}
		for _, o := range all {
			if settings == (topicOf(o.Name) != "") {
				if err := c.set(o, dir); err != nil {
					return located(o, err)
				}
			}
		}
	}
	return nil
}

// exists reports whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// String is the command that repeats the run, for a shell.
func (c *commandLine) String() string {
	words := []string{"tobac fit"}
	if c.data != "" {
		words = append(words, shellWord(c.data))
	}
	for _, o := range c.given(".", markOutside) {
		for _, text := range o.Texts {
			words = append(words, c.word(o.Name, text))
		}
	}
	return strings.Join(words, " ")
}
