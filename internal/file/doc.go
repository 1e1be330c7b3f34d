// Package file opens files, and replaces them at once or not at all.
//
// What is written goes to a hidden temporary folder beside the place where it
// belongs, is synced to the disk, and is then renamed: readers see the former
// content or the new one, and an error, a panic or the end of the process leaves
// the former. [Write] replaces one file; a [Set] is a number of files in one
// folder that appear together. A new file has the permissions that the umask of the
// process leaves of rw-rw-rw-; Write keeps those of a file that it replaces.
//
// Errors begin with the path that the caller gave, and have neither the name of a
// system call nor that of a temporary file in them:
//
//	run/state.json: no such file or directory
package file
