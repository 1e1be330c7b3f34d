package file_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// FuzzManifest: whatever a folder's manifest holds, a set replaces the files in the folder only if
// the manifest has their checksums, which is read here by the decoder of the standard library
// alone.
func FuzzManifest(f *testing.F) {
	const content = "somebody's work\n"
	digest := sha256.Sum256([]byte(content))
	sum := hex.EncodeToString(digest[:])
	own := func(files map[string]string) []byte {
		dir := f.TempDir()
		s := must.Get(file.OpenSet(dir, []string{"a"}, file.Guard{}))(f)
		must.Do(f, s.Write("a", func(io.Writer) error { return nil }))
		must.Do(f, s.Commit())
		var m map[string]any
		text := must.Get(os.ReadFile(filepath.Join(dir, file.Manifest)))(f)
		must.Do(f, json.Unmarshal(text, &m))
		m["files"] = files
		text = must.Get(json.Marshal(m))(f)
		return text
	}
	f.Add(own(map[string]string{"result": sum}))
	f.Add(own(map[string]string{"result": sum[1:] + "0"}))
	f.Add(own(map[string]string{"result": ""}))
	f.Add(own(map[string]string{"../result": sum, file.Manifest: sum}))
	f.Add([]byte(`{"files":{"result":"` + sum + `"}}`))
	f.Add([]byte("{"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, manifest []byte) {
		dir := t.TempDir()
		for name, text := range map[string]string{file.Manifest: string(manifest),
			"result": content} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		var read struct {
			Files map[string]string `json:"files"`
		}
		mine := json.Unmarshal(manifest, &read) == nil && read.Files["result"] == sum
		s, err := file.OpenSet(dir, []string{"result"}, file.Guard{})
		if err == nil {
			defer s.Discard()
			if err = s.Write("result", func(w io.Writer) error {
				_, err := io.WriteString(w, "new")
				return err
			}); err == nil {
				err = s.Commit()
			}
		}
		after := must.Get(os.ReadFile(filepath.Join(dir, "result")))(t)
		switch {
		case err == nil && !mine:
			t.Fatalf("a file that the manifest %q does not name was replaced", manifest)
		case err != nil && string(after) != content:
			t.Fatalf("the file is %q after the error %v", after, err)
		case err == nil && string(after) != "new":
			t.Fatalf("the file is %q, without an error", after)
		}
	})
}
