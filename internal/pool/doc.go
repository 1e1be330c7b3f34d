// Package pool runs the parts of a computation on goroutines that live as long as it
// does. A call sets them to work, works beside them and waits for them; between calls
// they look out for the next one for a moment, then sleep. Nothing is allocated and no
// goroutine is started after New.
package pool
