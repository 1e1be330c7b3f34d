package jobs_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"tobac/internal/jobs"
)

// BenchmarkOverhead is what the scheduler itself takes for each of 10,000 jobs that do
// nothing: in memory, with a folder that keeps every output, found there again, and with several runs, each
// with an owner and claims of its own, on one folder.
//
//	go test ./jobs -run XXX -bench Overhead -benchtime 1x
func BenchmarkOverhead(b *testing.B) {
	const n = 10_000
	var list []jobs.Job
	for i := range n {
		list = append(list, jobs.Job{Kind: "empty", Input: strconv.AppendInt(nil, int64(i), 10)})
	}
	f := jobs.Functions{"empty": func(context.Context, jobs.Job) ([]byte, error) { return []byte("done"), nil }}
	do := func(b *testing.B, folder *jobs.Folder, list []jobs.Job) {
		if _, err := jobs.Do(b.Context(), jobs.Local{Workers: 2}, folder, f, list, nil); err != nil {
			b.Error(err)
		}
	}
	open := func(b *testing.B, name string) *jobs.Folder {
		folder, err := jobs.OpenFolder(filepath.Join(b.TempDir(), name))
		if err != nil {
			b.Fatal(err)
		}
		return folder
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
	for _, runs := range []int{2, 4} {
		b.Run("shards"+strconv.Itoa(runs), func(b *testing.B) {
			for b.Loop() {
				several(b, runs, func(k int) { do(b, open(b, "jobs"), jobs.Shard{Index: k + 1, Count: runs}.Of(list)) })
			}
			perJob(b)
		})
		b.Run("claims"+strconv.Itoa(runs), func(b *testing.B) {
			for b.Loop() {
				folder := open(b, "jobs")
				several(b, runs, func(int) { do(b, folder, list) })
			}
			perJob(b)
		})
	}
}

// several calls do for 0 ≤ k < n at once.
func several(b *testing.B, n int, do func(k int)) {
	b.Helper()
	var group sync.WaitGroup
	for k := range n {
		group.Go(func() { do(k) })
	}
	group.Wait()
}
