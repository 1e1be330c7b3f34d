// Package file opens files, and replaces them at once or not at all.
//
// What is written goes to a hidden temporary folder beside the place where it
// belongs, is synced to the disk, and is then renamed: readers see the former
// content or the new one, and an error, a panic or the end of the process leaves
// the former. [Write] replaces one file; a [Set] is a number of files in one
// folder that appear together. A new file has the permissions that the umask of the
// process leaves of rw-rw-rw-; Write keeps those of a file that it replaces.
//
// A Set overwrites nothing of the user's. The file [Manifest] in its folder has the checksums of
// what sets wrote there, and only files that still have them are replaced, in a folder that has
// nothing else, or where sets have written before; a [Guard] names inputs, which never are
// replaced, and may force the rest. What a killed process leaves in its temporary folder is removed
// by the next one that writes beside it, which knows by a lock of the system that its owner has
// ended. A temporary folder is trusted only if it is
// the user's own and nobody else may write to it. Nothing below the folder of a set is
// reached through links that lead out of it. Tests can let every call to the file system fail: see
// [Inject].
//
// A [Folder] reads what a set wrote, and refuses files that are not as they were written
// or not of one run. A file that has no manifest beside it proves itself with a last line:
// [Sealed] and [Unseal].
//
// Errors begin with the path that the caller gave, and have neither the name of a
// system call nor that of a temporary file in them:
//
//	run/state.json: no such file or directory
package file
