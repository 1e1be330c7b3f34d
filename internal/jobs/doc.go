// Package jobs does pieces of work that do not depend on each other: on goroutines
// of this process, or on many machines.
//
// A [Job] is a value: a kind, settings, and data. A [Function] turns it into an output, which is
// the same, bit by bit, wherever it is computed. [Do] returns the outputs of a list. An [Engine]
// says where they are computed; [Local], goroutines of this process, needs no set-up. A [Folder]
// keeps every output as one file under the content hash of its job, so that a list which is
// interrupted, extended or killed goes on where it was.
//
// Many machines share the work in one of two ways: each does a [Shard] of the list, into one
// folder or into folders whose files are put together; or another program, such as
// an engine on Apache Beam, does the jobs that [Folder.Add] recorded. The program that wants
// the outputs is run again at the end, and finds them in the folder.
package jobs
