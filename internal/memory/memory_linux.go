package memory

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// system is the least of what the machine has and what the limits leave.
func system() (Room, bool) { return readSystem(os.DirFS("/")) }

// readSystem reads a file system in the place of that of the machine.
func readSystem(root fs.FS) (best Room, known bool) {
	consider := func(bytes int64, limit string) {
		if !known || bytes < best.Bytes {
			best, known = Room{max(bytes, 0), limit}, true
		}
	}
	if kb, ok := field(text(root, "proc/meminfo"), "MemAvailable:"); ok {
		consider(kb<<10, "MemAvailable")
	}
	if limit, ok := addressSpace(text(root, "proc/self/limits")); ok {
		// What the runtime reserves counts, although it never uses most of it.
		if pages, ok := leading(text(root, "proc/self/statm")); ok {
			taken := pages * int64(os.Getpagesize())
			consider(limit-taken, fmt.Sprintf("ulimit -v: %s of %s of address space are taken, "+
				"which Go reserves and hardly uses; GOMEMLIMIT or a control group bounds memory "+
				"itself", Size(float64(taken)), Size(float64(limit))))
		}
	}
	for _, line := range strings.Split(text(root, "proc/self/cgroup"), "\n") {
		id, rest, _ := strings.Cut(line, ":")
		controllers, at, found := strings.Cut(rest, ":")
		switch {
		case !found:
		case id == "0" && controllers == "":
			groups(root, "sys/fs/cgroup", at, "memory.max", "memory.current", "inactive_file",
				func(b int64) { consider(b, "the limit of the control group") })
		case strings.Contains(","+controllers+",", ",memory,"):
			groups(root, "sys/fs/cgroup/memory", at, "memory.limit_in_bytes",
				"memory.usage_in_bytes", "total_inactive_file", func(b int64) {
					consider(b, "the limit of the control group")
				})
		}
	}
	return best, known
}

// unlimited is from where on a limit is none: version 1 of control groups writes the largest number
// of whole pages.
const unlimited = 1 << 60

// groups reports what is left in a control group and those above it. Pages of files that nobody
// reads count as free. In a container the path may be that of the host, where nothing lies; the
// root of the folder is then the group itself.
func groups(root fs.FS, mount, at, limitFile, usageFile, cache string, report func(int64)) {
	for at = path.Clean("/" + at); ; at = path.Dir(at) {
		dir := strings.TrimSuffix(mount+at, "/")
		limit, limited := leading(text(root, dir+"/"+limitFile))
		usage, used := leading(text(root, dir+"/"+usageFile))
		if limited && used && limit < unlimited {
			free, _ := field(text(root, dir+"/memory.stat"), cache)
			report(limit - usage + free)
		}
		if at == "/" {
			return
		}
	}
}

// text is what a file holds, "" if it cannot be read.
func text(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(data)
}

// leading is the number that a text begins with.
func leading(text string) (int64, bool) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return 0, false
	}
	v, err := strconv.ParseInt(words[0], 10, 64)
	return v, err == nil
}

// field is the number after a name at the beginning of a line.
func field(text, name string) (int64, bool) {
	for _, line := range strings.Split(text, "\n") {
		if rest, found := strings.CutPrefix(line, name+" "); found {
			return leading(rest)
		}
	}
	return 0, false
}

// addressSpace is the soft limit of the address space.
func addressSpace(limits string) (int64, bool) {
	return field(limits, "Max address space")
}
