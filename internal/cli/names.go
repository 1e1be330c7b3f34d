package cli

import (
	"fmt"
	"slices"
	"strings"

	"tobac/internal/words"

	"github.com/spf13/pflag"
)

// setSetting sets a setting, or says which of its choices may have been meant.
func setSetting(flag *pflag.Flag, value string) error {
	if value == "" {
		return fmt.Errorf("%s needs a value", flag.Name)
	}
	if err := flag.Value.Set(value); err != nil {
		return fmt.Errorf("%w%s", err, words.Suggestion(value, ChoicesOf(flag)))
	}
	flag.Changed = true
	return nil
}

// settingNamed finds a setting by its full name, or by a short name that only one topic has, or
// only one in use.
func settingNamed(settings *pflag.FlagSet, name string, inUse []string) (*pflag.Flag, error) {
	if flag := settings.Lookup(name); flag != nil {
		return flag, nil
	}
	all := settingsCalled(settings, name)
	if used := slices.DeleteFunc(slices.Clone(all), func(f *pflag.Flag) bool {
		return !slices.Contains(inUse, TopicOf(f.Name))
	}); len(used) > 0 {
		all = used
	}
	switch len(all) {
	case 0:
		return nil, unknownSetting(settings, name)
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("%s is a setting of %s: choose one with --engine or --model, or write "+
		"the full name, such as %s", name, listedTopics(all), all[0].Name)
}

// settingsCalled are the settings with a short name.
func settingsCalled(settings *pflag.FlagSet, name string) (all []*pflag.Flag) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if ShortName(flag.Name) == name {
			all = append(all, flag)
		}
	})
	return all
}

func unknownSetting(settings *pflag.FlagSet, name string) error {
	names := shortNames(settings)
	if TopicOf(name) != "" {
		names = flagNames(settings)
	}
	where := "tobac help lists the topics"
	if t := TopicOf(name); t != "" && len(settingsWithin(settings, t)) > 0 {
		where = "tobac help " + t + " lists its settings"
	}
	return fmt.Errorf("unknown setting %s (%s)%s", name, where, words.Suggestion(name, names))
}

// shortNames are those of all settings.
func shortNames(settings *pflag.FlagSet) (names []string) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if name := ShortName(flag.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	return names
}

// settingsWithin are the names of the settings of a topic.
func settingsWithin(settings *pflag.FlagSet, topic string) (names []string) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if TopicOf(flag.Name) == topic {
			names = append(names, flag.Name)
		}
	})
	return names
}

// TopicOf and ShortName are the parts of the full name of a setting.
func TopicOf(name string) string {
	topic, _, found := strings.Cut(name, ".")
	if !found {
		return ""
	}
	return topic
}

func ShortName(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// listedTopics are the topics of settings.
func listedTopics(all []*pflag.Flag) string {
	var names []string
	for _, f := range all {
		names = append(names, TopicOf(f.Name))
	}
	return listed(names, "and")
}

// listed joins words: a, b and c.
func listed(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
