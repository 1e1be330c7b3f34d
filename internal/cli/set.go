package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Assignments is the flag --set: settings of topics, in the sequence in which they are given.
type Assignments struct {
	given    []string
	settings *pflag.FlagSet // that may be given
}

var _ pflag.Value = (*Assignments)(nil)

// Set implements pflag.Value.
func (a *Assignments) Set(text string) error {
	if name, _, found := strings.Cut(text, "="); !found || Blank(name) {
		return errors.New("allowed: NAME=VALUE, such as particles=50 or svgd.particles=50")
	}
	a.given = append(a.given, text)
	return nil
}

// String implements pflag.Value.
func (a *Assignments) String() string { return "" }

// Type implements pflag.Value.
func (a *Assignments) Type() string { return "NAME=VALUE" }

// Assign gives the settings of all topics their values. Short names are those of the topics in use,
// such as the engine and the model.
func (a *Assignments) Assign(inUse ...string) error {
	for _, text := range a.given {
		name, value, _ := strings.Cut(text, "=")
		flag, err := settingNamed(a.settings, strings.TrimSpace(name), inUse)
		if err != nil {
			return Usagef("--set %s: %w", text, err)
		}
		if err := setSetting(flag, value); err != nil {
			return Usagef("--set %s: %w", text, err)
		}
	}
	return nil
}

// renamed are former options that have another name now.
var renamed = map[string]string{
	"method": "--engine NAME", "preset": "--engine svgd --set recipe=NAME",
	"compare-svgd": "--beside svgd", "orders": "--set order.count=N",
	"order-weights": "--set order.weights=NAME", "imputations": "--set imputation.tables=N",
	"imputation-rounds": "--set imputation.rounds=N",
	"checkpoint-every":  "--set checkpoint.every=N",
}

// newForm says how a former option is given now; "" means it never was one.
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

// WithSettings defines --set for the settings of some topics. The function gives them their values.
func WithSettings(f *pflag.FlagSet, all ...Topic) (assign func() error) {
	a := new(Assignments)
	SettingsFlag(f, a, SettingsOf(all))
	return func() error { return a.Assign() }
}

// settingsFor are the settings that --set gives their values in a command; nil means it has no such
// option.
func settingsFor(cmd *cobra.Command) *pflag.FlagSet {
	flag := cmd.Flags().Lookup("set")
	if flag == nil {
		return nil
	}
	value := flag.Value
	if r, ok := value.(*recorded); ok {
		value = r.Value
	}
	return value.(*Assignments).settings
}

// SettingsFlag defines --set for a command with topics, and keeps the texts of all its options.
func SettingsFlag(f *pflag.FlagSet, a *Assignments, settings *pflag.FlagSet) {
	a.settings = settings
	f.Var(a, "set", "a setting, such as svgd.particles=50 (tobac help); may be repeated")
}

// A Topic is a thing that has settings, or needs explaining: an engine, a model, the prior, the
// data. Its settings are named TOPIC.NAME on the command line, in run.toml and in summary.json.
type Topic struct {
	Name     string
	group    string // where the list of topics has it
	what     string // lines for tobac help TOPIC; the first is its entry in the list
	Settings *pflag.FlagSet
}

// NewTopic is a topic with settings.
func NewTopic(name, group, what string, settings *pflag.FlagSet) Topic {
	return Topic{name, group, what, settings}
}

// Groups of topics.
const (
	GroupEngines = "Engines"
	GroupModels  = "Models"
	GroupOthers  = "Data, knowledge and results"
)

func NewSettings() *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	return f
}

// SettingsOf are the settings of topics under their full names, which keep the texts that they are
// given.
func SettingsOf(all []Topic) *pflag.FlagSet {
	f := NewSettings()
	for _, t := range all {
		t.Settings.VisitAll(func(flag *pflag.Flag) {
			named := *flag
			named.Name, named.NoOptDefVal = t.Name+"."+flag.Name, ""
			f.AddFlag(&named)
		})
	}
	Record(f)
	return f
}
