package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tobac/internal/file"
	"tobac/internal/jobs"
)

// jobFit is a fit over several orders, with the options before it.
const jobFit = "data/train.csv --engine svgd --model linear --orders 3 --particles 2 --samples 4 --steps 10"

// A fit by jobs writes the bytes of one without, whether its jobs are done by itself, by tobac
// work, or in shards that are merged; and tells what it does.
func TestFitByJobs(t *testing.T) {
	simulated(t)
	fit := func(more string) string {
		t.Helper()
		return succeed(t, fitArgs(jobFit+" "+more)...).stdout
	}
	fit("--out run")
	want := results(t, "run")
	same := func(what string) {
		t.Helper()
		if got := results(t, "run"); !maps.Equal(got, want) {
			t.Errorf("%s: other results", what)
		}
		if err := os.RemoveAll("run"); err != nil {
			t.Fatal(err)
		}
	}
	os.RemoveAll("run")
	fit("--out run --jobs parts")
	same("--jobs")
	if got, want := fit("--out run --jobs planned --plan"), "planned has 3 jobs to do: tobac work planned\n"; got != want {
		t.Errorf("--plan prints %q, want %q", got, want)
	}
	if _, err := os.Stat("run"); err == nil {
		t.Error("--plan writes results")
	}
	if got, want := succeed(t, "work", "planned", "--quiet").stdout, "planned: all 3 jobs are done\n"; got != want {
		t.Errorf("work prints %q, want %q", got, want)
	}
	if got, want := fit("--jobs planned --plan"), "all jobs are in planned: the same command without --plan and --shard gives the result\n"; got != want {
		t.Errorf("--plan of finished jobs prints %q, want %q", got, want)
	}
	fit("--out run --jobs planned")
	same("work")
	if got, want := fit("--jobs one --shard 1/2"), "2 jobs of shard 1/2 are in one, and 1 of all 3 are not\n"; got != want {
		t.Errorf("--shard prints %q, want %q", got, want)
	}
	fit("--jobs two --shard 2/2")
	if got, want := succeed(t, "merge", "all", "one", "two").stdout, "one: 2 jobs\ntwo: 1 jobs\n"; got != want {
		t.Errorf("merge prints %q, want %q", got, want)
	}
	folder, err := jobs.ExistingFolder("all")
	if err != nil {
		t.Fatal(err)
	}
	fit("--out run --jobs all")
	same("merge")
	outputs, err := filepath.Glob(filepath.Join(folder.Dir(), "done", "*", "*"))
	if err != nil || len(outputs) != 3 {
		t.Errorf("%q, %v, want three outputs", outputs, err)
	}
	if err := os.WriteFile(outputs[1], []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := succeed(t, fitArgs(jobFit+" --out run --jobs all")...).stderr; !strings.Contains(got, "tobac: warning: "+outputs[1]+": its last line") || !strings.Contains(got, "its job is done again") {
		t.Errorf("a damaged output: %q, want a warning that names it", got)
	}
	same("damaged")
}

// Chains and resamples are jobs too, and their results the same.
func TestOtherJobs(t *testing.T) {
	simulated(t)
	for kind, args := range map[string][]string{
		"mcmc-chain":      fitArgs("data/train.csv --engine mcmc --model linear-unequal --chains 2 --warm-up 40 --iterations 60 --rungs 1 --max-parents 2"),
		"order-resamples": strings.Fields("order data/train.csv --bootstrap 40 --method npvar"),
	} {
		want := succeed(t, args...).stdout
		planned := append(args, "--jobs", "parts-"+kind)
		succeed(t, append(planned, "--plan")...)
		for _, part := range []string{"1/2", "2/2"} {
			succeed(t, "work", "parts-"+kind, "--shard", part, "--quiet")
		}
		if got := succeed(t, planned...).stdout; slowTimes.ReplaceAllString(got, "") != slowTimes.ReplaceAllString(want, "") {
			t.Errorf("%s: got\n%s\nwant\n%s", kind, got, want)
		}
		folder, err := jobs.ExistingFolder("parts-" + kind)
		if err != nil {
			t.Fatal(err)
		}
		list, err := folder.Jobs()
		if err != nil || len(list) < 2 || list[0].Kind != kind {
			t.Errorf("%d jobs, %v, want some of the kind %s", len(list), err, kind)
		}
	}
}

// slowTimes is the line of a report that has the time.
var slowTimes = regexp.MustCompile(`(?m)^run .*$`)

// A full disk loses nothing: a fit ends with its result and a warning, and tobac work stops.
func TestJobsOnAFullDisk(t *testing.T) {
	simulated(t)
	succeed(t, fitArgs(jobFit+" --jobs parts --plan")...)
	full := func(args ...string) invocation {
		defer file.Inject(func(call, path string) error {
			if call == "write" && strings.Contains(path, "done") {
				return syscall.ENOSPC
			}
			return nil
		})()
		return runTobac(t, args...)
	}
	if got := full("work", "parts", "--quiet"); got.code != exitFailed || !strings.Contains(got.stderr, "the outputs of ") || !strings.Contains(got.stderr, "could not be kept: ") || !strings.Contains(got.stderr, "no space left on device\n") {
		t.Errorf("work: got %+v", got)
	}
	if got := full(fitArgs(jobFit + " --jobs parts")...); got.code != exitDone || !strings.Contains(got.stderr, "warning: parts: the outputs of 3 jobs could not be kept") {
		t.Errorf("fit: got %+v", got)
	}
	if got, want := succeed(t, "work", "parts", "--quiet").stdout, "parts: all 3 jobs are done\n"; got != want {
		t.Errorf("afterwards work prints %q, want %q", got, want)
	}
}

// Wrong usage of jobs is one line.
func TestJobsRefused(t *testing.T) {
	simulated(t)
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("other/a.txt", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"fit --shard 1/2":                     "--shard is for the jobs of --jobs DIR",
		"fit --plan":                          "--plan is for the jobs of --jobs DIR",
		"fit --jobs parts --plan --shard 1/2": "--plan and --shard contradict each other: jobs are written down, or done",
		"fit --jobs parts --checkpoint state": "--jobs and --checkpoint contradict each other: the folder of jobs keeps what is finished",
		"order data/train.csv --jobs parts":   "--jobs is for the resamples of --bootstrap N",
		"work":                                "tobac work takes one folder of jobs, got none",
		"merge all":                           "tobac merge takes a folder to merge into and those to merge, got \"all\"",
	} {
		refuses(t, args, exitUsage, want)
	}
	for args, want := range map[string]string{
		"fit --jobs other": "other: is no folder of jobs, and has other files, such as a.txt; allowed: a folder of jobs, an empty one, or a new one",
		"work missing":     "missing: is no folder of jobs: it has no tobac-jobs.json: file does not exist",
		"merge all gone":   "gone: is no folder of jobs: it has no tobac-jobs.json: file does not exist",
	} {
		refuses(t, args, exitFailed, want)
	}
	if got := succeed(t, fitArgs("data/train.csv --engine exact --jobs parts --plan")...); !strings.HasPrefix(got.stdout, "nothing is done as jobs here") {
		t.Errorf("a fit without jobs: %+v", got)
	}
	if got, want := succeed(t, "work", "parts").stdout, "parts: no jobs are recorded there, so there is nothing to do\n"; got != want {
		t.Errorf("work in a folder without jobs: %q, want %q", got, want)
	}
}

// Failed jobs are named, and the exit status says so.
func TestFailedJobs(t *testing.T) {
	inFolder(t, nil)
	folder, err := jobs.OpenFolder("parts")
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Add([]jobs.Job{{Kind: "of another program"}, {Kind: "svgd-order", Input: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	got := runTobac(t, "work", "parts", "--quiet")
	if got.code != exitFailed || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "parts: 2 of 2 jobs failed: job 1 (of another program, ") || !strings.Contains(got.stderr, "job 2 (svgd-order, ") {
		t.Errorf("got %+v, want both jobs named", got)
	}
}

// On a terminal the display is one line, elsewhere a line for every tenth and after ten seconds.
func TestJobDisplay(t *testing.T) {
	var b bytes.Buffer
	p, wait := clocked(&b, nil)
	firstLine, nextLine = patient, 10*time.Second
	defer func() { firstLine, nextLine = 0, 0 }()
	d := newJobDisplay(p)
	d.update(jobs.Status{Jobs: 40, Found: 2})
	for k := range 38 {
		wait(time.Second)
		d.update(jobs.Status{Jobs: 40, Found: 2, Done: k + 1, Running: min(2, 37-k), Waiting: 1, Failed: 0})
	}
	d.end()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	const first = "jobs: 4 of 40 done, 2 found, 2 running, 1 in other processes, elapsed 2 s, left 36 s"
	const last = "jobs: 34 of 40 done, 2 found, 2 running, 1 in other processes, elapsed 32 s, left 6 s"
	if len(lines) != 4 || lines[0] != first || lines[3] != last {
		t.Errorf("got %d lines:\n%s\nwant 4, the first %q, the last %q", len(lines), b.String(), first, last)
	}
	b.Reset()
	p, wait = clocked(&b, func() (int, bool) { return 50, true })
	d = newJobDisplay(p)
	wait(time.Minute)
	d.update(jobs.Status{Jobs: 9, Done: 2, Failed: 1, Warning: "careful"})
	wait(time.Minute)
	p.wait()
	d.end()
	if got, want := b.String(), "tobac: warning: careful\n\rjobs: 2 of 9 done, 1 failed, elapsed 60 s, left 2 m"; !strings.HasPrefix(got, want[:len(want)-2]) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want %q…", got, want)
	}
}
