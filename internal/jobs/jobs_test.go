package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tobac/internal/file"
	"tobac/internal/jobs"
	"tobac/internal/must"
	_ "tobac/internal/rapidseed" // property tests draw the same cases in every run
)

// counting are functions that count how often each job is begun. A job of the kind
// "flaky" fails the first time, one of "bad" every time, one of "panic" panics.
type counting struct {
	mu    sync.Mutex
	begun map[string]int
}

func (c *counting) functions() jobs.Functions {
	c.begun = map[string]int{}
	count := func(j jobs.Job) int {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.begun[string(j.Input)]++
		return c.begun[string(j.Input)]
	}
	square := func(ctx context.Context, j jobs.Job) ([]byte, error) {
		count(j)
		n, err := strconv.Atoi(string(j.Input))
		jobs.Measure(ctx, "n", float64(n))
		return strconv.AppendInt(nil, int64(n*n), 10), err
	}
	return jobs.Functions{
		"square": square,
		"bad": func(context.Context, jobs.Job) ([]byte, error) {
			return nil, errors.New("never works")
		},
		"panic": func(context.Context, jobs.Job) ([]byte, error) { panic("broken") },
		"flaky": func(_ context.Context, j jobs.Job) ([]byte, error) {
			if count(j) == 1 {
				return nil, errors.New("not the first time")
			}
			return []byte("ok"), nil
		},
	}
}

// most is the largest number of times that a job was begun, and total that of all.
func (c *counting) most() (most, total int) {
	for _, n := range c.begun {
		most, total = max(most, n), total+n
	}
	return most, total
}

func squares(n int) (list []jobs.Job, want []string) {
	for i := range n {
		list = append(list, jobs.Job{Kind: "square", Input: []byte(strconv.Itoa(i))})
		want = append(want, strconv.Itoa(i*i))
	}
	return list, want
}

func texts(outputs [][]byte) []string {
	var all []string
	for _, o := range outputs {
		all = append(all, string(o))
	}
	return all
}

func open(t *testing.T, dir string) *jobs.Folder {
	t.Helper()
	return must.Get(jobs.OpenFolder(dir))(t)
}

// path is the file of an output.
func path(f *jobs.Folder, j jobs.Job) string {
	return filepath.Join(f.Dir(), "done", j.ID()[:2], j.ID())
}

// Jobs have the same ID if and only if everything in them is equal, and data count by
// content.
func TestID(t *testing.T) {
	base := jobs.Job{Kind: "a", Input: []byte("bc"), Data: [][]byte{[]byte("d"), []byte("e")}}
	copied := jobs.Job{Kind: "a", Input: []byte("bc"), Data: [][]byte{[]byte("d"), []byte("e")}}
	if base.ID() != copied.ID() {
		t.Error("equal jobs have different IDs")
	}
	for name, other := range map[string]jobs.Job{
		"kind and input shifted": {Kind: "ab", Input: []byte("c"), Data: base.Data},
		"input":                  {Kind: "a", Input: []byte("bd"), Data: base.Data},
		"data in another order": {Kind: "a", Input: []byte("bc"),
			Data: [][]byte{[]byte("e"), []byte("d")}},
		"data joined": {Kind: "a", Input: []byte("bc"), Data: [][]byte{[]byte("de")}},
		"no data":     {Kind: "a", Input: []byte("bc")},
	} {
		if other.ID() == base.ID() {
			t.Errorf("%s: same ID", name)
		}
	}
}

