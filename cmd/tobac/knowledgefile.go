package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tobac/background"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/table"
	"tobac/internal/words"

	"github.com/BurntSushi/toml"
)

// readKnowledge adds what a file says to a prior: the statements of a TOML file, or
// all edges of a graph, as required ones, of a file in any format of graphs.
func readKnowledge(path string, p *background.Prior, names []string) error {
	if !isStatements(path) {
		g, _, err := readGraph(path, names)
		if err != nil {
			return err
		}
		required, err := g.DAG()
		if err != nil {
			return cli.Located(path, err)
		}
		p.Required = append(p.Required, required.Edges()...)
		return nil
	}
	s, err := openKnowledge(path)
	if err != nil {
		return err
	}
	return s.apply(p, names)
}

// openKnowledge reads a file of statements.
func openKnowledge(path string) (s statements, err error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return s, err
	}
	defer f.Close() // only read: closing cannot lose anything
	text, err := io.ReadAll(io.LimitReader(f, maxKnowledge+1))
	switch {
	case err != nil:
		return s, file.WithPath(path, err)
	case len(text) > maxKnowledge:
		return s, fmt.Errorf("%s: more than %d MB; allowed: a small file of statements", path,
			maxKnowledge>>20)
	}
	return parseKnowledge(string(text), path)
}

// ofKinds are the kinds of columns that a file of statements has, as --kind has them.
func (k *knowledge) ofKinds() ([]string, error) {
	if !isStatements(k.file) {
		return nil, nil
	}
	s, err := openKnowledge(k.file)
	return s.kinds, err
}

// readTable reads the table with the kinds of columns that the options and the knowledge say.
func (o *fitOptions) readTable(path string, stdin io.Reader) (*table.Prepared, error) {
	kinds, err := o.knowledge.ofKinds()
	if err != nil {
		return nil, err
	}
	with := o.table
	with.want.Kinds = slices.Concat(o.table.want.Kinds, kinds)
	return with.read(path, stdin)
}

