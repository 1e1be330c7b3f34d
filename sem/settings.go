package sem

import (
	"fmt"
	"slices"
	"strings"

	"tobac/setting"
)

// Settings are those of a model of this package with a text form, and the model that they change,
// which begins as m; none for other models.
func Settings(m Model) (Model, []*setting.Setting) {
	if c, ok := m.(chosen); ok {
		f := c.form()
		return f.changed, f.settings
	}
	return m, nil
}

// text is the text form of a model: its first word, and the settings that are not zero, each a name
// and its value, such as "ffn hidden=3 no-bias".
func text(m chosen) string {
	f := m.form()
	words := []string{f.family}
	for _, s := range f.settings {
		switch v := s.String(); v {
		case "":
		case "true":
			words = append(words, s.Name)
		case "false":
			words = append(words, "no-"+s.Name)
		default:
			words = append(words, s.Name+"="+v)
		}
	}
	return strings.Join(words, " ")
}

// setWord sets a setting to what a word of a text form says.
func setWord(all []*setting.Setting, word string) error {
	name, value, given := strings.Cut(word, "=")
	if !given {
		value = "true"
		if n, off := strings.CutPrefix(name, "no-"); off {
			name, value = n, "false"
		}
	}
	at := slices.IndexFunc(all, func(s *setting.Setting) bool { return s.Name == name })
	if at < 0 {
		return fmt.Errorf("unknown setting %q", name)
	}
	if err := all[at].Set(value); err != nil {
		return fmt.Errorf("%s is %q; %w", name, value, err)
	}
	return nil
}

const (
	noiseUsage   = "variance of the noise of every variable, in squared units of the data"
	noiseDefault = "inferred; 0.1 with the recipe paper"
	mostParents  = 10_000
	mostRank     = 10_000
)

// maxParents is the setting of that name.
func maxParents(v *int) *setting.Setting {
	return setting.WholeNumber(v, mostParents, "max-parents",
		"largest sets of parents that are all scored", "as many as seconds allow")
}
