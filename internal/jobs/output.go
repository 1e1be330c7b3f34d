package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Measured is what was measured while a job was done. It stands beside the output,
// which has no part of it, so that outputs of the same job are equal byte for byte.
type Measured struct {
	Seconds float64            `json:"seconds"` // of the attempt that succeeded
	Host    string             `json:"host,omitempty"`
	Values  map[string]float64 `json:"values,omitempty"` // of [Measure]
}

// A stamp is the first line of the file of an output.
type stamp struct {
	ID       string   `json:"job"`
	Measured Measured `json:"measured"`
}

// Keep keeps the output of a job. One that is there already is replaced.
func (f *Folder) Keep(id string, output []byte) error {
	return f.KeepMeasured(id, output, Measured{})
}

// KeepMeasured is Keep with what was measured beside the output.
func (f *Folder) KeepMeasured(id string, output []byte, m Measured) error {
	first, err := json.Marshal(stamp{id, m})
	if err != nil {
		return err
	}
	return f.writeSealed(jobPath(doneName, id), append(append(first, '\n'), output...))
}

// Output is the output of a job; ok is whether the folder has it. A file that is not
// as it was written is an error, which names it.
func (f *Folder) Output(id string) (output []byte, ok bool, err error) {
	output, _, ok, err = f.output(id)
	return output, ok, err
}

// Measured is what was measured when the job of an output was done; ok is whether
// the folder has it.
func (f *Folder) Measured(id string) (m Measured, ok bool, err error) {
	_, m, ok, err = f.output(id)
	return m, ok, err
}

func (f *Folder) output(id string) (output []byte, m Measured, ok bool, err error) {
	path := f.path(jobPath(doneName, id))
	text, err := f.readSealed(jobPath(doneName, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, m, false, nil
	}
	if err != nil {
		return nil, m, false, err
	}
	first, output, cut := bytes.Cut(text, []byte{'\n'})
	var s stamp
	if err := json.Unmarshal(first, &s); err != nil || !cut {
		return nil, m, false, fmt.Errorf("%s: is not the output of a job", path)
	}
	if s.ID != id {
		return nil, m, false,
			fmt.Errorf("%s: is the output of the job %.16s…, want the output of %.16s…", path, s.ID,
				id)
	}
	return output, s.Measured, true, nil
}

// Measure adds a number to what is measured beside the output of the job of ctx, such as the
// seconds of a part; a name is set once. It does nothing where nobody listens.
func Measure(ctx context.Context, name string, value float64) {
	if r, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.values[name] = value
	}
}

type recorderKey struct{}

// A recorder takes what the functions of one attempt measure.
type recorder struct {
	mu     sync.Mutex
	values map[string]float64
	there  *Measured // of [Record]
}

// DoMeasured is [Functions.Do] with what was measured.
func (f Functions) DoMeasured(ctx context.Context, j Job) (output []byte, m Measured, err error) {
	r := &recorder{values: map[string]float64{}}
	start := time.Now()
	output, err = f.Do(context.WithValue(ctx, recorderKey{}, r), j)
	m.Seconds = time.Since(start).Seconds()
	m.Host, _ = os.Hostname() // "" where it is unknown
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.there != nil {
		m = *r.there
	} else if len(r.values) > 0 {
		m.Values = r.values
	}
	return output, m, err
}
