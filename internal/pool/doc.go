// Package pool runs the parts of a computation on goroutines that live as long as it
// does. A call wakes them, works beside them, and waits for them; between calls they
// sleep. Nothing is allocated and no goroutine is started after New.
package pool
