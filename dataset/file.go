package dataset

import (
	"path/filepath"
	"strings"

	"tobac/internal/file"
)

// ReadFile reads the table in a file: a NumPy array if the name ends in .npy ([ReadNPY]), text
// otherwise ([ReadCSV]). Errors begin with the path.
func ReadFile(path string) (*Table, error) {
	f, err := file.Open(path, "a text table or a NumPy file (.npy)")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	if strings.EqualFold(filepath.Ext(path), ".npy") {
		return ReadNPY(f, path)
	}
	return ReadCSV(f, path)
}
