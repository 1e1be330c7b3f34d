// Package memory says how much memory a process may still take, so that what would not fit can be
// refused before it begins, with what the machine has, rather than killed by the system half-way.
//
// It is the least of what Linux reports as available, of what is left under the limits of the
// control groups of the process (versions 1 and 2), under its limit of address space (ulimit -v),
// and under GOMEMLIMIT. On systems other than Linux, which are not asked, it is [Assumed], or what
// GOMEMLIMIT leaves where that is set, which may be more.
package memory