// For any numbers of jobs, repeated ones included, of workers and of finished ones, the
// outputs are those of a plain loop, and no job is begun twice.
func TestDoIsALoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "jobs")
		all, _ := squares(8)
		var list []jobs.Job
		var want []string
		for range n {
			k := rapid.IntRange(0, 7).Draw(t, "job")
			list, want = append(list, all[k]), append(want, strconv.Itoa(k*k))
		}
		var folder *jobs.Folder
		found := map[string]bool{}
		if rapid.Bool().Draw(t, "folder") {
			dir, err := os.MkdirTemp("", "jobs")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if folder, err = jobs.OpenFolder(dir); err != nil {
				t.Fatal(err)
			}
			for _, k := range rapid.SliceOfN(rapid.IntRange(0, 7), 0, 4).Draw(t, "finished") {
				must.Do(t, folder.Keep(all[k].ID(), []byte(strconv.Itoa(k*k))))
				found[all[k].ID()] = true
			}
		}
		c := &counting{}
		e := jobs.Local{Workers: rapid.IntRange(1, 4).Draw(t, "workers")}
		var last jobs.Status
		outputs, err := jobs.Do(t.Context(), e, folder, c.functions(), list, func(s jobs.Status) {
			last = s
		})
		if got := texts(outputs); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
		distinct, hits := map[string]bool{}, 0
		for _, j := range list {
			if id := j.ID(); !distinct[id] {
				distinct[id] = true
				if found[id] {
					hits++
				}
			}
		}
		most, total := c.most()
		if most > 1 || total != len(distinct)-hits {
			t.Fatalf("%d jobs begun, one of them %d times; want %d, once each", total, most,
				len(distinct)-hits)
		}
		if want := (jobs.Status{Jobs: len(distinct), Found: hits,
			Done: len(distinct) - hits}); last != want {
			t.Fatalf("last status %+v, want %+v", last, want)
		}
	})
}

// Failing jobs and panics stop no other job, are named, and are done again by the next
// run.
func TestFailures(t *testing.T) {
	c := &counting{}
	f := c.functions()
	list, _ := squares(3)
	list = append(list, jobs.Job{Kind: "bad"}, jobs.Job{Kind: "panic"},
		jobs.Job{Kind: "flaky", Input: []byte("f")}, jobs.Job{Kind: "other"})
	folder := open(t, t.TempDir())
	outputs, err := jobs.Do(t.Context(), jobs.Local{Workers: 2}, folder, f, list, nil)
	var failed *jobs.FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 4 {
		t.Fatalf("got the error %v, want four failures", err)
	}
	for _, want := range []string{"4 of 7 jobs failed", "job 4 (bad, ", "never works",
		"job 5 (panic, ", "panic: broken", "job 6 (flaky, ", "not the first time", `job 7 (other, `,
		`unknown kind "other"; this program knows bad, flaky, panic, square`} {
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %q, want one line with %q", err, want)
		}
	}
	if got, want := texts(outputs),
		[]string{"0", "1", "4", "", "", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var panicked *jobs.PanicError
	if !errors.As(failed.Failures[1].Err, &panicked) ||
		!strings.Contains(string(panicked.Stack), "jobs_test.go") {
		t.Errorf("got %v, want a panic with the stack of this test", failed.Failures[1].Err)
	}
	outputs, err = jobs.Do(t.Context(), jobs.Local{}, folder, f, list[5:6], nil)
	if err != nil || string(outputs[0]) != "ok" {
		t.Errorf("the next run: got %q, %v, want ok", outputs, err)
	}
}

