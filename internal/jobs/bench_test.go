package jobs_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"tobac/internal/jobs"
	"tobac/internal/must"
)

// BenchmarkOverhead is what the scheduler itself takes for each of 10,000 jobs that do
// nothing: in memory, with a folder that keeps every output, and found there again.
//
//	go test ./internal/jobs -run XXX -bench Overhead -benchtime 1x
func BenchmarkOverhead(b *testing.B) {
	const n = 10_000
	var list []jobs.Job
	for i := range n {
		list = append(list, jobs.Job{Kind: "empty", Input: strconv.AppendInt(nil, int64(i), 10)})
	}
	f := jobs.Functions{"empty": func(context.Context, jobs.Job) ([]byte, error) {
		return []byte("done"), nil
	}}
	do := func(b *testing.B, folder *jobs.Folder, list []jobs.Job) {
		if _, err := jobs.Do(b.Context(), jobs.Local{Workers: 2}, folder, f, list,
			nil); err != nil {
			b.Error(err)
		}
	}
	open := func(b *testing.B, name string) *jobs.Folder {
		return must.Get(jobs.OpenFolder(filepath.Join(b.TempDir(), name)))(b)
	}
	perJob := func(b *testing.B) { b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*n), "s/job") }
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			do(b, nil, list)
		}
		perJob(b)
	})
	b.Run("folder", func(b *testing.B) {
		for b.Loop() {
			do(b, open(b, "jobs"), list)
		}
		perJob(b)
	})
	b.Run("found", func(b *testing.B) {
		folder := open(b, "jobs")
		do(b, folder, list)
		b.ResetTimer()
		for b.Loop() {
			do(b, folder, list)
		}
		perJob(b)
	})
}
