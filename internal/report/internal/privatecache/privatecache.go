// Package privatecache keeps other users of a machine from choosing the machine code that
// this process runs.
//
// The layout library, goccy/go-graphviz, is a WebAssembly module that is compiled when a
// program starts. It keeps the machine code in the folder go-graphviz of the temporary
// folder, and takes it from there the next time. In a temporary folder that all users
// write to, another one could have made that folder. The initialisation of this package,
// which runs before that of the library, therefore names a folder of the user's own for
// temporary files, and [Restore] takes that back.
//
// It runs before because the language initialises the packages of a program by import
// path, each as soon as what it imports is initialised: this package needs syscall alone,
// the library needs unicode, and "tobac" is before "unicode". A test asserts it.
package privatecache

import "syscall"

const variable = "TMPDIR" // of os.TempDir on Unix

// former is the value of the variable, set whether it had one, changed whether it has
// another now.
var (
	former       string
	set, changed bool
)

func init() {
	if !shared {
		return
	}
	former, set = syscall.Getenv(variable)
	changed = syscall.Setenv(variable, folder()) == nil
}

// Restore gives the variable the value that it had. It is called once the library is
// initialised.
func Restore() {
	if !changed {
		return
	}
	changed = false
	if set {
		syscall.Setenv(variable, former) // what could be set can be set again
	} else {
		syscall.Unsetenv(variable)
	}
}
