package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac/internal/file"
	"tobac/internal/vector"
)

// previousEnding is what the checkpoint before the last has behind the name of the
// last.
const previousEnding = ".previous"

// previous is the place of the checkpoint before the last.
func previous(path string) string { return path + previousEnding }

// keepPrevious copies the checkpoint at path, so that there is one whatever becomes of
// the file that replaces it. A damaged one does not take the place of a good one.
func keepPrevious(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return file.WithPath(path, err)
	}
	if _, err := file.Unseal(text); err != nil {
		return nil
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return file.WithPath(path, err)
	}
	defer dir.Close()
	return file.WriteIn(dir, previous(filepath.Base(path)), func(w io.Writer) error { // not through a link, which nobody has named
		_, err := w.Write(text)
		return err
	})
}

// withPrevious adds to the error of a checkpoint that the one before it is there.
func withPrevious(path string, err error) error {
	if k, other := openCheckpoint(previous(path)); other == nil {
		return fmt.Errorf("%w; the checkpoint before it is at step %d: %s", err, k.Snapshot.Step, resumeCommand(previous(path)))
	}
	return err
}

// checkpointPlace is where a run that is resumed from a file keeps its state: there,
// or where the last checkpoint was if the file is the one before it.
func checkpointPlace(resumed string) string {
	if filepath.Base(resumed) == previousEnding {
		return resumed
	}
	return strings.TrimSuffix(resumed, previousEnding)
}

// warnings say that a checkpoint is of another version of the program, whose bits may
// differ. k may be nil.
func (k *checkpoint) warnings(path string) []string {
	is := currentVersions()
	if k == nil || k.Versions.Tobac == is.Tobac && k.Versions.Go == is.Go {
		return nil
	}
	return []string{fmt.Sprintf("%s was written by tobac %s (%s), this is tobac %s (%s): the last digits of the result may be others than those of a run that was not interrupted",
		path, k.Versions.Tobac, k.Versions.Go, is.Tobac, is.Go)}
}

// otherArithmetic says why a run cannot go on with the kernels in use, and with which it
// can. was and is are as [autograd.Arithmetic] has them.
func otherArithmetic(path, was, is string) error {
	text := fmt.Sprintf("was made with the arithmetic %s, this run has %s, which gives other bits", was, is)
	at := strings.LastIndex(was, " ") + 1
	can := slices.ContainsFunc(vector.Available(), func(s vector.Set) bool { return s.String() == was[at:] })
	if !can || !strings.HasPrefix(is, was[:at]) {
		return fmt.Errorf("%s; resume it where it was made, or start anew without --resume", text)
	}
	return fmt.Errorf("%s; to continue: TOBAC_KERNELS=%s %s", text, was[at:], resumeCommand(path))
}
