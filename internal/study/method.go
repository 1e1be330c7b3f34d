package study

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"tobac"
	"tobac/internal/engines"
	"tobac/ordering"
	"tobac/sem"
	"tobac/setting"
)

// Kind says which program infers a posterior.
type Kind string

const (
	// FitKind is [tobac.Fit] with Method.Settings.
	FitKind Kind = "fit"
	// EmptyKind is the graph without edges.
	EmptyKind Kind = "empty"
	// StepwiseKind is one graph: along Method.Order, the parents of every variable by stepwise
	// regression under the Bayesian information criterion.
	StepwiseKind Kind = "stepwise"
	// PublishedKind has outcomes that others have published; it is never run.
	PublishedKind Kind = "published"
)

// OrderSource is where the causal order of a method comes from.
type OrderSource string

const (
	NoOrder     OrderSource = ""       // the method needs none, or infers it
	TrueOrder   OrderSource = "true"   // a topological order of the true graph
	RandomOrder OrderSource = "random" // drawn at random, by the seed of the cell

	// releasedNPVar is what the program released with TOBAC computes as NPVar: it discards the
	// conditional variances that it has fitted, so that the column of smallest variance comes
	// first, and the others follow in their sequence in the table.
	releasedNPVar OrderSource = "npvar-released"
)

// By is the order that an estimator of package ordering finds in the training rows.
func By(m ordering.Method) OrderSource { return OrderSource(m.String()) }

// A Method is how a posterior is inferred, as text, by everything that determines it.
type Method struct {
	// Name is short, for --only and files; Title stands in tables. They determine nothing.
	Name  string `json:"-"`
	Title string `json:"-"`
	// Preset names the part of the settings that was chosen for its cost; "" means none was. It
	// stands in tables.
	Preset string `json:"-"`

	Kind  Kind        `json:"kind"`
	Order OrderSource `json:"order,omitempty"`
	// Settings of a [tobac.Config] by their names, "model" among them, and of its engine. Those
	// that are missing have their defaults.
	Settings map[string]string `json:"settings,omitempty"`
	// NoiseVariance of the density of held-out rows, of the kind EmptyKind.
	NoiseVariance float64 `json:"noise_variance,omitempty"`
	// Reference is the model whose posterior, by the engine tempering, the outcome is compared
	// with; "" means none.
	Reference string `json:"reference,omitempty"`
}

// fitMethod is tobac.Fit with a configuration that has a text form, under an order. It panics if
// settings have no such form: the configurations of this package are fixed.
func fitMethod(name, title string, order OrderSource, cfg tobac.Config) Method {
	m := Method{Name: name, Title: title, Kind: FitKind, Order: order, Settings: settingsOf(cfg)}
	back, err := m.Config()
	if err != nil {
		panic(fmt.Sprintf("study: %s: %v", name, err))
	}
	if !reflect.DeepEqual(back, cfg) {
		panic(fmt.Sprintf("study: %s: settings without a text form", name))
	}
	return m
}

func settingsOf(cfg tobac.Config) map[string]string {
	texts := map[string]string{}
	if cfg.Model != nil {
		texts["model"] = cfg.Model.String()
	}
	var byDefault tobac.Config
	if cfg.Engine != nil {
		texts["engine"] = cfg.Engine.Engine().Name()
		if err := engines.Setting(&byDefault.Engine).Set(texts["engine"]); err != nil {
			panic("study: the engine " + texts["engine"] + ": " + err.Error())
		}
	}
	settings := cfg.Settings()
	for k, s := range byDefault.Settings() {
		if text := settings[k].String(); text != s.String() {
			texts[s.Name] = text
		}
	}
	return texts
}

// Config is the configuration that the settings describe, without an order.
func (m Method) Config() (cfg tobac.Config, err error) {
	left := maps.Clone(m.Settings)
	if text, ok := left["model"]; ok {
		delete(left, "model")
		if cfg.Model, err = sem.Parse(text); err != nil {
			return cfg, err
		}
	}
	take := func(settings ...*setting.Setting) error {
		for _, s := range settings {
			text, ok := left[s.Name]
			if !ok {
				continue
			}
			delete(left, s.Name)
			if err := s.Set(text); err != nil {
				return fmt.Errorf("study: %s is %q; %w", s.Name, text, err)
			}
		}
		return nil
	}
	if err := take(engines.Setting(&cfg.Engine)); err != nil { // which brings its own settings
		return cfg, err
	}
	if err := take(cfg.Settings()...); err != nil {
		return cfg, err
	}
	if len(left) > 0 {
		return cfg, fmt.Errorf("study: unknown settings %s",
			strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return cfg, nil
}

// String is the text form of everything that determines the method.
func (m Method) String() string {
	words := []string{string(m.Kind)}
	if m.Order != NoOrder {
		words = append(words, "order="+string(m.Order))
	}
	if m.Reference != "" {
		words = append(words, "reference="+m.Reference)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		words = append(words, name+"="+m.Settings[name])
	}
	return strings.Join(words, " ")
}
