package file

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Manifest is the name of the file in which a [Set] notes what it wrote into a
// folder.
const Manifest = "tobac.json"

// A manifest is the content of that file: the checksum of each file as it was
// written. A file that has it still is one that this program may replace; one
// that somebody has changed is not.
type manifest struct {
	Note  string            `json:"note"`
	ID    string            `json:"run,omitempty"` // of the run that the files are of; "": none
	Files map[string]string `json:"files"`         // name, with slashes → checksum
}

// manifestNote is by what a manifest is known, and what it is for.
const manifestNote = "files that tobac wrote, with their SHA-256: tobac replaces these, and others only with --force"

// readManifest reads the manifest of a folder. Without one it is empty; foreign says
// that a file of that name is there and is none.
func readManifest(dir string) (m manifest, foreign bool, err error) {
	const most = 1 << 20 // bytes; a manifest has a few hundred
	m.Files = map[string]string{}
	path := filepath.Join(dir, Manifest)
	info, err := disk.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, false, nil
	case err != nil:
		return m, false, WithPath(path, err)
	case !info.Mode().IsRegular() || info.Size() > most:
		return m, true, nil
	}
	text, err := disk.ReadFile(path)
	if err != nil {
		return m, false, WithPath(path, err)
	}
	read := manifest{}
	if err := json.Unmarshal(text, &read); err != nil || read.Note != manifestNote {
		return m, true, nil
	}
	if read.Files == nil {
		read.Files = m.Files
	}
	return read, false, nil
}

func (m manifest) write(w io.Writer) error {
	text, err := json.MarshalIndent(m, "", "  ") // sorted by name
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// checksum is that of a regular file, "" for everything else, links included.
func checksum(path string) (string, error) {
	info, err := disk.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	return sum(f)
}

// sum is the SHA-256 of what is read, in hexadecimal.
func sum(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A Guard says what must not be overwritten.
type Guard struct {
	// Inputs are files that the program reads. They are never replaced, by whatever
	// name or link they are reached.
	Inputs []Input
	// Force replaces files that this program did not write.
	Force bool
}

// An Input is a file that must not be replaced.
type Input struct {
	Path string
	What string // what it is to the user, for example "the data"
}

// input finds the input that path is, with links followed.
func (g *Guard) input(path string) (Input, bool) {
	info, err := disk.Stat(path)
	if err != nil {
		return Input{}, false // nothing there that could be lost, or a dangling link
	}
	for _, in := range g.Inputs {
		if other, err := disk.Stat(in.Path); err == nil && os.SameFile(info, other) {
			return in, true
		}
	}
	return Input{}, false
}

// CheckInput returns an error if path is an input, through links too.
func (g *Guard) CheckInput(path string) error {
	if in, ok := g.input(path); ok {
		return fmt.Errorf("%s: is %s, which is never overwritten; choose another place for the results", path, in.What)
	}
	return nil
}
