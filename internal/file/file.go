package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Open opens a file for reading. A folder is an error; allowed is what the error
// says would be right.
func Open(path, allowed string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, WithPath(path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // only read
		return nil, fmt.Errorf("%s: is a folder; allowed: %s", path, allowed)
	}
	return f, nil
}

// WithPath is an error behind the path that the user knows. Of an error of
// package os it keeps the cause alone, without operation and path.
func WithPath(path string, err error) error {
	return fmt.Errorf("%s: %w", path, cause(err))
}

func cause(err error) error {
	if located := new(fs.PathError); errors.As(err, &located) {
		return cause(located.Err)
	}
	if link := new(os.LinkError); errors.As(err, &link) {
		return cause(link.Err)
	}
	if err.Error() == "path escapes from parent" { // of os.Root, which exports no such error
		return errEscapes
	}
	return err
}

var errEscapes = errors.New("a link in the path leads out of the folder")
