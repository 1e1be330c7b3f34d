package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/words"

	"github.com/spf13/pflag"
)

// knowledge is what the options say about the graph, by names of columns.
type knowledge struct {
	file            string   // with statements, or a graph whose edges are required; "" means none
	forbid, require []string // a,b for a → b
	tiers           string   // a,b;c;d,e: earlier groups are no effects of later ones
	sinks, sources  []string // a,b,...
	odds            []string // a,b=3
}

func (k *knowledge) flags(f *pflag.FlagSet) {
	f.Var(cli.SeveralOf(&k.forbid, "a,b"), "forbid", "there is no edge a -> b; may be repeated")
	f.Var(cli.SeveralOf(&k.require, "a,b"), "require", "there is an edge a -> b; may be repeated")
	f.Var(cli.PlainText(&k.tiers, "\"a,b;c;...\""), "tiers",
		"no edge leads from a later group of columns to an earlier one")
	f.Var(cli.PlainText(&k.file, "FILE"), "knowledge",
		"such statements in a file, or a graph of required edges")
}

// topic has the statements that are settings. Odds are left out where only orders are concerned,
// which cannot follow them.
func (k *knowledge) topic(odds bool) cli.Topic {
	f := cli.NewSettings()
	f.Var(cli.SeveralOf(&k.sinks, "a,b,..."), "sink", "columns without effects; may be repeated")
	f.Var(cli.SeveralOf(&k.sources, "a,b,..."), "source", "columns without causes; may be repeated")
	if odds {
		f.Var(cli.SeveralOf(&k.odds, "a,b=X"), "odds",
			"factor X of the prior odds of the edge a -> b, from 0.001 to 1000; may be repeated")
	}
	return cli.NewTopic("knowledge", cli.GroupOthers, knowledgeHelp, f)
}

// A statement names columns; where says in which option, or line of a file, for errors.
type statement struct {
	where func(names []string) string // of the names up to the one at fault
	names []string
	odds  float64 // of a soft one
}

// statements are those of all kinds, by names of columns.
type statements struct {
	forbid, require, odds []statement // two names each
	sinks, sources        []statement
	tiers                 []statement // one for each group; nil means none
	kinds                 []string    // of columns, as --kind has them
}

// ofOption locates a fault in an option.
func ofOption(name string) func([]string) string {
	if name == "sink" || name == "source" || name == "odds" {
		name = "--set knowledge." + name
	} else {
		name = "--" + name
	}
	return func([]string) string { return name }
}

// parse reads the options.
func (k *knowledge) parse() (s statements, err error) {
	edges := func(name string, all []string) (out []statement, err error) {
		for _, text := range all {
			ends, err := delimited.Fields(text, "--"+name)
			if err != nil || len(ends) != 2 {
				return nil, cli.Usagef(
					"--%s %q; allowed: the names of two columns, separated by a comma", name, text)
			}
			out = append(out, statement{where: ofOption(name), names: ends})
		}
		return out, nil
	}
	lists := func(name string, all []string) (out []statement, err error) {
		for _, text := range all {
			names, err := delimited.Fields(text, "--"+name)
			if err != nil {
				return nil, cli.WrongUse(err)
			}
			out = append(out, statement{where: ofOption(name), names: names})
		}
		return out, nil
	}
	if s.forbid, err = edges("forbid", k.forbid); err != nil {
		return s, err
	}
	if s.require, err = edges("require", k.require); err != nil {
		return s, err
	}
	if s.sinks, err = lists("sink", k.sinks); err != nil {
		return s, err
	}
	if s.sources, err = lists("source", k.sources); err != nil {
		return s, err
	}
	for _, text := range k.odds {
		at := strings.LastIndex(text, "=")
		ends, err := delimited.Fields(text[:max(at, 0)], "knowledge.odds")
		if at < 0 || err != nil || len(ends) != 2 {
			return s, cli.Usagef("--set knowledge.odds=%s; allowed: the names of two columns and "+
				"a number, such as a,b=3", text)
		}
		v, err := parseOdds(text[at+1:])
		if err != nil {
			return s, cli.Usagef("--set knowledge.odds=%s: %w", text, err)
		}
		s.odds = append(s.odds, statement{where: ofOption("odds"), names: ends, odds: v})
	}
	if k.tiers != "" {
		groups := strings.Split(k.tiers, ";")
		if len(groups) < 2 {
			return s, cli.Usagef("--tiers %q has a single group; allowed: two or more, separated "+
				"by semicolons and in quotes, such as \"a,b;c\"", k.tiers)
		}
		s.tiers, err = lists("tiers", groups)
	}
	return s, err
}

// parseOdds reads odds.
func parseOdds(text string) (float64, error) {
	v, ok := delimited.Number(text)
	if !ok {
		return 0, fmt.Errorf("%q is not a number; allowed: odds from %v to %v", text,
			background.LeastOdds, background.MostOdds)
	}
	return v, checkOdds(v)
}

