package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// assignments is the flag --set: settings of topics, in the sequence in which they are given.
type assignments struct{ given []string }

var _ pflag.Value = (*assignments)(nil)

// Set implements pflag.Value.
func (a *assignments) Set(text string) error {
	if name, _, found := strings.Cut(text, "="); !found || blank(name) {
		return errors.New("allowed: NAME=VALUE, such as particles=50 or svgd.particles=50")
	}
	a.given = append(a.given, text)
	return nil
}

// String implements pflag.Value.
func (a *assignments) String() string { return "" }

// Type implements pflag.Value.
func (a *assignments) Type() string { return "NAME=VALUE" }

// assign gives the settings of all topics their values. Short names are those of the topics in use, such as the
// engine and the model.
func (a *assignments) assign(settings *pflag.FlagSet, inUse ...string) error {
	for _, text := range a.given {
		name, value, _ := strings.Cut(text, "=")
		flag, err := settingNamed(settings, strings.TrimSpace(name), inUse)
		if err != nil {
			return usagef("--set %s: %w", text, err)
		}
		if err := setSetting(flag, value); err != nil {
			return usagef("--set %s: %w", text, err)
		}
	}
	return nil
}

// setSetting sets a setting, or says which of its choices may have been meant.
func setSetting(flag *pflag.Flag, value string) error {
	if value == "" {
		return fmt.Errorf("%s needs a value", flag.Name)
	}
	if err := flag.Value.Set(value); err != nil {
		return fmt.Errorf("%w%s", err, suggestion(value, choicesOf(flag)))
	}
	flag.Changed = true
	return nil
}

// settingNamed finds a setting by its full name, or by a short one that is that of a single topic, or of one in use.
func settingNamed(settings *pflag.FlagSet, name string, inUse []string) (*pflag.Flag, error) {
	if flag := settings.Lookup(name); flag != nil {
		return flag, nil
	}
	all := settingsCalled(settings, name)
	if used := slices.DeleteFunc(slices.Clone(all), func(f *pflag.Flag) bool { return !slices.Contains(inUse, topicOf(f.Name)) }); len(used) > 0 {
		all = used
	}
	switch len(all) {
	case 0:
		return nil, unknownSetting(settings, name)
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("%s is a setting of %s: --engine or --model says which, or its full name, such as %s", name, listedTopics(all), all[0].Name)
}

// settingsCalled are the settings with a short name.
func settingsCalled(settings *pflag.FlagSet, name string) (all []*pflag.Flag) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if shortName(flag.Name) == name {
			all = append(all, flag)
		}
	})
	return all
}

func unknownSetting(settings *pflag.FlagSet, name string) error {
	names := shortNames(settings)
	if topicOf(name) != "" {
		names = flagNames(settings)
	}
	where := "tobac help lists the topics"
	if t := topicOf(name); t != "" && len(settingsWithin(settings, t)) > 0 {
		where = "tobac help " + t + " lists its settings"
	}
	return fmt.Errorf("unknown setting %s (%s)%s", name, where, suggestion(name, names))
}

// shortNames are those of all settings.
func shortNames(settings *pflag.FlagSet) (names []string) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if name := shortName(flag.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	return names
}

// settingsWithin are the names of the settings of a topic.
func settingsWithin(settings *pflag.FlagSet, topic string) (names []string) {
	settings.VisitAll(func(flag *pflag.Flag) {
		if topicOf(flag.Name) == topic {
			names = append(names, flag.Name)
		}
	})
	return names
}

// topicOf and shortName are the parts of the full name of a setting.
func topicOf(name string) string {
	topic, _, found := strings.Cut(name, ".")
	if !found {
		return ""
	}
	return topic
}

func shortName(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// listedTopics are the topics of settings.
func listedTopics(all []*pflag.Flag) string {
	var names []string
	for _, f := range all {
		names = append(names, topicOf(f.Name))
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

// renamed are former options that have another name now.
var renamed = map[string]string{
	"method": "--engine", "preset": "--engine svgd --set recipe", "compare-svgd": "--beside svgd", "orders": "--set order.count",
	"order-weights": "--set order.weights", "imputations": "--set imputation.tables", "imputation-rounds": "--set imputation.rounds",
	"checkpoint-every": "--set checkpoint.every",
}

// newForm says how a former option is given now; "": it never was one.
func newForm(settings *pflag.FlagSet, name string) string {
	form := func(full string, flag *pflag.Flag) string {
		return fmt.Sprintf("--%s is now --set %s=%s", name, full, placeholderOf(flag))
	}
	if now, ok := renamed[name]; ok {
		return fmt.Sprintf("--%s is now %s", name, now)
	}
	if topic, rest, found := strings.Cut(name, "-"); found {
		if flag := settings.Lookup(topic + "." + rest); flag != nil {
			return form(flag.Name, flag)
		}
	}
	switch all := settingsCalled(settings, name); len(all) {
	case 0:
		return ""
	case 1:
		return form(all[0].Name, all[0])
	default:
		return form(name, all[0]) + ", a setting of " + listedTopics(all)
	}
}

// withSettings defines --set for the settings of some topics. The function gives them their values.
func withSettings(f *pflag.FlagSet, all ...topic) (assign func() error) {
	a, settings := new(assignments), settingsOf(all)
	settingsFlag(f, a)
	return func() error { return a.assign(settings) }
}

// settingsFlag defines --set for a command with topics, and keeps the texts of all its options.
func settingsFlag(f *pflag.FlagSet, a *assignments) {
	f.Var(a, "set", "a setting, such as svgd.particles=50 (tobac help); may be repeated")
}
