package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tobac/internal/file"
)

// A recordedJob is a job in a list.
type recordedJob struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"`
	Input []byte   `json:"input"`
	Data  []string `json:"data,omitempty"` // digests
}

// Add records jobs to be done, so that another program can do them without knowing
// what made them. A list that is there already is not added again.
func (f *Folder) Add(list []Job) error {
	h := newHasher()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	data := map[string][]byte{}
	for _, j := range list {
		r := recordedJob{ID: h.id(j), Kind: j.Kind, Input: j.Input}
		for _, d := range j.Data {
			sum := h.digest(d)
			r.Data = append(r.Data, sum)
			data[sum] = d
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	for sum, d := range data {
		if err := f.addData(sum, d); err != nil {
			return err
		}
	}
	return f.addList(text.Bytes())
}

// addData writes data under its digest, unless it is there undamaged.
func (f *Folder) addData(sum string, data []byte) error {
	path := filepath.Join(f.dir, dataName, sum)
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// addList writes the text of a list behind those that are there.
func (f *Folder) addList(text []byte) error {
	names, err := f.lists()
	if err != nil {
		return err
	}
	sum := digest(text)
	next := 1
	for _, name := range names {
		number, of, _ := strings.Cut(name, "-")
		if of == sum {
			if _, err := readSealed(filepath.Join(f.dir, listsName, name)); err == nil {
				return nil
			}
		}
		var n int
		if _, err := fmt.Sscanf(number, "%d", &n); err == nil {
			next = max(next, n+1)
		}
	}
	return writeSealed(filepath.Join(f.dir, listsName, fmt.Sprintf("%06d-%s", next, sum)), text)
}

// lists are the names of the lists, in the sequence in which they were added.
func (f *Folder) lists() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, listsName)) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, file.WithPath(filepath.Join(f.dir, listsName), err)
	}
	var names []string
	for _, e := range entries {
		if e.Name()[0] != '.' { // the temporary folder of one that is being written
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Jobs are those recorded, each once, in the sequence in which they were added. A
// damaged list, or data that are not what their name says, are an error.
func (f *Folder) Jobs() ([]Job, error) {
	names, err := f.lists()
	if err != nil {
		return nil, err
	}
	var all []Job
	h, seen, data := newHasher(), map[string]bool{}, map[string][]byte{}
	for _, name := range names {
		path := filepath.Join(f.dir, listsName, name)
		text, err := readSealed(path)
		if err != nil {
			return nil, fmt.Errorf("%w; remove it, and record its jobs again", err)
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		for dec.More() {
			var r recordedJob
			if err := dec.Decode(&r); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if seen[r.ID] {
				continue
			}
			seen[r.ID] = true
			j, err := f.recorded(r, data)
			if err != nil {
				return nil, err
			}
			if got := h.id(j); got != r.ID {
				return nil, fmt.Errorf("%s: the job %.16s… has the ID %.16s… in this program, which must share %q with the one that recorded it", path, r.ID, got, Program())
			}
			all = append(all, j)
		}
	}
	return all, nil
}

// recorded is the job of a record; data are those read so far, by digest.
func (f *Folder) recorded(r recordedJob, data map[string][]byte) (Job, error) {
	j := Job{Kind: r.Kind, Input: r.Input}
	for _, sum := range r.Data {
		if _, ok := data[sum]; !ok {
			path := filepath.Join(f.dir, dataName, sum)
			content, err := os.ReadFile(path)
			if err != nil {
				return j, file.WithPath(path, err)
			}
			if digest(content) != sum {
				return j, fmt.Errorf("%s: its content has another SHA-256 than its name: it was changed, or the disk fails; remove it, and record the jobs again", path)
			}
			data[sum] = content
		}
		j.Data = append(j.Data, data[sum])
	}
	return j, nil
}
