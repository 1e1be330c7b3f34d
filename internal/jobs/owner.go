package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"tobac/internal/file"
)

// An owner is a process that does jobs of a folder. Its claims are hard links to its
// file, whose lock the system takes back when the process ends, however it ends.
type owner struct {
	card   card
	folder *Folder
	name   string // in the folder
	file   *os.File
	stop   chan struct{}
	beat   sync.WaitGroup
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
func newOwner(f *Folder) (*owner, error) {
	if err := f.root.MkdirAll(ownersName, 0o777); err != nil {
		return nil, file.WithPath(f.path(ownersName), err)
	}
	f.sweepOwners()
	host, _ := os.Hostname()
	o := &owner{folder: f, stop: make(chan struct{}), card: card{Machine: thisMachine(), Host: host, PID: os.Getpid()}}
	// A token tells owners apart, and decides nothing else.
	o.card.Token = fmt.Sprintf("%s-%d-%08x", host, o.card.PID, rand.Uint32())
	o.name = ownersName + "/" + o.card.Token
	var err error
	if o.file, err = f.root.OpenFile(o.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, file.WithPath(f.path(o.name), err)
	}
	file.TryLock(o.file) // without locks its heart alone says that it lives
	if err := o.write(); err != nil {
		o.file.Close()
		f.root.Remove(o.name)
		return nil, file.WithPath(f.path(o.name), err)
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
	o.folder.root.Remove(o.name) // one that stays is swept by the next process
	o.file.Close()
	o.folder.sweepOwners()
}

// sweepOwners removes the files of processes of this machine that have ended.
func (f *Folder) sweepOwners() {
	entries, _ := f.entries(ownersName) // none where they cannot be read
	for _, e := range entries {
		name := ownersName + "/" + e.Name()
		if _, lives, known := f.probe(name); known && !lives {
			f.root.Remove(name)
		}
	}
}

// probe reads a card and, where the system can tell, whether its owner lives. One
// that was not written yet is not known.
func (f *Folder) probe(name string) (c card, lives, known bool) {
	if info, err := f.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return c, false, false
	}
	in, err := f.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return c, false, false
	}
	defer in.Close()
	const most = 1 << 12 // bytes; a card has about 200
	if json.NewDecoder(io.LimitReader(in, most)).Decode(&c) != nil || c.Machine != thisMachine() {
		return c, true, false
	}
	held, busy := file.TryLock(in)
	return c, !held, held || busy
}

// A watcher judges owners of other machines by their hearts. It belongs to one goroutine at a time.
type watcher struct {
	folder *Folder
	seen   map[string]sighting // by path
	now    func() time.Time
}

type sighting struct {
	card  card
	since time.Time // when this beat was first seen
}

// look says whose a claim is, and whether it is there and its owner lives, as far as can be known.
func (w *watcher) look(claim string) (c card, there, lives bool) {
	if _, err := w.folder.root.Lstat(claim); errors.Is(err, fs.ErrNotExist) {
		return c, false, false
	}
	c, lives, known := w.folder.probe(claim)
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
