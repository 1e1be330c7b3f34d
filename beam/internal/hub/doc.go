// Package hub hands jobs out to workers in other processes and takes their
// outputs, over TCP.
//
// Beam moves elements, restarts stages, and forgets what a stage has done. A hub
// is what a run must not forget: which jobs are finished, and who does which. It
// lives in the program that started the run. An element of the pipeline is the
// number of a job; the worker that gets it claims the job from the hub, does it,
// and delivers the output. So
//
//   - an output is kept the moment it exists, not when its stage ends: a stage that is
//     repeated finds its jobs finished;
//   - a job is not done twice while the worker that claimed it lives: a claim ends with the
//     connection of its worker;
//   - a worker with nothing left takes what no other has begun, however the runner dealt
//     the elements;
//   - larger inputs travel once to each process;
//   - a worker that would compute other bits, one of another version or processor, is
//     refused before it does anything.
//
// The protocol is net/rpc after a secret of the run, which the workers get with
// the pipeline. Nothing is encrypted: it is for networks that are trusted, as is
// the protocol of Beam's workers.
package hub
