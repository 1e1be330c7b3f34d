package cli

import "github.com/spf13/pflag"

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
