package main

import (
	"fmt"
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
	f.StringArrayVar(&k.forbid, "forbid", nil, "a,b: there is no edge a -> b; may be repeated")
	f.StringArrayVar(&k.require, "require", nil, "a,b: there is the edge a -> b; may be repeated")
	f.Var(text(&k.tiers, "a,b;c;..."), "tiers", "groups of columns: no edge leads from a later group to an earlier one")
}

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
	if k.tiers == "" {
		return nil
	}
	p.Tiers = make([]int, len(names))
	for j := range p.Tiers {
		p.Tiers[j] = -1
	}
	for tier, group := range strings.Split(k.tiers, ";") {
		members, err := delimited.Fields(group, "--tiers")
		if err != nil {
			return &usageError{err}
		}
		for _, name := range members {
			j, err := column(name)
			if err != nil {
				return &usageError{&locatedError{"--tiers", err}}
			}
			if p.Tiers[j] >= 0 {
				return usagef("--tiers names the column %s twice", delimited.Excerpt(name))
			}
			p.Tiers[j] = tier
		}
	}
	return nil
}
