//go:build !unix || darwin || ios

package privatecache

// shared is whether the temporary folder is that of all users: it is each user's own here.
const shared = false

func folder() string { return "" }
