//go:build unix && !darwin && !ios

package privatecache

import "syscall"

// shared is whether the temporary folder is that of all users.
const shared = true

// nowhere is a path at which no folder can be made: the library then compiles at each
// start, which takes about half a second.
const nowhere = "/dev/null/none"

// folder is the user's own folder for what can be computed again. It is made if need be.
func folder() string {
	cache, _ := syscall.Getenv("XDG_CACHE_HOME")
	if cache == "" || cache[0] != '/' {
		home, _ := syscall.Getenv("HOME")
		if home == "" || home[0] != '/' {
			return nowhere
		}
		cache = home + "/.cache"
	}
	path := cache + "/tobac"
	for _, p := range []string{cache, path} {
		if err := syscall.Mkdir(p, 0o700); err != nil && err != syscall.EEXIST {
			return nowhere
		}
	}
	var info syscall.Stat_t
	const othersWrite = 0o022
	if err := syscall.Stat(path, &info); err != nil || int(info.Uid) != syscall.Getuid() || info.Mode&othersWrite != 0 {
		return nowhere
	}
	return path
}
