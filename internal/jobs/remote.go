package jobs

import "context"

// A Remote is an [Engine] whose jobs run in other processes. [Do] hands it, instead of the
// functions, stand-ins for them that wait for what a worker makes of the job: so that the process
// which called Do claims, counts, measures and keeps the jobs as it does those of its own.
type Remote interface {
	Engine
	// StandIns returns a stand-in for each function. Run calls one when a worker takes up a job.
	StandIns(f Functions) Functions
}

// IDs are those of all jobs of a list; data that jobs share are digested once.
func IDs(list []Job) []string { return newHasher().ids(list) }

// Record says that the job of ctx was done elsewhere, and what was measured there: a
// stand-in calls it. It does nothing where nobody listens.
func Record(ctx context.Context, m Measured) {
	if r, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.there = &m
	}
}
