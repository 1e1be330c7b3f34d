package beam_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/google/go-cmp/cmp"
	"tobac/beam"
	"tobac/internal/jobs"
	"tobac/internal/must"
)

// do is jobs.Do without a folder.
func do(t *testing.T, e jobs.Engine, all []jobs.Job) ([][]byte, error) {
	t.Helper()
	return jobs.Do(t.Context(), e, nil, functions, all, nil)
}

// On prism jobs give what they give on goroutines.
func TestEngineAgreesWithLocal(t *testing.T) {
	all := list("digest", 200, []byte("shared"))
	want := must.Get(do(t, jobs.Local{}, all))(t)
	got := must.Get(do(t, beam.Engine{}, all))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-local +beam):\n%s", diff)
	}
}

// What was done is in the folder, with what was measured, and is not done again.
func TestEngineKeepsOutputs(t *testing.T) {
	folder := must.Get(jobs.OpenFolder(t.TempDir()))(t)
	all := list("digest", 9, nil)
	must.Get(jobs.Do(t.Context(), beam.Engine{}, folder, functions, all[:4], nil))(t)
	var last jobs.Status
	must.Get(jobs.Do(t.Context(), beam.Engine{}, folder, functions, all, func(s jobs.Status) {
		last = s
	}))(t)
	if last.Found != 4 || last.Done != 5 || last.Running != 0 {
		t.Errorf("status at the end is %+v, want 4 jobs found, 5 done, none running", last)
	}
	for _, j := range all {
		if _, ok, err := folder.Output(j.ID()); !ok || err != nil {
			t.Errorf("output of %x: got %v, %v", j.Input, ok, err)
		}
	}
}

// A failure is that of its job, attempted as often as asked for; others are done.
func TestEngineFailures(t *testing.T) {
	for _, kind := range []string{"fail", "panic"} {
		all := append(list("digest", 3, nil), list(kind, 1, nil)...)
		got, err := do(t, beam.Engine{Attempts: 2}, all)
		var failed *jobs.FailedError
		if !errors.As(err, &failed) || len(failed.Failures) != 1 || failed.Failures[0].Index != 3 {
			t.Fatalf("%s: got error %v, want that of job 4 alone", kind, err)
		}
		if text := err.Error(); !strings.Contains(text, "as it must") ||
			!strings.Contains(text, "2 attempts") {
			t.Errorf("%s: got error %q, want what happened, and 2 attempts", kind, text)
		}
		for i := range 3 {
			if got[i] == nil {
				t.Errorf("%s: job %d has no output", kind, i+1)
			}
		}
	}
}

// A kind of job that the program does not know is an error of the job, with what it knows.
func TestEngineUnknownKind(t *testing.T) {
	_, err := do(t, beam.Engine{}, list("nothing", 1, nil))
	if err == nil || !strings.Contains(err.Error(), `unknown kind "nothing"`) {
		t.Errorf("got error %v, want the unknown kind", err)
	}
}

// Cancelled, the functions are, too, and Run returns with the cause.
func TestEngineCancelled(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	began := make(chan bool, 1)
	go func() {
		<-began
		cancel(why)
	}()
	_, err := jobs.Do(ctx, beam.Engine{Workers: 2}, nil, functions, list("wait", 5, nil),
		func(s jobs.Status) {
			if s.Running == 2 {
				select {
				case began <- true:
				default:
				}
			}
		})
	if !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}

// Workers in processes of their own, killed in the middle: the pipeline of prism breaks off and is
// run again; only jobs that ran are repeated, and the outputs are those of goroutines.
func TestEngineWorkerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := must.Get(os.Executable())(t)
	process(t, program)
	attempts := t.TempDir()
	const n = 12
	all := list("kill", n, []byte(attempts))
	got := must.Get(do(t, beam.Engine{Workers: 2}, all))(t)
	for i, j := range all {
		want := must.Get(digest(t.Context(), j))(t)
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("job %d (-want +got):\n%s", i+1, diff)
		}
	}
	files := must.Get(os.ReadDir(attempts))(t)
	// One job kills its process, beside it at most one other runs.
	if repeated := len(files) - n; repeated < 1 || repeated > 2 {
		t.Errorf("%d jobs were repeated, want 1 or 2", repeated)
	}
}

// process lets prism start a program as its workers, not goroutines of this one.
func process(t *testing.T, program string) {
	t.Helper()
	kind, config := *jobopts.EnvironmentType, *jobopts.EnvironmentConfig
	t.Cleanup(func() { *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = kind, config })
	*jobopts.EnvironmentType = "PROCESS"
	*jobopts.EnvironmentConfig = `{"command":"` + program + `"}`
}

// What no runner is, and what was never set up, is the caller's mistake.
func TestEnginePanics(t *testing.T) {
	for _, e := range []beam.Engine{{Workers: -1}, {Attempts: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", e)
				}
			}()
			e.Run(t.Context(), nil, list("digest", 1, nil), nil)
		}()
	}
}
