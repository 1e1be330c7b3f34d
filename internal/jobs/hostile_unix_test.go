//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
	"tobac/internal/jobs"
	"tobac/internal/must"
)

// elsewhere is what lies in a folder, with the contents of its files.
func elsewhere(t *testing.T) string {
	t.Helper()
	var all []string
	must.Do(t, filepath.WalkDir("home", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, failed := os.ReadFile(path)
			all, err = append(all, path+": "+string(text)), failed
		}
		return err
	}))
	return strings.Join(all, "\n")
}

// A folder that somebody has prepared changes nothing elsewhere, whatever is done with it; work in
// it ends with the right outputs or an error, and never waits for what is no file.
func TestHostileFolder(t *testing.T) {
	list, want := squares(2)
	for i := range list {
		list[i].Data = [][]byte{[]byte("table")}
	}
	bad := jobs.Job{Kind: "bad"}
	digest := "7f2b1a0e6a1a1e9e5b8e0fa3a8e5f1b0e4c7c0e9a1f6b8d3c2e1f0a9b8c7d6e5"
	replace := func(t *testing.T, pattern, target string) {
		t.Helper()
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		for _, path := range found {
			rel := target
			if target != "pipe" && !filepath.IsAbs(target) {
				rel, _ = filepath.Rel(filepath.Dir(path), target)
			}
			must.Do(t, os.RemoveAll(path))
			if target == "pipe" {
				err = syscall.Mkfifo(path, 0o666)
			} else {
				err = os.Symlink(rel, path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	record := func(t *testing.T, entry map[string]any) {
		t.Helper()
		text := must.Get(json.Marshal(entry))(t)
		root := must.Get(os.OpenRoot("parts"))(t)
		defer root.Close()
		must.Do(t, file.WriteIn(root, "lists/000002-x", file.Sealed(func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})))
	}
	for name, make := range map[string]func(t *testing.T){
		"outputs are links":  func(t *testing.T) { replace(t, "parts/done/*/*", "home/known") },
		"outputs are pipes":  func(t *testing.T) { replace(t, "parts/done/*/*", "pipe") },
		"folder of outputs":  func(t *testing.T) { replace(t, "parts/done", "home") },
		"folders of outputs": func(t *testing.T) { replace(t, "parts/done/*", "home") },
		"absolute link": func(t *testing.T) {
			here, _ := os.Getwd()
			replace(t, "parts/done", here+"/home")
		},
		"data are links":  func(t *testing.T) { replace(t, "parts/data/*", "home/known") },
		"data are pipes":  func(t *testing.T) { replace(t, "parts/data/*", "pipe") },
		"folder of data":  func(t *testing.T) { replace(t, "parts/data", "home") },
		"lists are links": func(t *testing.T) { replace(t, "parts/lists/*", "home/known") },
		"lists are pipes": func(t *testing.T) { replace(t, "parts/lists/*", "pipe") },
		"folder of lists": func(t *testing.T) { replace(t, "parts/lists", "home") },
		"header is a link": func(t *testing.T) {
			replace(t, "parts/tobac-jobs.json", "home/known")
		},
		"header is a pipe": func(t *testing.T) { replace(t, "parts/tobac-jobs.json", "pipe") },
		"data outside": func(t *testing.T) {
			record(t, map[string]any{"id": digest, "kind": "square",
				"data": []string{"../../home/known"}})
		},
		"data without a name": func(t *testing.T) {
			record(t, map[string]any{"id": digest, "kind": "square", "data": []string{""}})
		},
		"another ID": func(t *testing.T) {
			record(t, map[string]any{"id": "../../home/known", "kind": "square"})
		},
		"outputs of other names": func(t *testing.T) {
			os.Mkdir("parts/done/zz", 0o777)
			os.WriteFile("parts/done/zz/..evil", nil, 0o666)
			os.WriteFile("parts/done/zz/evil", nil, 0o666)
		},
		"planted temporary folder": func(t *testing.T) {
			for _, dir := range []string{"parts", "parts/lists", "parts/done/" + list[0].ID()[:2]} {
				staging := dir + "/.tobac-1.tmp/"
				os.Mkdir(staging, 0o700)
				for name, text := range map[string]string{".lock": "tobac: temporary files of a " +
					"run\n", "known": "evil"} {
					os.WriteFile(staging+name, []byte(text), 0o600)
				}
			}
		},
		"huge output": func(t *testing.T) {
			os.Truncate(filepath.Join("parts/done", list[0].ID()[:2], list[0].ID()), 1<<50)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			c := new(counting)
			functions := c.functions()
			parts := open(t, "parts")
			must.Do(t, parts.Add(list))
			must.Get(jobs.Do(context.Background(), jobs.Local{Workers: 1}, parts, functions,
				list, nil))(t)
			must.Do(t, errors.Join(os.Mkdir("home", 0o777),
				os.WriteFile("home/known", []byte("old"), 0o666)))
			make(t)
			before := elsewhere(t)
			parts, err := jobs.OpenFolder("parts")
			if err == nil {
				added := parts.Add(append(slices.Clone(list), bad))
				_, listed := parts.Jobs()
				outputs, failed := jobs.Do(context.Background(), jobs.Local{Workers: 1}, parts,
					functions, append(slices.Clone(list), bad), nil)
				if got := texts(outputs[:2]); !slices.Equal(got, want) ||
					!errors.As(failed, new(*jobs.FailedError)) {
					t.Errorf("got %q, error %v", got, failed)
				}
				for _, err := range []error{added, listed} {
					if err != nil && !strings.Contains(err.Error(), "parts") {
						t.Errorf("error %v, which names nothing", err)
					}
				}
				t.Logf("add %v, list %v, do %v", added, listed, failed)
			} else if !strings.HasPrefix(err.Error(), "parts") {
				t.Errorf("error %v", err)
			}
			if after := elsewhere(t); after != before {
				t.Errorf("elsewhere there is\n%s\nwas\n%s", after, before)
			}
		})
	}
}
