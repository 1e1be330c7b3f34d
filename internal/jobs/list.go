package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	name := dataName + "/" + sum
	if there, err := f.read(name); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return file.WriteIn(f.root, name, func(w io.Writer) error {
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
			if _, err := f.readSealed(listsName + "/" + name); err == nil {
				return nil
			}
		}
		var n int
		if _, err := fmt.Sscanf(number, "%d", &n); err == nil {
			next = max(next, n+1)
		}
	}
	return f.writeSealed(fmt.Sprintf("%s/%06d-%s", listsName, next, sum), text)
}

// lists are the names of the lists, in the sequence in which they were added.
func (f *Folder) lists() ([]string, error) {
	entries, err := f.entries(listsName)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
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
		path := f.path(listsName + "/" + name)
		text, err := f.readSealed(listsName + "/" + name)
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
				return nil, fmt.Errorf("%s: the job %.16s… has the ID %.16s… in this program, "+
					"which must share %q with the one that recorded it", path, r.ID, got, Program())
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
			if !isDigest(sum) {
				return j, fmt.Errorf("%s: a job names data by %.80q, which is no SHA-256", f.dir,
					sum)
			}
			content, err := f.read(dataName + "/" + sum)
			if err != nil {
				return j, err
			}
			path := f.path(dataName + "/" + sum)
			if digest(content) != sum {
				return j, fmt.Errorf("%s: its content has another SHA-256 than its name: it was "+
					"changed, or the disk fails; remove it, and record the jobs again", path)
			}
			data[sum] = content
		}
		j.Data = append(j.Data, data[sum])
	}
	return j, nil
}
