package cli

import (
	"fmt"
	"slices"
	"strings"

	"tobac/internal/file"

	"github.com/spf13/pflag"
)

// A CommandLine is what a run was asked for: options, and the data. It is kept
// in run.toml and in checkpoints as the texts that the options were given, so
// that whatever an option accepts is repeated to the letter.
type CommandLine struct {
	Flags    *pflag.FlagSet
	Settings *pflag.FlagSet // of all topics, under their full names; nil for commands without --set
	Data     string         // path; "" means the embedded data, "-": standard input
}

// Visit calls a function for every option, then for every setting.
func (c *CommandLine) Visit(do func(*pflag.Flag)) {
	c.Flags.VisitAll(do)
	if c.Settings != nil {
		c.Settings.VisitAll(do)
	}
}

// Lookup is the option or setting with a name; nil if there is none.
func (c *CommandLine) Lookup(name string) *pflag.Flag {
	if TopicOf(name) == "" {
		return c.Flags.Lookup(name)
	}
	if c.Settings == nil {
		return nil
	}
	return c.Settings.Lookup(name)
}

// Changed reports whether an option or a setting was given.
func (c *CommandLine) Changed(name string) bool {
	flag := c.Lookup(name)
	return flag != nil && flag.Changed
}

// names are those of all options and settings.
func (c *CommandLine) names() (all []string) {
	c.Visit(func(flag *pflag.Flag) { all = append(all, flag.Name) })
	return all
}

// Word is an option or a setting with its value, as it stands in a command.
func (c *CommandLine) Word(name, text string) string {
	switch without := c.Lookup(name).NoOptDefVal; {
	case without == "":
		return asGiven(name, text)
	case without == text:
		return "--" + name
	}
	return "--" + name + "=" + text
}

// Dashed is the name of an option or a setting in a message.
func Dashed(name string) string {
	if TopicOf(name) != "" {
		return name
	}
	return "--" + name
}

// asGiven is the form of an option or a setting on the command line.
func asGiven(name, value string) string {
	if TopicOf(name) != "" {
		return "--set " + ShellWord(name+"="+value)
	}
	return "--" + name + " " + ShellWord(value)
}

// An Option is a flag with the texts it was given, more than one if it was repeated.
type Option struct {
	Name  string   `json:"name"`
	Texts []string `json:"texts"`
}

// Given lists the options that were given and have none of the marks, with their
// paths relative to the folder dir.
func (c *CommandLine) Given(dir string, without ...string) (all []Option) {
	if c == nil {
		return nil
	}
	c.Visit(func(flag *pflag.Flag) {
		if !flag.Changed || slices.ContainsFunc(without, func(m string) bool {
			return Marked(flag, m)
		}) {
			return
		}
		o := Option{Name: flag.Name}
		for _, text := range Texts(flag) {
			o.Texts = append(o.Texts, RelativeTo(dir, text, flag.Value.Type()))
		}
		all = append(all, o)
	})
	return all
}

// Inputs are the files that the command reads. Flags named in without are left
// out.
func (c *CommandLine) Inputs(without ...string) (all []file.Input) {
	if c == nil {
		return nil
	}
	if IsPath(c.Data, DataKind) {
		all = append(all, file.Input{Path: c.Data, What: "the data"})
	}
	c.Visit(func(flag *pflag.Flag) {
		if !flag.Changed || slices.Contains(without, flag.Name) {
			return
		}
		for _, text := range Texts(flag) {
			if IsPath(text, flag.Value.Type()) {
				all = append(all, file.Input{Path: text, What: "an input, given as --" + flag.Name})
			}
		}
	})
	return all
}

// Set sets the options that the command line leaves open.
func (c *CommandLine) Set(o Option, dir string) error {
	flag := c.Lookup(o.Name)
	if flag.Changed {
		return nil
	}
	for _, text := range o.Texts {
		if TopicOf(o.Name) != "" {
			if err := setSetting(flag, text); err != nil {
				return fmt.Errorf("%s = %s: %w", o.Name, text, err)
			}
		} else if err := c.Flags.Set(o.Name, Resolved(dir, text, flag.Value.Type())); err != nil {
			return err
		}
	}
	return nil
}

// SetAll sets options, then the settings that the command line has, by assign, and then the others:
// short names are known once the engine is.
func (c *CommandLine) SetAll(all []Option, dir string, assign func() error,
	located func(Option, error) error) error {
	for _, settings := range []bool{false, true} {
		if settings {
			if err := assign(); err != nil {
				return err
			}
		}
		for _, o := range all {
			if settings == (TopicOf(o.Name) != "") {
				if err := c.Set(o, dir); err != nil {
					return located(o, err)
				}
			}
		}
	}
	return nil
}

// String is the command that repeats the run, for a shell.
func (c *CommandLine) String() string {
	words := []string{"tobac fit"}
	if c.Data != "" {
		words = append(words, ShellWord(c.Data))
	}
	for _, o := range c.Given(".", MarkOutside) {
		for _, text := range o.Texts {
			words = append(words, c.Word(o.Name, text))
		}
	}
	return strings.Join(words, " ")
}

// ShellWord is a word as a shell reads it, in quotes if need be.
func ShellWord(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f ||
			strings.ContainsRune("-_./+,:@%=", r))
	}) < 0
	if plain && word != "" && !strings.HasPrefix(word, "-") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// What stands for a path where there is none.
const (
	EmbeddedSachs = "sachs (embedded)"
	StandardInput = "standard input"
)

// DataLabel is the name of a data file in messages.
func DataLabel(path string) string {
	if path == "-" {
		return StandardInput
	}
	return path
}
