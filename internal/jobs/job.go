package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"unsafe"

	"tobac/internal/vector"
)

// A Job is a piece of work that any machine with the same program can do: its
// output is a function of it, bit by bit. Jobs are not changed once they are made.
type Job struct {
	Kind  string // which [Function] does it
	Input []byte // everything that determines the output: settings, usually JSON
	// larger inputs which several jobs share, such as a table; stored and sent once, part of the ID
	// by digest
	Data [][]byte
	Name string // what messages call it, "" means nothing; no part of the ID, and not kept
}

// ID is the hexadecimal SHA-256 of kind, input, the digests of the data, and
// [Program].
func (j Job) ID() string { return newHasher().id(j) }

// A hasher computes IDs. It takes the digest of data that jobs share once: slices
// that begin at the same place and have the same length are the same data.
type hasher map[place]string

type place struct {
	begin  *byte
	length int
}

func newHasher() hasher { return hasher{} }

// digest is the hexadecimal SHA-256 of data.
func (h hasher) digest(data []byte) string {
	at := place{unsafe.SliceData(data), len(data)}
	sum, ok := h[at]
	if !ok {
		sum = digest(data)
		h[at] = sum
	}
	return sum
}

func (h hasher) id(j Job) string {
	s := sha256.New() // its Write never fails
	part(s, Program())
	part(s, j.Kind)
	part(s, string(j.Input))
	for _, d := range j.Data {
		part(s, h.digest(d))
	}
	return hex.EncodeToString(s.Sum(nil))
}

// ids are those of all jobs of a list.
func (h hasher) ids(list []Job) []string {
	all := make([]string, len(list))
	for i, j := range list {
		all[i] = h.id(j)
	}
	return all
}

// part adds a text behind its length, so that no two lists of texts give the same bytes.
func part(s hash.Hash, text string) {
	s.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	s.Write([]byte(text))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A Function does the jobs of one kind. Its output depends on the job alone: not on
// the clock, the machine, or what was done before. It must be safe for concurrent
// use, must not change the job, and ends soon after ctx is done.
type Function func(ctx context.Context, j Job) (output []byte, err error)

// Functions are the kinds of jobs that a program can do.
type Functions map[string]Function

// Do does a job. A panic of its function is a [*PanicError].
func (f Functions) Do(ctx context.Context, j Job) (output []byte, err error) {
	do, ok := f[j.Kind]
	if !ok {
		return nil, fmt.Errorf("jobs: unknown kind %q; this program knows %s", j.Kind, f)
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		if value == nil {
			value = "the goroutine was ended by runtime.Goexit"
		}
		output, err = nil, &PanicError{Value: value, Stack: debug.Stack()}
	}()
	output, err = do(ctx, j)
	returned = true
	return output, err
}

// String lists the kinds.
func (f Functions) String() string {
	if len(f) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(f)), ", ")
}

// A PanicError is a panic of a [Function].
type PanicError struct {
	Value any
	Stack []byte // of the goroutine
}

// Error is the value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap is the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Results is the version of what the module computes. It is raised with every
// change that gives the same job other bits, so that outputs of before are neither
// taken nor mixed with new ones; a test of package tobac freezes what it stands for.
const Results = 34

// format is the version of jobs, of their IDs, and of the files of a [Folder].
const format = 1

// Program is what programs must share to give the same job the same bits: the format
// of jobs, the version of results, and the arithmetic of the machine
// ([vector.Set.Arithmetic]).
func Program() string {
	kernels, _ := vector.Default() // an unknown name is an error of whoever computes
	return fmt.Sprintf("format %d, results %d, arithmetic %s", format, Results,
		kernels.Arithmetic())
}
