package jobs

import (
	"bytes"
	"errors"
	"fmt"
)

// Merge takes what another folder has and this one has not: outputs, of which it
// returns the number, lists and data. A damaged output of from is named in the
// error, and so is one that differs from that of this folder, which stays; all others
// are taken even so.
func (f *Folder) Merge(from *Folder) (added int, err error) {
	if err := f.mergeLists(from); err != nil {
		return 0, err
	}
	var failed []error
	err = from.walkOutputs(func(id string) error {
		took, err := f.take(from, id)
		if took {
			added++
		}
		var w *writeError
		if errors.As(err, &w) {
			return w.error // a folder that cannot be written to takes none of the others
		}
		failed = append(failed, err)
		return nil
	})
	return added, together(append(failed, err)...)
}

// A writeError is that of a write.
type writeError struct{ error }

// take takes the output of one job.
func (f *Folder) take(from *Folder, id string) (took bool, err error) {
	output, m, ok, err := from.output(id)
	if err != nil || !ok {
		return false, err
	}
	if mine, ok, err := f.Output(id); err == nil && ok {
		if !bytes.Equal(mine, output) {
			return false, fmt.Errorf("%s: differs from the output of the same job in %s", from.path(jobPath(doneName, id)), f.dir)
		}
		return false, nil
	}
	if err := f.KeepMeasured(id, output, m); err != nil {
		return false, &writeError{err}
	}
	return true, nil
}

// walkOutputs calls do with the ID of every output.
func (f *Folder) walkOutputs(do func(id string) error) error {
	folders, err := f.entries(doneName)
	if err != nil {
		return err
	}
	var failed []error
	for _, folder := range folders {
		name := doneName + "/" + folder.Name()
		entries, err := f.entries(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if id := e.Name(); !isDigest(id) || id[:2] != folder.Name() {
				failed = append(failed, fmt.Errorf("%s: is not named as the output of a job", f.path(name+"/"+id)))
			} else if err := do(id); err != nil {
				return err
			}
		}
	}
	return together(failed...)
}

// mergeLists takes lists, and the data that belong to them.
func (f *Folder) mergeLists(from *Folder) error {
	list, err := from.Jobs()
	if err != nil || len(list) == 0 {
		return err
	}
	return f.Add(list)
}
