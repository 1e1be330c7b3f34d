package file

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// OpenIn opens a file below an open folder for reading. A link, and what else is no regular
// file, is an error.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("is %s; allowed: a file", kindOf(info.Mode()))
	}
	return root.Open(name)
}

// kindOf says what something that is no file is.
func kindOf(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "a folder"
	case fs.ModeSymlink:
		return "a link"
	}
	return "a pipe, a device or a socket"
}

// WriteIn writes a file below an open folder, completely or not at all, and makes the folders
// above it. What is there is replaced, a link too: nothing outside of the folder is reached.
// Errors begin with the path of the file.
func WriteIn(root *os.Root, name string, write func(io.Writer) error) error {
	dir, err := (&place{root}).OpenBelow(path.Dir(name))
	if err != nil {
		return WithPath((&place{root}).path(name), err)
	}
	defer dir.Close()
	return dir.replace(path.Base(name), dir.path(path.Base(name)), nil, write)
}
