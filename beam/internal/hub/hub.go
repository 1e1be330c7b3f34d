package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"tobac/internal/jobs"
)

// DefaultAttempts is how often a job is begun before it counts as failed.
const DefaultAttempts = 3

// A Hub holds the jobs of one run. Its methods are safe for concurrent use.
type Hub struct {
	listener  net.Listener
	secret    string
	attempts  int
	functions jobs.Functions    // stand-ins
	data      map[string][]byte // by digest
	goroutine sync.WaitGroup
	ctx       context.Context // done when the run has ended
	cancel    context.CancelFunc

	reporting sync.Mutex // held while done or say is called
	done      func(i int, output []byte, err error)
	say       func(string)

	mu      sync.Mutex
	settled *sync.Cond // a job has left the state running
	list    []entry
	first   int // no job before it waits
	left    int // jobs that have not ended
	running int
	begun   int   // attempts
	refused error // why the last worker that was refused was
	conns   map[net.Conn]bool
	met     int // workers, so far
	here    int // workers, now
}

type state int

const (
	waiting state = iota
	running
	finished
)

type entry struct {
	job     jobs.Job
	id      string
	data    []string // digests
	state   state
	failed  int      // attempts
	attempt *attempt // the one that runs
}

// New starts a hub that listens on an address such as "127.0.0.1:0". The functions are stand-ins,
// see [StandIns]. A job that fails, or whose worker dies, is begun up to so many times (0:
// DefaultAttempts). done is called once for each job that has succeeded or failed for good, never
// twice at the same time; a worker is told that its output has arrived after done has returned.
// say, nil for none, is told of workers that come and go. The caller must Close the hub.
func New(listen string, f jobs.Functions, list []jobs.Job, attempts int,
	done func(i int, output []byte, err error), say func(string)) (*Hub, error) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	var secret [secretSize / 2]byte
	rand.Read(secret[:])
	h := &Hub{
		listener: listener, secret: hex.EncodeToString(secret[:]), attempts: attempts, functions: f,
		done: done, say: say,
		data: map[string][]byte{}, left: len(list), conns: map[net.Conn]bool{},
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	if attempts == 0 {
		h.attempts = DefaultAttempts
	}
	h.settled = sync.NewCond(&h.mu)
	known := map[*byte]string{}
	ids := jobs.IDs(list)
	for i, j := range list {
		e := entry{job: j, id: ids[i]}
		for _, d := range j.Data {
			e.data = append(e.data, h.share(d, known))
		}
		h.list = append(h.list, e)
	}
	h.goroutine.Go(h.accept)
	return h, nil
}

// share keeps a larger input under its digest. Jobs share tables: each is digested
// once.
func (h *Hub) share(data []byte, known map[*byte]string) string {
	if len(data) > 0 {
		if digest, ok := known[&data[0]]; ok && len(h.data[digest]) == len(data) {
			return digest
		}
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	h.data[digest] = data
	if len(data) > 0 {
		known[&data[0]] = digest
	}
	return digest
}

// Address is where the hub listens.
func (h *Hub) Address() *net.TCPAddr { return h.listener.Addr().(*net.TCPAddr) }

// Secret is what a worker needs beside the address.
func (h *Hub) Secret() string { return h.secret }

// Left is the number of jobs that have neither succeeded nor failed for good.
func (h *Hub) Left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left
}

// Begun is the number of attempts at jobs so far.
func (h *Hub) Begun() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.begun
}

// Refused says why the last worker that was refused was; nil means none.
func (h *Hub) Refused() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused
}

// End tells the workers to stop: they get no more jobs, and their functions are
// cancelled.
func (h *Hub) End() { h.cancel() }

// Deserted returns true when no worker is connected for the time gone, after there was one since
// the call, or the time none is over, in which none came (0: forever); and false when ctx is done.
func (h *Hub) Deserted(ctx context.Context, none, gone time.Duration) bool {
	before, _ := h.workers()
	tick := time.NewTicker(gone / 20)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		met, here := h.workers()
		limit := gone
		if met == before {
			limit = none
		}
		switch {
		case here > 0:
			last = time.Now()
		case limit > 0 && time.Since(last) > limit:
			return true
		}
	}
}

// workers is how many there were so far, and how many are connected.
func (h *Hub) workers() (met, here int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.met, h.here
}

// Settle waits until no worker does a job.
func (h *Hub) Settle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.running > 0 {
		h.settled.Wait()
	}
}

// Close ends the run and all connections. After it done is not called.
func (h *Hub) Close() {
	h.End()
	h.listener.Close()
	h.mu.Lock()
	for conn := range h.conns {
		conn.Close()
	}
	h.mu.Unlock()
	h.goroutine.Wait()
}

// take makes a waiting job run, the one of a number or, for Any, the first; nil means none.
func (h *Hub) take(number int) (*attempt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number == Any {
		for h.first < len(h.list) && h.list[h.first].state != waiting {
			h.first++
		}
		number = h.first
		if number == len(h.list) {
			return nil, nil
		}
	}
	if number < 0 || number >= len(h.list) {
		return nil, fmt.Errorf("no job has the number %d; this run has %d", number, len(h.list))
	}
	e := &h.list[number]
	if h.ctx.Err() != nil || e.state != waiting {
		return nil, nil
	}
	e.state = running
	e.attempt = &attempt{number: number, begun: make(chan struct{}), result: make(chan Delivery, 1),
		over: make(chan struct{})}
	h.running++
	h.begun++
	return e.attempt, nil
}

// finish takes the end of an attempt.
func (h *Hub) finish(a *attempt, output []byte, err error) {
	h.mu.Lock()
	e := &h.list[a.number]
	e.attempt = nil
	h.running--
	h.settled.Broadcast()
	if err != nil {
		e.failed++
		if h.ctx.Err() != nil || a.hasBegun() && e.failed < h.attempts {
			e.state, h.first = waiting, min(h.first, a.number)
			h.mu.Unlock()
			return
		}
		if e.failed > 1 {
			err = fmt.Errorf("%w (%d attempts)", err, e.failed)
		}
	}
	e.state = finished
	h.left--
	h.mu.Unlock()

	h.reporting.Lock()
	defer h.reporting.Unlock()
	h.done(a.number, output, err)
}

// tell tells of an event.
func (h *Hub) tell(format string, values ...any) {
	if h.say != nil {
		h.reporting.Lock()
		defer h.reporting.Unlock()
		h.say(fmt.Sprintf(format, values...))
	}
}

// errDied is why an attempt ended whose worker did.
var errDied = errors.New("its process ended during the job: killed, or short of memory")
