package hub

import "tobac/internal/jobs"

// Hello is what a worker says of itself.
type Hello struct {
	Program string // jobs.Program
	Name    string // host and process, for messages
}

// An Assignment is a job that a worker has claimed, or none.
type Assignment struct {
	Some   bool
	Number int
	ID     string
	Kind   string
	Input  []byte
	Data   []string // digests; the call Data has what they stand for
}

// A Delivery is the end of an attempt at a job: its output, or why there is none.
type Delivery struct {
	Number   int
	ID       string
	Output   []byte
	Measured jobs.Measured
	Failure  string // "" means it succeeded
}

// Nothing is an argument or a reply without content.
type Nothing struct{}

// Any is the number of a claim to whichever job comes next.
const Any = -1

// secretSize is the length of what a worker must know to be heard.
const secretSize = 32