// checkOdds refuses odds out of range, and says how what is certain is said.
func checkOdds(v float64) error {
	switch {
	case v >= background.LeastOdds && v <= background.MostOdds:
		return nil
	case v >= 0 && v < background.LeastOdds:
		return fmt.Errorf("odds are %v; allowed: odds from %v to %v; forbid the edge if you are "+
			"certain that there is none", v, background.LeastOdds, background.MostOdds)
	case v > background.MostOdds:
		return fmt.Errorf("odds are %v; allowed: odds from %v to %v; require the edge if you are "+
			"certain that there is one", v, background.LeastOdds, background.MostOdds)
	}
	return fmt.Errorf("odds are %v; allowed: odds from %v to %v", v, background.LeastOdds,
		background.MostOdds)
}

// apply adds the statements of the file and of the options to a prior.
func (k *knowledge) apply(p *background.Prior, names []string) error {
	if k.file != "" {
		if err := readKnowledge(k.file, p, names); err != nil {
			return err
		}
	}
	s, err := k.parse()
	if err != nil {
		return err
	}
	if s.tiers != nil && p.Tiers != nil {
		return cli.Usagef("--tiers contradicts --knowledge %s, which has tiers too: give them in "+
			"one place", k.file)
	}
	if err := s.apply(p, names); err != nil {
		return cli.WrongUse(err)
	}
	return nil
}

// apply adds the statements to a prior. Those that it has are left out.
func (s *statements) apply(p *background.Prior, names []string) error {
	columns := newColumns(names)
	for _, list := range []struct {
		from []statement
		to   *[]dag.Edge
	}{{s.forbid, &p.Forbidden}, {s.require, &p.Required}} {
		for _, st := range list.from {
			e, err := columns.edge(st)
			if err != nil {
				return err
			}
			if !slices.Contains(*list.to, e) {
				*list.to = append(*list.to, e)
			}
		}
	}
	for _, list := range []struct {
		from []statement
		to   *[]int
	}{{s.sinks, &p.Sinks}, {s.sources, &p.Sources}} {
		for _, st := range list.from {
			all, err := columns.all(st)
			if err != nil {
				return err
			}
			for _, j := range all {
				if !slices.Contains(*list.to, j) {
					*list.to = append(*list.to, j)
				}
			}
		}
	}
	for _, st := range s.odds {
		e, err := columns.edge(st)
		if err != nil {
			return err
		}
		if o := (background.EdgeOdds{From: e.From, To: e.To, Odds: st.odds}); !slices.Contains(
			p.Odds, o) {
			p.Odds = append(p.Odds, o)
		}
	}
	return s.applyTiers(p, columns)
}

// applyTiers sets the tier of every column, negative for one that is not named.
func (s *statements) applyTiers(p *background.Prior, columns *columns) error {
	if s.tiers == nil {
		return nil
	}
	p.Tiers = slices.Repeat([]int{-1}, len(columns.names))
	for tier, group := range s.tiers {
		members, err := columns.all(group)
		if err != nil {
			return err
		}
		for _, j := range members {
			if p.Tiers[j] >= 0 {
				return fmt.Errorf("%s names the column %s twice", group.where(group.names),
					delimited.Excerpt(columns.names[j]))
			}
			p.Tiers[j] = tier
		}
	}
	return nil
}

// columns finds columns by name.
type columns struct {
	names    []string
	position map[string]int
}

func newColumns(names []string) *columns {
	c := &columns{names: names, position: map[string]int{}}
	for j, name := range names {
		c.position[name] = j
	}
	return c
}

// all are the columns that a statement names.
func (c *columns) all(s statement) ([]int, error) {
	list := make([]int, len(s.names))
	for k, name := range s.names {
		j, ok := c.position[strings.TrimSpace(name)]
		if !ok {
			return nil, cli.Located(s.where(s.names[:k+1]),
				fmt.Errorf("unknown column %s%s; allowed: %s", delimited.Excerpt(name),
					words.Suggestion(name, c.names), delimited.Excerpts(c.names)))
		}
		list[k] = j
	}
	return list, nil
}

// edge is the edge between the two columns that a statement names.
func (c *columns) edge(s statement) (dag.Edge, error) {
	ends, err := c.all(s)
	if err != nil {
		return dag.Edge{}, err
	}
	if ends[0] == ends[1] {
		return dag.Edge{}, fmt.Errorf("%s %q; allowed: two different columns", s.where(s.names),
			strings.Join(s.names, ","))
	}
	return dag.Edge{From: ends[0], To: ends[1]}, nil
}

// checkKnowledge finds statements that contradict each other or a known order.
func checkKnowledge(p *background.Prior, names []string, known []int) error {
	err := p.CheckTogether(names, known)
	if errors.As(err, new(*background.ContradictionError)) {
		return cli.WrongUse(err)
	}
	return nil // faults of other settings have their own messages
}
