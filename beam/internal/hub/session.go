package hub

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/rpc"
	"sync"
	"time"

	"tobac/internal/jobs"
)

// A session is one connection of a worker, and what it has claimed. Its exported
// methods are the calls of the protocol.
type session struct {
	hub  *Hub
	gone chan struct{} // closed when nothing more can be read

	mu      sync.Mutex
	name    string
	known   bool // Hello went well
	claimed map[int]*attempt
}

func (h *Hub) accept() {
	for {
		conn, err := h.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of descriptors: connections that end free some
			continue
		}
		h.goroutine.Go(func() {
			defer conn.Close()
			if h.open(conn) {
				h.serve(conn)
				h.mu.Lock()
				delete(h.conns, conn)
				h.mu.Unlock()
			}
		})
	}
}

// open registers a connection, which Close closes; false: the run has ended.
func (h *Hub) open(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return false
	}
	h.conns[conn] = true
	return true
}

// serve answers one worker until it hangs up. Nothing that a stranger sends is
// decoded.
func (h *Hub) serve(conn net.Conn) {
	secret := make([]byte, secretSize)
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadFull(conn, secret); err != nil ||
		subtle.ConstantTimeCompare(secret, []byte(h.secret)) != 1 {
		return
	}
	conn.SetReadDeadline(time.Time{})
	s := &session{hub: h, name: conn.RemoteAddr().String(), gone: make(chan struct{}),
		claimed: map[int]*attempt{}}
	server := rpc.NewServer()
	if err := server.RegisterName("Hub", s); err != nil {
		panic("hub: " + err.Error()) // a method does not have the form that net/rpc asks for
	}
	server.ServeConn(&watched{Conn: conn, gone: s.gone})
	// Every call has ended: what is claimed now will not be delivered.
	if s.known {
		h.mu.Lock()
		h.here--
		h.mu.Unlock()
		if h.ctx.Err() == nil {
			h.tell("worker %s is gone; of its jobs %d are begun again", s.name, len(s.claimed))
		}
	}
	for _, a := range s.claimed {
		a.deliver(Delivery{Failure: fmt.Sprintf("worker %s: %v", s.name, errDied)})
	}
}

// watched closes a channel when reading fails: ServeConn itself returns only
// after all calls, and one of them, Watch, waits for this.
type watched struct {
	net.Conn
	once sync.Once
	gone chan struct{}
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if err != nil {
		w.once.Do(func() { close(w.gone) })
	}
	return n, err
}

// Hello is the first call of a worker.
func (s *session) Hello(from Hello, _ *Nothing) error {
	if err := s.admit(from); err != nil {
		return err
	}
	s.hub.tell("worker %s has come", from.Name)
	return nil
}

// admit takes a worker that computes the same bits.
func (s *session) admit(from Hello) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = from.Name
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if want := jobs.Program(); from.Program != want {
		err := fmt.Errorf("worker %s is refused: it would give other results in their last bits "+
			"(its program: %s; that of this run: %s); start the same tobac-beam on every machine",
			from.Name, from.Program, want)
		s.hub.refused = err
		return err
	}
	s.known = true
	s.hub.met++
	s.hub.here++
	return nil
}

var errUnknown = errors.New("a worker must say Hello first")

// Claim makes a job that waits the worker's own.
func (s *session) Claim(number int, reply *Assignment) error {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if !known {
		return errUnknown
	}
	for {
		a, err := s.hub.take(number)
		if err != nil || a == nil {
			return err
		}
		if !s.hub.begin(a) {
			if number != Any {
				return nil
			}
			continue
		}
		s.mu.Lock()
		s.claimed[a.number] = a
		s.mu.Unlock()
		e := &s.hub.list[a.number]
		*reply = Assignment{Some: true, Number: a.number, ID: e.id, Kind: e.job.Kind,
			Input: e.job.Input, Data: e.data}
		return nil
	}
}

// Data is a larger input.
func (s *session) Data(digest string, reply *[]byte) error {
	data, ok := s.hub.data[digest]
	if !ok {
		return fmt.Errorf("no data have the digest %q", digest)
	}
	*reply = data
	return nil
}

// Deliver ends an attempt. A worker that has connected anew delivers what it had
// claimed before, whoever does the job now.
func (s *session) Deliver(d Delivery, _ *Nothing) error {
	h := s.hub
	if d.Number < 0 || d.Number >= len(h.list) || h.list[d.Number].id != d.ID {
		return fmt.Errorf("job %d of this run is not %.12s", d.Number, d.ID)
	}
	s.mu.Lock()
	a := s.claimed[d.Number]
	delete(s.claimed, d.Number)
	if d.Failure != "" {
		d.Failure = fmt.Sprintf("worker %s: %s", s.name, d.Failure)
	}
	s.mu.Unlock()
	if a == nil && d.Failure == "" {
		h.mu.Lock()
		a = h.list[d.Number].attempt
		h.mu.Unlock()
	}
	if a == nil {
		return nil
	}
	a.deliver(d)
	<-a.over
	return nil
}

// Watch returns when the run has ended, and fails when the connection does.
func (s *session) Watch(Nothing, *Nothing) error {
	select {
	case <-s.hub.ctx.Done():
	case <-s.gone:
	}
	return nil
}
