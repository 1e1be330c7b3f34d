// Package beam runs jobs on Apache Beam: on one machine without any set-up, by
// the SDK's embedded runner prism; on many machines, by Flink, Spark or Dataflow.
//
// [Engine] is a [jobs.Engine] like [jobs.Local]. The pipeline is the same
// everywhere:
//
//	Impulse ─► numbers of the jobs ─► Reshuffle ─► do
//
// Elements are numbers. What they stand for, and what comes of it, goes between worker and the
// program that called Run over a connection of its own (tobac/beam/internal/hub): an output is kept
// when it exists, so that a stage which the runner repeats finds its jobs done; a job whose worker
// is killed is given to another, up to Attempts times; and a machine that has done its elements
// takes what no other has begun. A pipeline that breaks off is run again with what is left.
//
// A program that uses an Engine calls [Init] first, in main, with the functions
// of all jobs: started by a runner, it is a worker, and Init does not return.
//
// The SDK reads its options, such as --endpoint and --environment_type, from the
// flags of the program, package flag. This package has the runners prism, universal (alias flink,
// portable) and dataflow.
//
// The module is one of its own, so that the main program does not depend on the SDK.
package beam
