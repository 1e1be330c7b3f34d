// Licences writes the licences of all that is linked into the command, on any platform of a
// release: a list of the modules with the kinds of licence that were recognised, then the texts,
// which most of them ask to accompany a binary.
//
//	cd internal/gen && go run ./licences ../../cmd/tobac/licences.txt
//
// The list is that of go list -deps, the texts are the files in the module cache: those of the
// module, and of the folders of the packages that are linked, called LICENSE, COPYING, NOTICE,
// PATENTS or the like.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// platforms are those of .ci/release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64",
	"windows/amd64"}

// statements are what licences ask to be said beside their texts: of programs that a module
// contains in another form than source text, and of whom to credit.
var statements = map[string]string{
	"github.com/golang/freetype": `Portions of this software are copyright The FreeType Project (www.freetype.org). All
rights reserved. Of the two licences that it offers, this is the FreeType License.`,
}

// elsewhere are licences that are not in a folder of a linked package, or above one, and are not
// recognised by their words.
var elsewhere = map[string]struct{ file, kind string }{
	"github.com/golang/freetype": {"licenses/ftl.txt", "FTL"},
}

// least is how much of a licence's text must be recognised, in per cent of its words.
const least = 75

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "want the file to write")
		os.Exit(2)
	}
	text, err := licences("../..")
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A module is one that is linked.
type module struct {
	path, version, dir string
	folders            []string // of linked packages, relative to dir, and all above them
}

// linked are the modules linked into the command of the module at root, and the standard library,
// sorted by path.
func linked(root string) ([]*module, error) {
	const format = "{{if .Standard}}{{else}}{{with .Module}}{{if not " +
		".Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{end}}{{end}}{{.Dir}}{{end}}"
	all := map[string]*module{}
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-f", format, "./cmd/tobac")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0",
			"GOWORK=off")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for line := range strings.Lines(string(out)) {
			words := strings.Split(strings.TrimSpace(line), "\t")
			if len(words) != 4 { // of this module, or of the standard library
				continue
			}
			m := all[words[0]]
			if m == nil {
				m = &module{path: words[0], version: words[1], dir: words[2],
					folders: []string{"."}}
				all[m.path] = m
			}
			folder, err := filepath.Rel(m.dir, words[3])
			if err != nil {
				return nil, err
			}
			for ; folder != "."; folder = filepath.Dir(folder) {
				if !slices.Contains(m.folders, folder) {
					m.folders = append(m.folders, folder)
				}
			}
		}
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	modules := []*module{{path: "Go's standard library", dir: strings.TrimSpace(string(out)),
		folders: []string{"."}}}
	for _, m := range all {
		slices.Sort(m.folders)
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

// notice are the names of files that are licences, or belong to them.
var notice = regexp.MustCompile(
	`(?i)^(un)?(licen[cs]es?|copying|copyright|notice|patents)([-.].*)?$`)

// files are the licence files of a module, relative to it.
func (m *module) files() (names []string, err error) {
	for _, folder := range m.folders {
		entries, err := os.ReadDir(filepath.Join(m.dir, folder))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && notice.MatchString(e.Name()) &&
				!strings.HasSuffix(e.Name(), ".go") {
				names = append(names, filepath.ToSlash(filepath.Join(folder, e.Name())))
			}
		}
	}
	return names, nil
}

// kinds are the licences recognised in a text, in the sequence of their first appearance.
func kinds(text []byte) (names []string, percent float64) {
	found := licensecheck.Scan(text)
	for _, m := range found.Match {
		if !m.IsURL && !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	return names, found.Percent
}

// A text is a licence, or what belongs to one, with the files that have it.
type text struct {
	content []byte
	of      []string
}

// licences are the licences of what the command of the module at root links.
func licences(root string) ([]byte, error) {
	modules, err := linked(root)
	if err != nil {
		return nil, err
	}
	var list bytes.Buffer
	var texts []*text
	known := map[[32]byte]*text{}
	var unknown []error
	for _, m := range modules {
		names, err := m.files()
		if err != nil {
			return nil, err
		}
		var all []string
		if e, ok := elsewhere[m.path]; ok {
			names, all = append(names, e.file), []string{e.kind}
		}
		for _, name := range names {
			content, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			content = bytes.TrimSpace(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
			found, percent := kinds(content)
			if percent >= least {
				for _, kind := range found {
					if !slices.Contains(all, kind) {
						all = append(all, kind)
					}
				}
			}
			sum := sha256.Sum256(content)
			if known[sum] == nil {
				known[sum] = &text{content: content}
				texts = append(texts, known[sum])
			}
			known[sum].of = append(known[sum].of, m.path+": "+name)
		}
		if len(all) == 0 {
			unknown = append(unknown,
				fmt.Errorf("%s %s: no licence recognised in %q", m.path, m.version, names))
		}
		fmt.Fprintln(&list,
			strings.Join(append(strings.Fields(m.path+" "+m.version), strings.Join(all, " and ")),
				" "))
	}
	if err := errors.Join(unknown...); err != nil {
		return nil, err
	}
	return assemble(list.String(), texts), nil
}

// assemble puts the list and the texts into one.
func assemble(list string, texts []*text) []byte {
	var out bytes.Buffer
	line := strings.Repeat("-", 80)
	out.WriteString("Modules linked into tobac, with their licences. The texts are below.\n\n" +
		list)
	for _, path := range slices.Sorted(maps.Keys(statements)) {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", line, path, statements[path])
	}
	for _, t := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", line, strings.Join(t.of, "\n"), t.content)
	}
	return out.Bytes()
}
