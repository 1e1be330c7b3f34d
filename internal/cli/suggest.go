package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tobac/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError adds to an error of a flag what may have been meant.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		name, dashes := unknown.GetSpecifiedName(), "--"
		near := words.Suggestion(name, flagNames(cmd.Flags()))
		if settings := settingsFor(cmd); settings != nil {
			if now := newForm(settings, name); now != "" {
				return errors.New(now)
			}
			if near == "" {
				near, dashes = words.Suggestion(name, shortNames(settings)), "--set "
			}
		}
		near = strings.ReplaceAll(strings.ReplaceAll(near, "mean ", "mean "+dashes), " or ",
			" or "+dashes)
		given := "--" + name
		if len(name) == 1 {
			given = "-" + name
		}
		return fmt.Errorf("unknown option %s%s; %s --help lists the options", given, near,
			cmd.CommandPath())
	}
	if lacking := new(pflag.ValueRequiredError); errors.As(err, &lacking) {
		return fmt.Errorf("--%s needs a value", lacking.GetFlag().Name)
	}
	return valueError(err)
}

// valueError says which value a flag does not take, and which of its choices may have been meant.
func valueError(err error) error {
	wrong := new(pflag.InvalidValueError)
	if !errors.As(err, &wrong) {
		return err
	}
	flag, value := wrong.GetFlag(), wrong.GetValue()
	return fmt.Errorf("--%s %q: %w%s", flag.Name, value, wrong.Unwrap(),
		words.Suggestion(value, ChoicesOf(flag)))
}

// Mistaken adds to the error of a file that is not there which choice may have been
// meant, for options that take names and files.
func (c *CommandLine) Mistaken(err error) error {
	if c == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.Visit(func(flag *pflag.Flag) {
		for _, text := range Texts(flag) {
			if may, must := pathKind(flag.Value.Type()); !may || must || !flag.Changed ||
				!strings.HasPrefix(err.Error(), text+": ") {
				continue
			}
			if near := words.Suggestion(text, ChoicesOf(flag)); near != "" {
				err = Usagef("%s %w%s", Dashed(flag.Name), err, near)
			}
		}
	})
	return err
}
