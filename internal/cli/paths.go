package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`^(FILE|DIR|PATH|[A-Z]+\.[a-z]+)$`)

// The placeholder for a value says whether it is a path: FILE, DIR, a file with
// its ending such as GRAPH.csv, or these among other choices, as in er|FILE.
func pathKind(kind string) (may, must bool) {
	words := strings.Split(kind, "|")
	for _, w := range words {
		if placeholder.MatchString(w) {
			return true, len(words) == 1
		}
	}
	return false, false
}

// IsPath reports whether a value of a flag is a path: of a flag that takes names
// too, one that is no name and a file.
func IsPath(text, kind string) bool {
	may, must := pathKind(kind)
	if !may || text == "" || text == "-" {
		return false
	}
	if must {
		return true
	}
	if slices.Contains(kindChoices(kind), text) {
		return false
	}
	info, err := os.Stat(text)
	return err == nil && !info.IsDir()
}

// RelativeTo is a value as it is written into a file in the folder dir: a relative
// path begins there. Without a folder it becomes an absolute one.
func RelativeTo(dir, text, kind string) string {
	if !IsPath(text, kind) || filepath.IsAbs(text) {
		return text
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return text
	}
	to, err := filepath.Abs(text)
	if err != nil {
		return text
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || dir == "" {
		return to // on another drive, or for a file that will be moved
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, "../") {
		if _, must := pathKind(kind); !must {
			rel = "./" + rel // no name of something else
		}
	}
	return rel
}

// Resolved is a value from a file in the folder dir, as it is on the command
// line.
func Resolved(dir, text, kind string) string {
	may, must := pathKind(kind)
	if !may || text == "" || text == "-" || filepath.IsAbs(text) {
		return text
	}
	path := filepath.Join(dir, filepath.FromSlash(text))
	if !must {
		if slices.Contains(kindChoices(kind), text) {
			return text
		}
		if _, err := os.Stat(path); err != nil && !strings.HasPrefix(text, "./") &&
			!strings.HasPrefix(text, "../") {
			return text // no file, so something else that the flag takes
		}
		if !strings.ContainsRune(path, filepath.Separator) {
			path = "." + string(filepath.Separator) + path
		}
	}
	return path
}

// DataKind is the placeholder of the data.
const DataKind = "FILE"

// Exists reports whether a file is there.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
