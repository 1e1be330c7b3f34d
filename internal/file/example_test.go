package file_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tobac/internal/file"
)

// A failure leaves the former content.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) // a temporary folder
	path := filepath.Join(dir, "state.json")
	for _, fail := range []bool{false, true} {
		err := file.Write(path, func(w io.Writer) error {
			fmt.Fprintf(w, "fail %v", fail) // errors come when the buffer is flushed
			if fail {
				return io.ErrShortWrite
			}
			return nil
		})
		text, _ := os.ReadFile(path)
		fmt.Println(err != nil, string(text))
	}
	// Output:
	// false fail false
	// true fail false
}
