package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/drawn"
	"tobac/internal/file"
	"tobac/internal/words"
	"tobac/posterior"
	"tobac/sem"
)

// A savedRun is a folder that tobac fit wrote, with what its draws say about interventions.
type savedRun struct {
	folder    string
	files     *file.Folder
	posterior *posterior.Posterior
	effects   *effects.Effects // nil means the draws have no parameters
	transform string           // of the columns, "none" or its name
	columns   []effects.Column
}

// readRun reads a folder that tobac fit wrote; edited is what --edited says.
func readRun(folder string, edited bool) (*savedRun, error) {
	const allowed = "a folder written by tobac fit --out"
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; allowed: %s", file.WithPath(folder, err), allowed)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: a file; allowed: %s", folder, allowed)
	}
	r := &savedRun{folder: folder, transform: "none"}
	if r.files, err = file.OpenFolder(folder, edited); err != nil {
		return nil, err
	}
	r.posterior, err = readDraws(r.files, folder, particlesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no %s in it; allowed: %s", folder, particlesFile, allowed)
	case err != nil:
		return nil, err
	}
	answering, err := readDraws(r.files, folder, functionsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		answering = r.posterior
	case err != nil:
		return nil, err
	}
	s, err := summaryIn(r.files, folder)
	if errors.Is(err, fs.ErrNotExist) {
		s = new(storedSummary) // the columns are unknown
	} else if err != nil {
		return nil, err
	}
	if r.effects, err = drawn.EffectsOf(answering, s.Columns, s.config.Seed); err != nil {
		if !errors.Is(err, effects.ErrNoParameters) {
			return nil, cli.Located(folder, err)
		}
		r.effects = nil
	}
	r.columns = s.Columns
	if s.config.Transform != "" {
		r.transform = s.config.Transform
	}
	return r, nil
}

// checkEffects is an error where nothing is known of interventions.
func (r *savedRun) checkEffects() error {
	if r.effects == nil {
		return fmt.Errorf("%s: its draws have no parameters (%s) to predict with; fit with a "+
			"model that has them, such as linear or linear-unequal", r.folder,
			sem.Describe(r.posterior.Model))
	}
	return nil
}

// variable is the index of a column.
func (r *savedRun) variable(option, name string) (int, error) {
	j := slices.Index(r.posterior.Names, name)
	if j < 0 {
		return 0, cli.Usagef("%s: no column is named %s%s; allowed: %s", option,
			delimited.Excerpt(name), words.Suggestion(name, r.posterior.Names),
			delimited.Excerpts(r.posterior.Names))
	}
	return j, nil
}