// A list that is cancelled, and then extended, goes on where it was.
func TestCancelledAndExtended(t *testing.T) {
	c := &counting{}
	f := c.functions()
	list, want := squares(20)
	folder := open(t, t.TempDir())
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	outputs, err := jobs.Do(ctx, jobs.Local{Workers: 1}, folder, f, list[:10], func(s jobs.Status) {
		if s.Done == 4 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || string(outputs[3]) != "9" || outputs[4] != nil {
		t.Fatalf("got %q, %v, want four outputs and the cause", outputs, err)
	}
	outputs, err = jobs.Do(t.Context(), jobs.Local{Workers: 2}, folder, f, list, nil)
	if most, total := c.most(); err != nil || !slices.Equal(texts(outputs), want) || most != 1 ||
		total != 20 {
		t.Fatalf("got %q, %v after %d jobs, one begun %d times; want %q after 20", outputs, err,
			total, most, want)
	}
}

// A file in which any single byte differs, or that is cut short, is named, and its job
// done again; the file has the same output as before.
func TestDamagedOutput(t *testing.T) {
	c := &counting{}
	f := c.functions()
	list, want := squares(3)
	folder := open(t, t.TempDir())
	do := func() (warnings []string) {
		t.Helper()
		outputs, err := jobs.Do(t.Context(), jobs.Local{}, folder, f, list, func(s jobs.Status) {
			if s.Warning != "" {
				warnings = append(warnings, s.Warning)
			}
		})
		if err != nil || !slices.Equal(texts(outputs), want) {
			t.Fatalf("got %q, %v, want %q", outputs, err, want)
		}
		return warnings
	}
	if w := do(); len(w) > 0 {
		t.Fatalf("warnings %q", w)
	}
	name := path(folder, list[1])
	text := must.Get(os.ReadFile(name))(t)
	other := must.Get(os.ReadFile(path(folder, list[2])))(t)
	damages := [][]byte{nil, text[:len(text)-1], append(slices.Clone(text), 'x'), other}
	for at := 0; at < len(text); at += 7 {
		damaged := slices.Clone(text)
		damaged[at] ^= 4
		damages = append(damages, damaged)
	}
	for _, damaged := range damages {
		must.Do(t, os.WriteFile(name, damaged, 0o666))
		if w := do(); len(w) != 1 || !strings.HasPrefix(w[0], name+": ") ||
			!strings.HasSuffix(w[0], "; its job is done again") {
			t.Fatalf("%q: got the warnings %q, want one that names the file", damaged, w)
		}
		if output, ok, err := folder.Output(list[1].ID()); string(output) != "1" || !ok ||
			err != nil {
			t.Fatalf("got %q, %v, %v after it was done again", output, ok, err)
		}
	}
	if _, total := c.most(); total != 3+len(damages) {
		t.Errorf("%d jobs begun, want 3 and %d again", total, len(damages))
	}
}

// A full disk costs no output: all are returned, and the error names the folder. What was not
// kept is done by the next run.
func TestFullDisk(t *testing.T) {
	for _, call := range []string{"mkdir", "write", "sync", "rename"} {
		c := &counting{}
		f := c.functions()
		list, want := squares(6)
		folder := open(t, t.TempDir())
		var calls atomic.Int64
		restore := file.Inject(func(name, _ string) error {
			if name == call && calls.Add(1) > 4 {
				return errors.New("no space left on device")
			}
			return nil
		})
		warned := 0
		outputs, err := jobs.Do(t.Context(), jobs.Local{Workers: 1}, folder, f, list,
			func(s jobs.Status) {
				if s.Warning != "" {
					warned++
				}
			})
		restore()
		var notKept *jobs.NotKeptError
		if !errors.As(err, &notKept) || !strings.Contains(err.Error(), "no space left on device") ||
			!strings.HasPrefix(err.Error(), folder.Dir()) {
			t.Fatalf("%s: got the error %v, want that outputs were not kept", call, err)
		}
		if !slices.Equal(texts(outputs), want) || warned != 1 {
			t.Fatalf("%s: got %q and %d warnings, want %q and one", call, outputs, warned, want)
		}
		outputs, err = jobs.Do(t.Context(), jobs.Local{}, folder, f, list, nil)
		if _, total := c.most(); err != nil || !slices.Equal(texts(outputs), want) ||
			total != 6+notKept.Count {
			t.Fatalf("%s: got %q, %v after %d jobs, want %q after %d", call, outputs, err, total,
				want, 6+notKept.Count)
		}
	}
}

// What a function measures stands beside its output.
func TestMeasured(t *testing.T) {
	list, _ := squares(4)
	folder := open(t, t.TempDir())
	must.Get(jobs.Do(t.Context(), jobs.Local{}, folder, new(counting).functions(), list,
		nil))(t)
	m, ok, err := folder.Measured(list[3].ID())
	if err != nil || !ok || m.Values["n"] != 3 || m.Seconds < 0 || m.Host == "" {
		t.Errorf("got %+v, %v, %v, want n = 3 and a host", m, ok, err)
	}
	jobs.Measure(t.Context(), "nobody", 1) // listens
	there := jobs.Measured{Seconds: 7, Host: "elsewhere", Values: map[string]float64{"n": 2}}
	elsewhere := jobs.Functions{"square": func(ctx context.Context, _ jobs.Job) ([]byte, error) {
		jobs.Measure(ctx, "n", 3)
		jobs.Record(ctx, there)
		return nil, nil
	}}
	if _, m, err := elsewhere.DoMeasured(t.Context(), list[3]); err != nil ||
		!reflect.DeepEqual(m, there) {
		t.Errorf("got %+v, %v, want what was measured elsewhere: %+v", m, err, there)
	}
}

// As many jobs run at a time as there are workers, and no more; the processors stay as they are.
func TestWorkers(t *testing.T) {
	list, _ := squares(12)
	processors := runtime.GOMAXPROCS(0)
	for workers := range 4 {
		var now, most atomic.Int64
		var all sync.WaitGroup // the first jobs wait for each other
		all.Add(max(workers, 1))
		begun := atomic.Int64{}
		f := jobs.Functions{"square": func(context.Context, jobs.Job) ([]byte, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			if begun.Add(1) <= int64(max(workers, 1)) {
				all.Done()
				all.Wait()
			}
			return nil, nil
		}}
		must.Do(t, (jobs.Local{Workers: workers}).Run(t.Context(), f, list,
			func(int, []byte, error) {}))
		if got := int(most.Load()); got > max(workers, processors) || workers > 0 &&
			got > workers || runtime.GOMAXPROCS(0) != processors {
			t.Errorf("%d jobs at a time with %d workers, %d processors", got, workers,
				runtime.GOMAXPROCS(0))
		}
	}
}

// The parts of a list are disjoint and cover it; done in folders of their own, whose files are
// copied together, they are all outputs.
func TestShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, count := rapid.IntRange(0, 20).Draw(t, "jobs"), rapid.IntRange(1, 5).Draw(t, "shards")
		list, _ := squares(n)
		seen := map[string]int{}
		for i := range count {
			s, err := jobs.ParseShard(fmt.Sprintf("%d/%d", i+1, count))
			if err != nil || s.String() != fmt.Sprintf("%d/%d", i+1, count) {
				t.Fatalf("got %v, %v", s, err)
			}
			part := s.Of(list)
			if len(part) < n/count || len(part) > n/count+1 {
				t.Fatalf("shard %v of %d jobs has %d", s, n, len(part))
			}
			for _, j := range part {
				seen[string(j.Input)]++
			}
		}
		if len(seen) != n {
			t.Fatalf("shards have %d jobs, want %d", len(seen), n)
		}
	})
	for _, text := range []string{"", "1", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3"} {
		if s, err := jobs.ParseShard(text); err == nil {
			t.Errorf("%q is the shard %v, want an error", text, s)
		}
	}
	list, want := squares(7)
	c := &counting{}
	f := c.functions()
	out := open(t, t.TempDir())
	for i := range 3 {
		part := open(t, t.TempDir())
		must.Do(t, part.Add(list))
		shard := jobs.Shard{Index: i + 1, Count: 3}.Of(list)
		must.Get(jobs.Do(t.Context(), jobs.Local{}, part, f, shard, nil))(t)
		must.Do(t, copyFiles(out.Dir(), part.Dir()))
	}
	recorded, err := out.Jobs()
	if err != nil || len(recorded) != 7 {
		t.Fatalf("the folder has %d jobs, %v, want 7", len(recorded), err)
	}
	outputs, err := jobs.Do(t.Context(), jobs.Local{}, out, f, recorded, nil)
	if most, total := c.most(); err != nil || !slices.Equal(texts(outputs), want) || most != 1 ||
		total != 7 {
		t.Fatalf("got %q, %v after %d jobs, want %q after 7", outputs, err, total, want)
	}
}

