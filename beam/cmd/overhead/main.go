// Command overhead measures what the scheduler costs by jobs that do nothing, and says
// by simulation what it costs on many machines.
//
//	overhead --n 1000 [options of tobac-beam] [DIR]
//
// DIR is an empty folder that keeps the outputs; without it nothing is kept.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"syscall"
	"time"

	"tobac/beam"
	"tobac/beam/simulate"
	"tobac/internal/jobs"
)

var functions = jobs.Functions{"nothing": func(context.Context, jobs.Job) ([]byte, error) {
	return make([]byte, 1000), nil
}}

func main() {
	e := beam.Engine{}
	n := flag.Int("n", 1000, "empty jobs")
	cells := flag.Int("cells", 10000, "jobs of the simulated study")
	seconds := flag.Float64("seconds", 60, "seconds of such a job")
	logSD := flag.Float64("log-sd", .5, "standard deviation of the logarithm of these seconds")
	flag.IntVar(&e.Workers, "jobs", 0, "jobs at a time in one process of a worker")
	flag.Parse()
	beam.Init(functions)
	if *n < 2 || *cells < 1 || *seconds < 0 || *logSD < 0 || flag.NArg() > 1 {
		fmt.Fprintln(os.Stderr, "overhead: want --n from 2, --cells from 1, no negative numbers, "+
			"and one folder or none")
		os.Exit(2)
	}
	c, err := measure(e, *n, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf(
		"\nsimulated: %d jobs of %g s (log-normal, %g), machines that do one job at a time\n",
		*cells, *seconds, *logSD)
	fmt.Println(
		"machines  hours   machine-seconds a job  scheduler and waiting  giving program busy")
	for _, m := range []int{1, 2, 10, 100, 1000} {
		r := simulate.Run(simulate.Work{Jobs: *cells, Seconds: *seconds, LogSD: *logSD, Seed: 1}, c,
			m)
		one := simulate.Run(simulate.Work{Jobs: *cells, Seconds: *seconds, LogSD: *logSD, Seed: 1},
			simulate.Cost{}, 1)
		fmt.Printf("%8d  %7.2f  %20.2f  %20.2f%%  %18.2f%%\n", m, r.Seconds/3600, r.PerJob,
			100*(r.PerJob/one.PerJob-1), 100*r.Busy)
	}
}

// measure does n empty jobs.
func measure(e beam.Engine, n int, dir string) (simulate.Cost, error) {
	var c simulate.Cost
	var folder *jobs.Folder
	var err error
	if dir != "" {
		if folder, err = jobs.OpenFolder(dir); err != nil {
			return c, err
		}
	}
	list := make([]jobs.Job, n)
	for i := range list {
		list[i] = jobs.Job{Kind: "nothing", Input: binary.LittleEndian.AppendUint32(nil, uint32(i))}
	}
	var once sync.Once
	var first time.Time
	begin, used := time.Now(), processor()
	if _, err := jobs.Do(context.Background(), e, folder, functions, list, func(s jobs.Status) {
		if s.Done > 0 {
			once.Do(func() { first = time.Now() })
		}
	}); err != nil {
		return c, err
	}
	end := time.Now()
	c.Start = first.Sub(begin).Seconds()
	each := end.Sub(first).Seconds() / float64(n-1)
	c.Hub, c.Trip = each, each
	fmt.Printf("%d empty jobs: %.2f s to the first, then %.3f ms each; processor time of this "+
		"process %.3f ms each\n", n, c.Start, 1e3*each, 1e3*(processor()-used)/float64(n))
	return c, nil
}

// processor is the processor time of this process in seconds.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
