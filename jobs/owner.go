package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tobac/internal/file"
)

// An owner is a process that does jobs of a folder. Its claims are hard links to its
// file, whose lock the system takes back when the process ends, however it ends.
type owner struct {
	card card
	path string
	file *os.File
	stop chan struct{}
	beat sync.WaitGroup
}

// A card is what the file of an owner says.
type card struct {
	Token   string `json:"token"`
	Machine string `json:"machine"` // one running kernel, which knows the lock
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Beat    uint32 `json:"beat"` // grows while the process lives
}

// String is for a reader.
func (c card) String() string { return fmt.Sprintf("process %d on %s", c.PID, c.Host) }

// Times by which processes on other machines judge whether an owner lives.
const (
	beatEvery = 10 * time.Second
	patience  = 60 * time.Second // without a beat, after which an owner is taken for dead
)

// thisMachine is the running kernel where it has an id, else the host.
var thisMachine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		host, _ := os.Hostname() // "" where it is unknown
		return host
	}
	return strings.TrimSpace(string(boot))
})

// newOwner makes the file of this process, and keeps its heart beating.
func newOwner(dir string) (*owner, error) {
	owners := filepath.Join(dir, ownersName)
	if err := os.MkdirAll(owners, 0o777); err != nil {
		return nil, file.WithPath(owners, err)
	}
	sweepOwners(owners)
	host, _ := os.Hostname()
	o := &owner{stop: make(chan struct{}), card: card{Machine: thisMachine(), Host: host, PID: os.Getpid()}}
	// A token tells owners apart, and decides nothing else.
	o.card.Token = fmt.Sprintf("%s-%d-%08x", host, o.card.PID, rand.Uint32())
	o.path = filepath.Join(owners, o.card.Token)
	f, err := os.OpenFile(o.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, file.WithPath(o.path, err)
	}
	o.file = f
	file.TryLock(f) // without locks its heart alone says that it lives
	if err := o.write(); err != nil {
		f.Close()
		os.Remove(o.path)
		return nil, file.WithPath(o.path, err)
	}
	o.beat.Go(o.keepBeating)
	return o, nil
}

// write writes the card in a fixed length, at once.
func (o *owner) write() error {
	text, err := json.Marshal(o.card)
	if err != nil {
		return err
	}
	pad := len(fmt.Sprint(uint32(math.MaxUint32))) - len(fmt.Sprint(o.card.Beat))
	_, err = o.file.WriteAt(append(text, strings.Repeat(" ", pad)...), 0)
	return err
}

func (o *owner) keepBeating() {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-ticker.C:
			o.card.Beat++
			if o.write() == nil {
				o.file.Sync() // for other machines; where it fails they see the next one
			}
		}
	}
}

// end takes back the file and its lock. Claims that are left are those of a dead owner.
func (o *owner) end() {
	close(o.stop)
	o.beat.Wait()
	os.Remove(o.path) // one that stays is swept by the next process
	o.file.Close()
	sweepOwners(filepath.Dir(o.path))
}

// sweepOwners removes the files of processes of this machine that have ended.
func sweepOwners(owners string) {
	entries, err := os.ReadDir(owners)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(owners, e.Name())
		if _, lives, known := probe(path); known && !lives {
			os.Remove(path)
		}
	}
}

// probe reads a card and, where the system can tell, whether its owner lives. One
// that was not written yet is not known.
func probe(path string) (c card, lives, known bool) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return c, false, false
	}
	defer f.Close()
	if json.NewDecoder(f).Decode(&c) != nil || c.Machine != thisMachine() {
		return c, true, false
	}
	held, busy := file.TryLock(f)
	return c, !held, held || busy
}

// A watcher judges owners of other machines by their hearts. It belongs to one goroutine at a time.
type watcher struct {
	seen map[string]sighting // by path
	now  func() time.Time
}

type sighting struct {
	card  card
	since time.Time // when this beat was first seen
}

// look says whose a claim is, and whether it is there and its owner lives, as far as can be known.
func (w *watcher) look(claim string) (c card, there, lives bool) {
	if _, err := os.Lstat(claim); errors.Is(err, fs.ErrNotExist) {
		return c, false, false
	}
	c, lives, known := probe(claim)
	if known {
		return c, true, lives
	}
	last, ok := w.seen[claim]
	if !ok || last.card != c {
		w.seen[claim] = sighting{c, w.now()}
		return c, true, true
	}
	return c, true, w.now().Sub(last.since) < patience
}