// copyFiles copies the files below a folder that another one does not have.
func copyFiles(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, text, 0o666))
	})
}

// A list that is recorded is read back by content, data that jobs share once; what is
// damaged is named.
func TestRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "jobs")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		folder := must.Get(jobs.OpenFolder(dir))(t)
		text := rapid.SliceOfN(rapid.Byte(), 0, 5)
		shared := rapid.SliceOfN(text, 1, 3).Draw(t, "data")
		var want []string
		for range rapid.IntRange(1, 3).Draw(t, "lists") {
			var list []jobs.Job
			for range rapid.IntRange(0, 4).Draw(t, "jobs") {
				j := jobs.Job{Kind: rapid.StringN(0, 3, 9).Draw(t, "kind"),
					Input: text.Draw(t, "input"),
					Data:  shared[:rapid.IntRange(0, len(shared)).Draw(t, "number of data")]}
				list = append(list, j)
				if !slices.Contains(want, j.ID()) {
					want = append(want, j.ID())
				}
			}
			for range 2 {
				must.Do(t, folder.Add(list))
			}
		}
		all, err := folder.Jobs()
		var got []string
		for _, j := range all {
			got = append(got, j.ID())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	})
	folder := open(t, t.TempDir())
	must.Do(t, folder.Add([]jobs.Job{{Kind: "a", Data: [][]byte{[]byte("table")}}}))
	for _, pattern := range []string{"data/*", "lists/*"} {
		all, err := filepath.Glob(filepath.Join(folder.Dir(), pattern))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %v", pattern, all, err)
		}
		text := must.Get(os.ReadFile(all[0]))(t)
		must.Do(t, os.WriteFile(all[0], append(bytes.Clone(text), 'x'), 0o666))
		if _, err := folder.Jobs(); err == nil || !strings.HasPrefix(err.Error(), all[0]+": ") {
			t.Errorf("got %v, want an error that names %s", err, all[0])
		}
		must.Do(t, os.WriteFile(all[0], text, 0o666))
	}
}

