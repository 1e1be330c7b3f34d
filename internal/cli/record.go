package cli

import (
	"tobac/setting"

	"github.com/spf13/pflag"
)

// A recorded is a flag that keeps the texts it is given.
type recorded struct {
	pflag.Value
	texts []string
}

// Set implements pflag.Value.
func (r *recorded) Set(text string) error {
	if err := r.Value.Set(text); err != nil {
		return err
	}
	if takesOne(r.Value) {
		r.texts = nil
	}
	r.texts = append(r.texts, text)
	return nil
}

// takesOne reports whether the last value of a flag is known to replace those
// before it. Other flags are given all of them again.
func takesOne(v pflag.Value) bool {
	switch v.(type) {
	case interface{ single() }, *setting.Setting:
		return true
	}
	return false
}

// single says that a second value replaces the first.
func (b *bounded[T]) single() {}

// Record makes every flag keep its texts. It is called after all of them are
// defined.
func Record(f *pflag.FlagSet) {
	f.VisitAll(func(flag *pflag.Flag) { flag.Value = &recorded{Value: flag.Value} })
}

// Marks of flags, which say what a flag has to do with the run.
const (
	// MarkOutside is for flags that are about the process and the place of the
	// results, and are no part of what run.toml repeats.
	MarkOutside = "tobac outside"
	// MarkAnytime is for flags that change no step of the run, and may differ when it is
	// resumed.
	MarkAnytime = "tobac anytime"
)

// Mark adds a mark to flags.
func Mark(f *pflag.FlagSet, with string, names ...string) {
	for _, name := range names {
		// an unknown name would be seen by the test of all marks
		f.SetAnnotation(name, with, []string{"true"})
	}
}

func Marked(flag *pflag.Flag, with string) bool { return len(flag.Annotations[with]) > 0 }

// Texts are those that a flag was given.
func Texts(flag *pflag.Flag) []string {
	if r, ok := flag.Value.(*recorded); ok {
		return r.texts
	}
	return []string{flag.Value.String()}
}
