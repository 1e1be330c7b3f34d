package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"tobac"
	"tobac/dag"
	"tobac/delimited"
)

// knowledge is what the options say about single edges, by names of columns.
type knowledge struct {
	forbid, require []string // a,b for a → b
	tiers           string   // a,b;c;d,e: earlier groups are no effects of later ones
}

func (k *knowledge) flags(f *pflag.FlagSet) {
	f.Var(&several{&k.forbid}, "forbid", "there is no edge a -> b; may be repeated")
	f.Var(&several{&k.require}, "require", "there is an edge a -> b; may be repeated")
	f.Var(text(&k.tiers, "\"a,b;c;...\""), "tiers", "groups of columns: no edge leads from a later group to an earlier one")
}

// several is a flag that may be repeated.
type several struct{ values *[]string }

var _ pflag.Value = (*several)(nil)

// Set implements pflag.Value.
func (s *several) Set(text string) error {
	*s.values = append(*s.values, text)
	return nil
}

// String implements pflag.Value.
func (s *several) String() string {
	if s.values == nil {
		return ""
	}
	return strings.Join(*s.values, " ")
}

// Type implements pflag.Value.
func (s *several) Type() string { return "a,b" }

// apply adds the statements to a prior.
func (k *knowledge) apply(p *tobac.Prior, names []string) (err error) {
	position := map[string]int{}
	for j, name := range names {
		position[name] = j
	}
	column := func(name string) (int, error) {
		j, ok := position[strings.TrimSpace(name)]
		if !ok {
			return 0, fmt.Errorf("unknown column %s; allowed: %s", delimited.Excerpt(name), delimited.Excerpts(names))
		}
		return j, nil
	}
	edges := func(option string, all []string) (out []dag.Edge, err error) {
		for _, text := range all {
			ends, err := delimited.Fields(text, "--"+option)
			if err != nil || len(ends) != 2 {
				return nil, usagef("--%s %q; allowed: the names of two columns, separated by a comma", option, text)
			}
			from, err := column(ends[0])
			if err != nil {
				return nil, &usageError{&locatedError{"--" + option, err}}
			}
			to, err := column(ends[1])
			if err != nil {
				return nil, &usageError{&locatedError{"--" + option, err}}
			}
			if from == to {
				return nil, usagef("--%s %q; allowed: two different columns", option, text)
			}
			out = append(out, dag.Edge{From: from, To: to})
		}
		return out, nil
	}
	if p.Forbidden, err = edges("forbid", k.forbid); err != nil {
		return err
	}
	if p.Required, err = edges("require", k.require); err != nil {
		return err
	}
	if k.tiers != "" {
		if p.Tiers, err = k.tierOf(names, column); err != nil {
			return err
		}
	}
	return contradictions(p, names)
}

// tierOf is the tier of every column, negative for one that is not named.
func (k *knowledge) tierOf(names []string, column func(name string) (int, error)) ([]int, error) {
	tiers := make([]int, len(names))
	for j := range tiers {
		tiers[j] = -1
	}
	for tier, group := range strings.Split(k.tiers, ";") {
		members, err := delimited.Fields(group, "--tiers")
		if err != nil {
			return nil, &usageError{err}
		}
		for _, name := range members {
			j, err := column(name)
			if err != nil {
				return nil, &usageError{&locatedError{"--tiers", err}}
			}
			if tiers[j] >= 0 {
				return nil, usagef("--tiers names the column %s twice", delimited.Excerpt(name))
			}
			tiers[j] = tier
		}
	}
	return tiers, nil
}

// contradictions finds required edges that other statements rule out.
func contradictions(p *tobac.Prior, names []string) error {
	required := dag.New(len(names))
	for _, e := range p.Required {
		edge := fmt.Sprintf("--require %s,%s contradicts ", names[e.From], names[e.To])
		switch {
		case slices.Contains(p.Forbidden, e):
			return usagef("%s--forbid, which names the same edge", edge)
		case p.Tiers != nil && p.Tiers[e.From] >= 0 && p.Tiers[e.To] >= 0 && p.Tiers[e.From] > p.Tiers[e.To]:
			return usagef("%s--tiers, which puts %s into an earlier group than %s", edge, names[e.To], names[e.From])
		}
		required.Set(e.From, e.To, true)
	}
	if err := required.CheckAcyclic(names); err != nil {
		return &usageError{&locatedError{"--require", err}}
	}
	for j, name := range names {
		if n := len(required.Parents(j)); p.MaxParents > 0 && n > p.MaxParents {
			return usagef("--require gives %s %s, more than --max-parents %d", name, counted(n, "parent"), p.MaxParents)
		}
	}
	return nil
}
