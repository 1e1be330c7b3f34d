// Package simulate says what a run on many machines costs, from what its scheduler
// was measured to cost on one.
//
// The model: a machine is there after Start seconds. Then, until no job is left, it asks the
// program that gives out the jobs for one, computes it, and delivers the output. Each
// job keeps that program busy for Hub seconds, half when it is given out and half when
// it is delivered; it serves one machine after another in the sequence of their requests. A job
// takes its machine Trip seconds beside its own time. The times of jobs are drawn from a
// log-normal distribution. Machines neither fail nor differ.
package simulate

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
)

// Cost is what the scheduler costs, in seconds.
type Cost struct {
	Start float64 // before the first job of a machine
	Hub   float64 // of the program that gives out the jobs, for each
	Trip  float64 // of a machine, for each, when nobody else asks
}

// Work are the jobs.
type Work struct {
	Jobs    int
	Seconds float64 // of a job, in the mean
	LogSD   float64 // standard deviation of the logarithm of the seconds
	Seed    uint64
}

// A Result is what a run costs.
type Result struct {
	Machines int
	Seconds  float64 // until the last output is there
	PerJob   float64 // machine-seconds of a job, with those of machines that wait for the last one
	Busy     float64 // the part of the time in which the giving program works
}

// Run simulates a run. The same work gives the same jobs for every number of machines. It
// panics for no jobs, no machines and negative times.
func Run(w Work, c Cost, machines int) Result {
	if w.Jobs < 1 || machines < 1 || min(w.Seconds, w.LogSD, c.Start, c.Hub, c.Trip) < 0 {
		panic(fmt.Sprintf("simulate: %d machines, %+v, %+v", machines, w, c))
	}
	random := rand.New(rand.NewPCG(w.Seed, 0))
	var queue events
	for range machines {
		queue = append(queue, event{at: c.Start})
	}
	free, last, left := 0.0, 0.0, w.Jobs // when the giving program is free again
	for len(queue) > 0 {
		e := heap.Pop(&queue).(event)
		if !e.delivers && left == 0 {
			continue
		}
		free = max(free, e.at) + c.Hub/2
		if e.delivers {
			last = max(last, free)
			heap.Push(&queue, event{at: free})
			continue
		}
		left--
		// The mean of a log-normal distribution is exp(μ+σ²/2).
		time := w.Seconds * math.Exp(w.LogSD*random.NormFloat64()-w.LogSD*w.LogSD/2)
		heap.Push(&queue, event{at: free + c.Trip + time, delivers: true})
	}
	return Result{Machines: machines, Seconds: last,
		PerJob: last * float64(machines) / float64(w.Jobs), Busy: float64(w.Jobs) * c.Hub / last}
}

// An event is a machine that turns to the giving program.
type event struct {
	at       float64
	delivers bool
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