// A folder of another program, of other things, or that is not there is refused.
func TestRefusedFolders(t *testing.T) {
	dir := t.TempDir()
	folder := open(t, dir)
	text := fmt.Sprintf("{\"program\":%q}\n", "format 1, results 0, arithmetic float64 vax")
	header := filepath.Join(folder.Dir(), "tobac-jobs.json")
	must.Do(t, file.Write(header, file.Sealed(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})))
	for _, open := range []func(string) (*jobs.Folder, error){jobs.OpenFolder,
		jobs.ExistingFolder} {
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(),
			"results 0, arithmetic float64 vax") || !strings.Contains(err.Error(), jobs.Program()) {
			t.Errorf("got %v, want an error with both programs", err)
		}
	}
	must.Do(t, os.WriteFile(header, []byte("x"), 0o666))
	if _, err := jobs.OpenFolder(dir); !errors.Is(err, file.ErrSeal) ||
		!strings.HasPrefix(err.Error(), header) {
		t.Errorf("got %v, want an error that names %s", err, header)
	}
	other := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(other, "data.csv"), nil, 0o666))
	if _, err := jobs.OpenFolder(other); err == nil ||
		!strings.Contains(err.Error(), "has other files, such as data.csv") {
		t.Errorf("got %v, want that it has other files", err)
	}
	if _, err := jobs.OpenFolder(filepath.Join(other, "data.csv")); err == nil {
		t.Error("a file is a folder of jobs, want an error")
	}
	if _, err := jobs.ExistingFolder(filepath.Join(other, "missing")); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
	if entries, _ := os.ReadDir(other); len(entries) != 1 {
		t.Errorf("a refused folder has %d files, want 1", len(entries))
	}
}

// Await returns what another program has kept, once all of it is there, and ends with its context.
func TestAwait(t *testing.T) {
	folder := must.Get(jobs.OpenFolder(t.TempDir()))(t)
	c := new(counting)
	f := c.functions()
	list, want := squares(3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.Await(ctx, list, time.Millisecond); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	go jobs.Do(t.Context(), jobs.Local{Workers: 1}, folder, f, list, nil)
	got := must.Get(folder.Await(t.Context(), list, time.Millisecond))(t)
	for k, output := range got {
		if string(output) != want[k] {
			t.Errorf("output %d is %s, want %s", k, output, want[k])
		}
	}
}
