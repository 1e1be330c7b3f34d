package memory_test

import (
	"testing"
	"testing/fstest"

	"tobac/internal/memory"
)

const meminfo = "MemTotal:       24684084 kB\nMemFree:         1000 kB\nMemAvailable:   8000000 " +
	"kB\n"

// The least of the machine, the control groups of both versions up to the root, and the address
// space counts.
func TestReadSystem(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  memory.Room
	}{
		{"machine alone", fstest.MapFS{"proc/meminfo": file(meminfo)},
			memory.Room{Bytes: 8000000 << 10, Limit: "MemAvailable"}},
		{"version 2, a group above",
			fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
				"sys/fs/cgroup/a/b/memory.max":     file("max\n"),
				"sys/fs/cgroup/a/b/memory.current": file("100\n"),
				"sys/fs/cgroup/a/memory.max":       file("1000000\n"),
				"sys/fs/cgroup/a/memory.current":   file("400000\n"),
				"sys/fs/cgroup/a/memory.stat":      file("anon 5\ninactive_file 50000\n")},
			memory.Room{Bytes: 650000, Limit: "the limit of the control group"}},
		{"version 2 in a container", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup":             file("0::/of/the/host\n"),
			"sys/fs/cgroup/memory.max":     file("3000\n"),
			"sys/fs/cgroup/memory.current": file("5000\n")},
			memory.Room{Bytes: 0, Limit: "the limit of the control group"}},
		{"version 1", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup": file("5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("2000000"),
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("500000"),
			"sys/fs/cgroup/memory/x/memory.stat": file(
				"cache 7\ntotal_inactive_file 1000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712"),
			"sys/fs/cgroup/memory/memory.usage_in_bytes": file("1")},
			memory.Room{Bytes: 1501000, Limit: "the limit of the control group"}},
		{"address space", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/limits": file("Limit  Soft Limit  Hard Limit  Units\nMax address space    " +
				"     4194304000           unlimited            bytes\n"),
			"proc/self/statm": file("1000 200 30 0 0 0 0")},
			memory.Room{Bytes: 4194304000 - 1000*4096, Limit: "ulimit -v: 10 MB of 4.2 GB of " +
				"address space are taken, which Go reserves and hardly uses; GOMEMLIMIT or a " +
				"control group bounds memory itself"}},
		{"no limit of the address space", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/limits": file("Max address space         unlimited            unlimited   " +
				"         bytes\n"), "proc/self/statm": file("1000 200")},
			memory.Room{Bytes: 8000000 << 10, Limit: "MemAvailable"}},
	} {
		if got, ok := memory.ReadSystem(c.files); !ok || got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got, ok := memory.ReadSystem(fstest.MapFS{}); ok {
		t.Errorf("of nothing: %+v", got)
	}
}
