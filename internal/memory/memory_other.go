//go:build !linux

package memory

func system() (Room, bool) { return Room{}, false }
