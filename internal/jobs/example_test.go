package jobs_test

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"tobac/internal/jobs"
)

// A list of jobs is done once: the second time its outputs come from the folder.
func Example() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder, err := jobs.OpenFolder(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	squares := jobs.Functions{"square": func(_ context.Context, j jobs.Job) ([]byte, error) {
		n, err := strconv.Atoi(string(j.Input))
		return strconv.AppendInt(nil, int64(n)*int64(n), 10), err
	}}
	list := []jobs.Job{{Kind: "square", Input: []byte("3")}, {Kind: "square", Input: []byte("12")}}
	for range 2 {
		var last jobs.Status
		outputs, err := jobs.Do(context.Background(), jobs.Local{}, folder, squares, list,
			func(s jobs.Status) { last = s })
		fmt.Printf("%s %v: %d done, %d found\n", outputs, err, last.Done, last.Found)
	}
	// Output:
	// [9 144] <nil>: 2 done, 0 found
	// [9 144] <nil>: 0 done, 2 found
}
