package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"tobac/internal/file"
)

// claims are those of one process on the jobs of a folder. The claim of a job is
// the hard link claims/ab/ID.1 to the file of its owner, which only one process can make. Where the
// owner is dead, others contend for ID.2, and so on; a claim is removed by its owner, or once the
// output is kept. So there is never a moment in which two that live have won the same one.
type claims struct {
	folder *Folder

	mu    sync.Mutex
	owner *owner         // nil: none yet
	mine  map[string]int // number of the claim on each job
	watch watcher
}

func newClaims(f *Folder) *claims {
	return &claims{folder: f, mine: map[string]int{}, watch: watcher{folder: f, seen: map[string]sighting{}, now: time.Now}}
}

// name is that of a claim in the folder.
func (c *claims) name(id string, number int) string {
	return fmt.Sprintf("%s.%d", jobPath(claimsName, id), number)
}

// take claims a job. Where another process that lives has it, won is false, and holder says who.
// An error says that claims cannot be made here.
func (c *claims) take(id string) (won bool, holder card, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mine[id] > 0 {
		return true, card{}, nil
	}
	if c.owner == nil {
		if c.owner, err = newOwner(c.folder); err != nil {
			return false, card{}, err
		}
	}
	dir := path.Dir(c.name(id, 1))
	if err := c.folder.root.MkdirAll(dir, 0o777); err != nil {
		return false, card{}, file.WithPath(c.folder.path(dir), err)
	}
	for number := 1; ; {
		err := c.folder.root.Link(c.owner.name, c.name(id, number))
		if err == nil {
			c.mine[id] = number
			return true, card{}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return false, card{}, file.WithPath(c.folder.path(c.name(id, number)), err)
		}
		switch holder, there, lives := c.watch.look(c.name(id, number)); {
		case lives:
			return false, holder, nil
		case there: // of a dead owner; else it was given back meanwhile, and is free
			number++
		}
	}
}

// free reports whether no process that lives has a claim on a job.
func (c *claims) free(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for number := 1; ; number++ {
		if _, there, lives := c.watch.look(c.name(id, number)); lives || !there {
			return !lives
		}
	}
}

// finish removes all claims on a job whose output is kept, and the record of a
// former failure. What cannot be removed is of no effect.
func (c *claims) finish(id string) {
	c.mu.Lock()
	own := c.mine[id]
	delete(c.mine, id)
	c.mu.Unlock()
	root, removed := c.folder.root, 0
	for root.Remove(c.name(id, removed+1)) == nil {
		removed++
	}
	if own > removed { // beside one before it that its owner took back
		root.Remove(c.name(id, own))
	}
	root.Remove(jobPath(failedName, id))
	if removed > 1 || removed == 1 && own == 0 {
		file.SweepIn(root, path.Dir(jobPath(doneName, id))) // of a process that was killed while it wrote
	}
}

// end gives back what is left.
func (c *claims) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, number := range c.mine {
		c.folder.root.Remove(c.name(id, number)) // one that stays is that of a dead owner from now on
	}
	if c.owner != nil {
		c.owner.end()
	}
}

// A failureRecord says that the owner of a claim has failed to do its job, so that
// those who wait for it wait no longer. The next run does the job again.
type failureRecord struct {
	Token string `json:"token"`
	Owner string `json:"owner"`
	Kind  string `json:"kind"`
	Error string `json:"error"`
}

// fail records the failure of a job. It is of use to other processes alone, so that a
// folder that cannot be written to is no error here.
func (c *claims) fail(id, kind string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mine[id] == 0 {
		return
	}
	text, encoding := json.Marshal(failureRecord{c.owner.card.Token, c.owner.card.String(), kind, err.Error()})
	if encoding != nil {
		return
	}
	file.WriteIn(c.folder.root, jobPath(failedName, id), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// failed is the failure of a job that an owner recorded; nil: it did not.
func (c *claims) failed(id, token string) error {
	text, err := c.folder.read(jobPath(failedName, id))
	if err != nil {
		return nil
	}
	var r failureRecord
	if json.Unmarshal(text, &r) != nil || r.Token != token {
		return nil
	}
	return fmt.Errorf("%s (in %s)", r.Error, r.Owner)
}
