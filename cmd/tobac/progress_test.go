package main

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/jobs"

	"github.com/google/go-cmp/cmp"
)

// clocked is a progress whose clock a test moves.
func clocked(b *bytes.Buffer, terminal func() (int, bool)) (p *cli.Progress,
	wait func(time.Duration)) {
	p = cli.NewProgress(b, true) // without a watch
	p.Quiet, p.Terminal = false, terminal
	now := time.Now()
	p.Now = func() time.Time { return now }
	return p, func(d time.Duration) { now = now.Add(d) }
}

// Without a terminal there is a line after two seconds, and one every ten seconds from then on;
// --quiet leaves the warnings alone.
func TestProgressLines(t *testing.T) {
	cli.FirstLine, cli.NextLine = cli.Patient, 10*time.Second
	defer func() { cli.FirstLine, cli.NextLine = 0, 0 }()
	for quiet, want := range map[bool]string{
		true: "tobac: warning: careful\n",
		false: "tobac: warning: careful\nsvgd: step 2 of 25, order 1 of 5, elapsed 2 s, left 23 " +
			"s\nsvgd: step 12 of 25, order 1 of 5, elapsed 12 s, left 13 s\n" +
			"svgd: step 22 of 25, order 1 of 5, elapsed 22 s, left 3 s\n",
	} {
		var b bytes.Buffer
		p, wait := clocked(&b, nil)
		p.Quiet = quiet
		p.Begin([]string{"careful"}, 0, 25)
		for s := range 25 {
			wait(time.Second)
			p.Step(engine.Progress{Engine: "svgd", Step: s + 1, Driving: 0.5, Order: 1, Orders: 5})
		}
		if taken, _ := p.Close(); taken != 25 || b.String() != want {
			t.Errorf("%d steps taken, want 25; got\n%swant\n%s", taken, b.String(), want)
		}
	}
}

// On a terminal one line is drawn anew, never wider than the terminal, and leaves
// nothing behind.
func TestProgressTerminal(t *testing.T) {
	var b bytes.Buffer
	width := 100
	p, wait := clocked(&b, func() (int, bool) { return width, true })
	p.Begin(nil, 0, 10)
	for s := range 9 {
		wait(90 * time.Second)
		if s == 5 {
			width = 30
		}
		p.Step(engine.Progress{Engine: "mcmc", Step: s + 1,
			Chains: &diagnostics.GraphTrace{LogP: -1234.5, RHat: 1.034, Acceptance: 0.31}})
	}
	drawings := strings.Split(b.String(), "\r")[1:]
	if len(drawings) != 9 {
		t.Fatalf("%d drawings, want 9: %q", len(drawings), b.String())
	}
	if want := "mcmc  40%  [####------]  step 4 of 10  R-hat 1.03  accepted 0.31  log p -1234.5  " +
		"elapsed 6 min, left 9 min"; strings.TrimSpace(drawings[3]) == want {
		t.Errorf("the line has room for %q of 100 columns", want)
	}
	if want := "mcmc  40%  step 4 of 10  R-hat 1.03  accepted 0.31  log p -1234.5  elapsed 6 " +
		"min, left 9 min"; strings.TrimSpace(drawings[3]) != want {
		t.Errorf("got  %q\nwant %q", drawings[3], want)
	}
	for _, d := range drawings[6:] { // the first narrow one also covers the wide one before
		if len(strings.TrimRight(d, " ")) >= 30 || !strings.HasPrefix(d, "mcmc ") {
			t.Errorf("drawing %q on 30 columns", d)
		}
	}
	p.Close()
	if last := b.String()[strings.LastIndex(b.String()[:b.Len()-1], "\r"):]; strings.TrimSpace(
		last) != "" {
		t.Errorf("close left %q", last)
	}
	n := b.Len()
	p.Step(engine.Progress{Step: 10})
	if b.Len() != n {
		t.Error("drawn after close")
	}
	if got := cli.StatusLine(cli.Status{What: "svgd", Taken: 5, Of: 10, Times: "left 1 s"},
		60); got != "svgd  50%  [###########-----------]  step 5 of 10  left 1 s" {
		t.Errorf("line with a bar: %q", got)
	}
}

// A stage in silence is reported after two seconds, and not more often than ten
// times as long each time.
func TestProgressWaits(t *testing.T) {
	var b bytes.Buffer
	p, wait := clocked(&b, nil)
	p.Step(engine.Progress{Engine: "exact", Doing: "node scores"})
	for range 300 {
		wait(time.Second)
		p.Wait()
	}
	p.Step(engine.Progress{Engine: "exact", Doing: "sums"})
	wait(time.Second)
	p.Wait()
	if want := "exact: node scores, elapsed 2 s\nexact: node scores, elapsed 20 s\nexact: node " +
		"scores, elapsed 3 min\n"; b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p.Terminal = func() (int, bool) { return 40, true }
	wait(2 * time.Second)
	p.Wait()
	if b.String() != "\rexact: sums  elapsed 3 s" {
		t.Errorf("on a terminal %q", b.String())
	}
	p.Begin([]string{"careful"}, 0, 5)
	if got := b.String(); !regexp.MustCompile(`\r +\rtobac: warning: careful\n$`).MatchString(got) {
		t.Errorf("a warning after a line: %q", got)
	}
}

