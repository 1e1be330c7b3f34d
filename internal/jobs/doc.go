// Package jobs does pieces of work that do not depend on each other: on goroutines
// of this process, in several processes, or on many machines.
//
// A [Job] is a value: a kind, settings, and data. A [Function] turns it into an output, which is the
// same, bit by bit, wherever it is computed. [Do] returns the outputs of a list. An [Engine] says where
// they are computed; [Local], goroutines of this process, needs no set-up. A [Folder] keeps every output as one file
// under the content hash of its job, so that a list which is interrupted, extended or killed goes on
// where it was.
//
// Many machines share the work in one of three ways. Processes that see the same
// folder do the same list, and take from each other what the others have not begun.
// Without a common folder each does a [Shard] into a folder of its own, and
// [Folder.Merge] puts the outputs together. Or another program does the jobs that
// [Folder.Add] recorded. In all three the program that wants the outputs is run
// again at the end, and finds them in the folder.
package jobs
