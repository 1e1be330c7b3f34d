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
)

// Manifest is the name of the file in which a [Set] notes what it wrote into a
// folder.
const Manifest = "tobac.json"

// A manifest is the content of that file: the checksum of each file as it was
// written. A file that has it still is one that this program may replace; one
// that somebody has changed is not.
type manifest struct {
	Note string `json:"note"`
	// of the run that the files are of; "" means none
	ID    string            `json:"run,omitempty"`
	Files map[string]string `json:"files"` // name, with slashes → checksum
	// Former are the checksums of files that a set takes away or replaces, while it does.
	Former map[string]string `json:"former,omitempty"`
}

// has reports whether a file with a checksum is one that this program wrote.
func (m *manifest) has(name, sum string) bool {
	return sum != "" && (sum == m.Files[name] || sum == m.Former[name])
}

// manifestNote is by what a manifest is known, and what it is for.
const manifestNote = "files that tobac wrote, with their SHA-256: tobac replaces these, and " +
	"others only with --force"

// mostManifest bounds the bytes of a manifest, which has a few hundred.
const mostManifest = 1 << 20

// readManifest reads the manifest of a folder. Without one it is empty; foreign says
// that a file of that name is there and is none.
func readManifest(dir *place) (m manifest, foreign bool, err error) {
	m.Files = map[string]string{}
	text, err := dir.readAll(Manifest, mostManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, false, nil
	case errors.Is(err, errNotOurs):
		return m, true, nil
	case err != nil:
		return m, false, WithPath(dir.path(Manifest), err)
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
func checksum(dir *place, name string) (string, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := dir.Open(name)
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
	// Beside are paths of other files and folders of the same command, which may lie in its folder.
	Beside []string
	// Force replaces files that this program did not write, and puts files beside those of others.
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
		return fmt.Errorf("%s: is %s, which is never overwritten; choose another place for the "+
			"results", path, in.What)
	}
	return nil
}