func TestSpell(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 1500 * time.Millisecond: "1.5 s",
		11 * time.Second: "11 s", 238 * time.Second: "4 min", 80 * time.Minute: "80 min",
		150 * time.Minute: "2 h 30 min", -time.Second: "unknown",
		time.Duration(math.MinInt64): "unknown", time.Duration(math.MaxInt64): "unknown"} {
		if got := cli.Spell(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// --quiet writes warnings and errors alone, and changes no result.
func TestQuiet(t *testing.T) {
	simulated(t)
	loud := succeed(t, sampled("fit", "data/train.csv", "--json", "--out", "loud")...)
	quiet := succeed(t, sampled("fit", "data/train.csv", "--json", "--out", "quiet", "--quiet")...)
	if !strings.Contains(loud.stderr, "step 40 of 40") || strings.Contains(quiet.stderr, "step ") {
		t.Errorf("loud: %q\nquiet: %q", loud.stderr, quiet.stderr)
	}
	same(t, "loud", "quiet")
}

// What is done outside of a run is shown once it takes long, and a writer makes room for its text.
func TestProgressDuring(t *testing.T) {
	var b bytes.Buffer
	p, wait := clocked(&b, nil)
	p.During("reading data.csv")
	wait(time.Second)
	p.Wait()
	p.During("drawing the report")
	for range 50 {
		wait(time.Second)
		p.Wait()
	}
	p.During("")
	wait(time.Minute)
	p.Wait()
	if want := "drawing the report, elapsed 2 s\ndrawing the report, elapsed 20 s\n"; b.String() !=
		want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p.Terminal = func() (int, bool) { return 40, true }
	p.During("reading")
	wait(3 * time.Second)
	p.Wait()
	var out bytes.Buffer
	if _, err := (cli.Beneath(p, &out)).Write([]byte("text\n")); err != nil ||
		out.String() != "text\n" ||
		!regexp.MustCompile(`^\rreading  elapsed 3 s\r +\r$`).MatchString(b.String()) {
		t.Errorf("%v; on the terminal %q, out %q", err, b.String(), out.String())
	}
}

// The first step is reported after two seconds, and later ones where nothing has been written for
// half a minute: no flood.
func TestProgressLongSteps(t *testing.T) {
	var b bytes.Buffer
	p, wait := clocked(&b, nil)
	p.Begin(nil, 0, 3)
	for s := range 3 {
		for range 70 {
			wait(time.Second)
			p.Wait()
		}
		p.Step(engine.Progress{Engine: "svgd", Step: s + 1})
	}
	for range 70 { // after the last step
		wait(time.Second)
		p.Wait()
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		got = append(got, strings.Split(line, ",")[0]+line[strings.LastIndex(line, ", elapsed"):])
	}
	want := []string{"step 1 of 3, elapsed 2 s", "step 1 of 3, elapsed 32 s",
		"step 1 of 3, elapsed 62 s", "svgd: step 1 of 3, elapsed 70 s, left 2 min",
		"step 2 of 3, elapsed 2 min", "step 2 of 3, elapsed 2 min",
		"svgd: step 2 of 3, elapsed 2 min, left 70 s",
		"step 3 of 3, elapsed 3 min", "step 3 of 3, elapsed 3 min",
		"svgd: step 3 of 3, elapsed 4 min, left 0 s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s\n%s", diff, b.String())
	}
}

// On a terminal the display is one line, elsewhere a line for every tenth and after ten seconds.
func TestJobDisplay(t *testing.T) {
	var b bytes.Buffer
	p, wait := clocked(&b, nil)
	cli.FirstLine, cli.NextLine = cli.Patient, 10*time.Second
	defer func() { cli.FirstLine, cli.NextLine = 0, 0 }()
	d := cli.NewJobDisplay(p)
	d.Update(jobs.Status{Jobs: 40, Found: 2})
	for k := range 38 {
		wait(time.Second)
		d.Update(jobs.Status{Jobs: 40, Found: 2, Done: k + 1, Running: min(2, 37-k)})
	}
	d.End()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	const first = "jobs: 4 of 40 done, 2 found, 2 running, elapsed 2 s, left 36 s"
	const last = "jobs: 34 of 40 done, 2 found, 2 running, elapsed 32 s, left 6 s"
	if len(lines) != 4 || lines[0] != first || lines[3] != last {
		t.Errorf("got %d lines:\n%s\nwant 4, the first %q, the last %q", len(lines), b.String(),
			first, last)
	}
	b.Reset()
	p, wait = clocked(&b, func() (int, bool) { return 50, true })
	d = cli.NewJobDisplay(p)
	wait(time.Minute)
	d.Update(jobs.Status{Jobs: 9, Done: 2, Failed: 1, Warning: "careful"})
	wait(time.Minute)
	p.Wait()
	d.End()
	if got, want := b.String(),
		"tobac: warning: careful\n\rjobs: 2 of 9 done, 1 failed, elapsed 60 s, "+
			"left 2 m"; !strings.HasPrefix(got, want[:len(want)-2]) ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want %q…", got, want)
	}
}
