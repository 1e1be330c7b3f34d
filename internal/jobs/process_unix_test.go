//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package jobs_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tobac/internal/jobs"
)

// rounds is how often processes are killed.
var rounds = flag.Int("rounds", 2, "how often TestKilledWorkers kills a worker, with one and with two of them")

// TestMain lets the test be a worker process: TOBAC_WORKER is a folder of jobs.
func TestMain(m *testing.M) {
	flag.Parse()
	dir := os.Getenv("TOBAC_WORKER")
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := work(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work does what is recorded in a folder, and notes in the folder log which process
// has begun and ended each job.
func work(dir string) error {
	folder, err := jobs.ExistingFolder(dir)
	if err != nil {
		return err
	}
	list, err := folder.Jobs()
	if err != nil {
		return err
	}
	f := jobs.Functions{"sleep": func(_ context.Context, j jobs.Job) ([]byte, error) {
		note := func(what string) error {
			name := fmt.Sprintf("%s-%s-%d", j.Input, what, os.Getpid())
			return os.WriteFile(filepath.Join(dir+".log", name), nil, 0o666)
		}
		if err := note("begun"); err != nil {
			return nil, err
		}
		took, err := time.ParseDuration(string(j.Data[0]))
		if err != nil {
			return nil, err
		}
		time.Sleep(took)
		return append([]byte("output of "), j.Input...), note("ended")
	}}
	_, err = jobs.Do(context.Background(), jobs.Local{Workers: 2}, folder, f, list, nil)
	return err
}

// sleeping are jobs that take a time and no processor.
func sleeping(n int, time string) (list []jobs.Job) {
	for i := range n {
		list = append(list, jobs.Job{Kind: "sleep", Input: []byte(strconv.Itoa(i)), Data: [][]byte{[]byte(time)}})
	}
	return list
}

func worker(t testing.TB, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TOBAC_WORKER="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// One of the workers is killed at some moment. No job is lost; none is done twice but
// those which the killed one had begun; and the outputs are those of an undisturbed run.
func TestKilledWorkers(t *testing.T) {
	const n = 40
	list := sleeping(n, "5ms")
	for workers := 1; workers <= 2; workers++ {
		for round := range *rounds {
			dir := filepath.Join(t.TempDir(), "jobs")
			folder := open(t, dir)
			if err := folder.Add(list); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(dir+".log", 0o777); err != nil {
				t.Fatal(err)
			}
			var all []*exec.Cmd
			for range workers {
				all = append(all, worker(t, dir))
			}
			victim := all[0]
			ended := make(chan error, 1)
			go func() { ended <- victim.Wait() }()
			for len(ended) == 0 && len(glob(t, dir+".log", fmt.Sprint("*-ended-", victim.Process.Pid))) < 4+2*round { // until it is in the middle
				time.Sleep(time.Millisecond)
			}
			victim.Process.Signal(syscall.SIGKILL)
			<-ended // whose error is the kill
			if status := victim.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
				t.Fatalf("it ended before it was killed: %v", victim.ProcessState)
			}
			if workers == 1 {
				all = append(all, worker(t, dir))
			}
			if err := all[1].Wait(); err != nil {
				t.Fatal(err)
			}
			checkKilled(t, folder, list, victim.Process.Pid)
		}
	}
}

// checkKilled checks what workers of which one was killed have left.
func checkKilled(t *testing.T, folder *jobs.Folder, list []jobs.Job, victim int) {
	t.Helper()
	byVictim, again := 0, 0
	for i, j := range list {
		output, ok, err := folder.Output(j.ID())
		if want := fmt.Sprint("output of ", i); err != nil || !ok || string(output) != want {
			t.Errorf("job %d: got %q, %v, %v, want %q", i, output, ok, err, want)
		}
		begun := glob(t, folder.Dir()+".log", fmt.Sprintf("%d-begun-*", i))
		switch mine := glob(t, folder.Dir()+".log", fmt.Sprintf("%d-begun-%d", i, victim)); {
		case len(begun) > 1+len(mine) || len(begun) > 2:
			t.Errorf("job %d was begun by %s", i, strings.Join(begun, ", "))
		case len(begun) == 2:
			again++
		case len(mine) == 1:
			byVictim++
		}
	}
	if byVictim < 1 || again > 2 {
		t.Errorf("the killed worker has %d jobs of the result, and %d of its jobs were done again; want some, and at most the two that it did", byVictim, again)
	}
	left(t, folder.Dir())
}

// BenchmarkTwoWorkers is the time of two worker processes on one folder divided by that of one, for equal
// jobs of 0.1 s that take no processor, which leaves what the folder and its claims cost. Each process does two jobs at a time.
func BenchmarkTwoWorkers(b *testing.B) {
	list := sleeping(120, "100ms")
	var took [2]float64
	for b.Loop() {
		for k := range took {
			dir := filepath.Join(b.TempDir(), "jobs")
			folder, err := jobs.OpenFolder(dir)
			if err == nil {
				err = folder.Add(list)
			}
			if err == nil {
				err = os.Mkdir(dir+".log", 0o777)
			}
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			var all []*exec.Cmd
			for range k + 1 {
				all = append(all, worker(b, dir))
			}
			for _, cmd := range all {
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			took[k] += time.Since(start).Seconds()
		}
	}
	b.ReportMetric(took[0]/float64(b.N), "s/one")
	b.ReportMetric(took[1]/float64(b.N), "s/two")
	b.ReportMetric(took[1]/took[0], "ratio")
}
