package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes the processor in a few words.
func machine() string {
	name := processor()
	if name == "" {
		name = runtime.GOARCH
	}
	return fmt.Sprintf("%d cores, %s, %s", runtime.NumCPU(), name, runtime.GOOS)
}

// processor is the name that Linux gives the processor; "" means unknown.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found &&
			strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