// isStatements reports whether a file is one of statements, and no graph.
func isStatements(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// maxKnowledge is the size of the largest file of statements, in bytes.
const maxKnowledge = 4 << 20

// knowledgeKeys are what a file of statements may hold.
const knowledgeKeys = "forbid, require, tiers, sinks, sources, odds, kinds"

// A knowledgeFile is the form of a file of statements.
type knowledgeFile struct {
	Forbid, Require nameLists
	Tiers           nameLists
	Sinks, Sources  nameList
	Odds            oddsList
	Kinds           kindTable
}

// A kindTable says what columns are.
type kindTable map[string]string

// UnmarshalTOML implements toml.Unmarshaler.
func (t *kindTable) UnmarshalTOML(value any) error {
	all, ok := value.(map[string]any)
	*t = kindTable{}
	for name, v := range all {
		kind, isText := v.(string)
		if ok = ok && isText; ok {
			if !table.IsKind(kind) {
				return fmt.Errorf("%s: unknown kind %q; allowed: %s", delimited.Excerpt(name), kind,
					kindNames())
			}
		}
		(*t)[name] = kind
	}
	if !ok {
		return errors.New(
			`no table of kinds; allowed: lines such as stage = "ordered" below [kinds]`)
	}
	return nil
}

// nameLists is a list of lists of names.
type nameLists [][]string

// UnmarshalTOML implements toml.Unmarshaler, for errors that say what is allowed.
func (n *nameLists) UnmarshalTOML(value any) error {
	lists, ok := value.([]any)
	for _, v := range lists {
		var list nameList
		ok = ok && list.UnmarshalTOML(v) == nil
		*n = append(*n, list)
	}
	if !ok {
		return errors.New(
			`no list of lists of names; allowed: lists such as [["a", "b"], ["c", "d"]]`)
	}
	return nil
}

// nameList is a list of names.
type nameList []string

// UnmarshalTOML implements toml.Unmarshaler.
func (n *nameList) UnmarshalTOML(value any) error {
	list, ok := value.([]any)
	for _, v := range list {
		name, isText := v.(string)
		ok = ok && isText
		*n = append(*n, name)
	}
	if !ok {
		return errors.New(`no list of names; allowed: a list such as ["a", "b"]`)
	}
	return nil
}

// An edgeOdds is a soft statement.
type edgeOdds struct {
	from, to string
	odds     float64
}

// oddsList is a list of soft statements.
type oddsList []edgeOdds

// UnmarshalTOML implements toml.Unmarshaler.
func (o *oddsList) UnmarshalTOML(value any) error {
	var tables []map[string]any
	switch v := value.(type) {
	case []map[string]any:
		tables = v
	case []any:
		for _, each := range v {
			t, ok := each.(map[string]any)
			if !ok {
				return errOdds
			}
			tables = append(tables, t)
		}
	default:
		return errOdds
	}
	for _, t := range tables {
		e, ok := edgeOdds{}, len(t) == 3
		for _, set := range []struct {
			key string
			to  *string
		}{{"from", &e.from}, {"to", &e.to}} {
			name, isText := t[set.key].(string)
			*set.to, ok = name, ok && isText
		}
		switch v := t["odds"].(type) {
		case int64:
			e.odds = float64(v)
		case float64:
			e.odds = v
		default:
			ok = false
		}
		if !ok {
			return errOdds
		}
		if err := checkOdds(e.odds); err != nil {
			return fmt.Errorf("%s to %s: %w", delimited.Excerpt(e.from), delimited.Excerpt(e.to),
				err)
		}
		*o = append(*o, e)
	}
	return nil
}

var errOdds = errors.New(
	`no list of odds; allowed: a list such as [{from = "a", to = "b", odds = 3}], with these three keys`)

// parseKnowledge reads the text of a file of statements; source names it in errors.
func parseKnowledge(text, source string) (s statements, err error) {
	var k knowledgeFile
	meta, err := cli.DecodeTOML(text, &k)
	if err != nil {
		return s, tomlError(err, source)
	}
	unknown := slices.DeleteFunc(meta.Undecoded(), func(key toml.Key) bool {
		return strings.EqualFold(key[0], "odds") || strings.EqualFold(key[0], "kinds")
	}) // which looks at its own
	if len(unknown) > 0 {
		key := unknown[0]
		return s, &delimited.Error{Source: source, Line: lineOfKey(text, key[0]),
			Problem: "unknown key " + delimited.Excerpt(key.String()), Allowed: knowledgeKeys}
	}
	located := func(key string, names ...string) statement {
		return statement{names: names, where: func(names []string) string {
			return fmt.Sprintf("%s: line %d, %s", source, lineOfNames(text, key, names), key)
		}}
	}
	pairs := func(key string, lists nameLists) (out []statement, err error) {
		for _, names := range lists {
			st := located(key, names...)
			if len(names) != 2 {
				return nil, fmt.Errorf("%s: got %s, want two, the source and the target of an edge",
					st.where(names), words.Counted(len(names), "name"))
			}
			out = append(out, st)
		}
		return out, nil
	}
	if s.forbid, err = pairs("forbid", k.Forbid); err != nil {
		return s, err
	}
	if s.require, err = pairs("require", k.Require); err != nil {
		return s, err
	}
	if k.Sinks != nil {
		s.sinks = []statement{located("sinks", k.Sinks...)}
	}
	if k.Sources != nil {
		s.sources = []statement{located("sources", k.Sources...)}
	}
	for _, group := range k.Tiers {
		s.tiers = append(s.tiers, located("tiers", group...))
	}
	for _, name := range slices.Sorted(maps.Keys(k.Kinds)) {
		s.kinds = append(s.kinds, name+"="+k.Kinds[name])
	}
	for _, o := range k.Odds {
		st := located("odds", o.from, o.to)
		st.odds = o.odds
		s.odds = append(s.odds, st)
	}
	return s, nil
}

// tomlError is a fault of a file in one line.
func tomlError(err error, source string) error {
	var fault toml.ParseError
	if !errors.As(err, &fault) {
		return &delimited.Error{Source: source, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	problem := cli.InBrief(fault.Message)
	if problem == "" {
		problem = "no TOML"
	}
	if fault.LastKey != "" {
		problem = fault.LastKey + ": " + problem
	}
	return &delimited.Error{Source: source, Line: fault.Position.Line, Problem: problem}
}

// lineOfKey is the line, counted from 1, on which a key of the file stands first; 0 if
// it is written in a way that is not recognised.
func lineOfKey(text, key string) int {
	quoted := regexp.QuoteMeta(key)
	at := regexp.MustCompile(`(?mi)^\s*\[{0,2}\s*(?:` + quoted + `|"` + quoted + `"|'` + quoted +
		`')\s*[\]=.]`).FindStringIndex(text)
	if at == nil {
		return 0
	}
	return 1 + strings.Count(text[:at[1]], "\n")
}

// lineOfNames is the line on which, from the key on, all names have appeared one after the
// other: that of the last, or of the key if they are not found.
func lineOfNames(text, key string, names []string) int {
	first := lineOfKey(text, key)
	if first == 0 {
		return 0
	}
	at := 0
	for range first - 1 {
		at += strings.Index(text[at:], "\n") + 1
	}
	for _, name := range names {
		quoted := regexp.QuoteMeta(name)
		next := regexp.MustCompile(`"` + quoted + `"|'` + quoted + `'`).FindStringIndex(text[at:])
		if next == nil {
			return first
		}
		at += next[1]
	}
	return 1 + strings.Count(text[:at], "\n")
}
