package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/memory"
	"tobac/internal/vector"
)

// A checkpoint is the content of a file that --checkpoint names: the state of a
// run and the command that it belongs to.
type checkpoint struct {
	Format   string       `json:"format"`
	Versions cli.Versions `json:"versions"`
	// of the checkpoint when it was written; relative paths begin there
	Folder   string          `json:"folder"`
	Data     string          `json:"data"` // path; "" means the embedded data
	Options  []cli.Option    `json:"options"`
	Snapshot *tobac.Snapshot `json:"snapshot"`
}

// checkpointFormat is how a checkpoint is known: the file begins with it.
const checkpointFormat = "tobac checkpoint 3"

// writeCheckpoint replaces the file by the state of a run, at once or not at all.
func writeCheckpoint(path string, c *cli.CommandLine, s *tobac.Snapshot) error {
	dir := filepath.Dir(path)
	folder, err := filepath.Abs(dir)
	if err != nil {
		return file.WithPath(path, err)
	}
	k := checkpoint{Format: checkpointFormat, Versions: cli.CurrentVersions(), Folder: folder,
		Snapshot: s}
	if c != nil {
		k.Data, k.Options = cli.RelativeTo(dir, c.Data, cli.DataKind), c.Given(dir)
		k.Options = slices.DeleteFunc(k.Options, func(o cli.Option) bool {
			return o.Name != "out" && cli.CommandLineOnly(c.Lookup(o.Name))
		})
	}
	return file.Write(path, file.Sealed(func(w io.Writer) error {
		return json.NewEncoder(w).Encode(k)
	}))
}

// readCheckpoint reads the state of a run.
func readCheckpoint(path string) (*checkpoint, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; allowed: a file written by tobac fit --checkpoint", err)
		}
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	r := bufio.NewReader(f)
	if !isCheckpoint(r) {
		return nil, fmt.Errorf("%s: not a checkpoint written by tobac fit --checkpoint", path)
	}
	text, err := memory.ReadAll(r, 3)
	if err != nil {
		return nil, file.WithPath(path, err)
	}
	k, err := parseCheckpoint(text)
	if err != nil {
		return nil, cli.Located(path, err)
	}
	return k, nil
}

// parseCheckpoint reads a text that begins like a checkpoint.
func parseCheckpoint(text []byte) (*checkpoint, error) {
	k := new(checkpoint)
	form, _, _ := strings.Cut(strings.TrimPrefix(string(text[:min(len(text), 100)]), `{"format":"`),
		`"`)
	if form != checkpointFormat {
		return nil, fmt.Errorf("a checkpoint in the form %s, want %q: it was written by another "+
			"version of tobac, or is damaged", delimited.Excerpt(form), checkpointFormat)
	}
	content, err := file.Unseal(text)
	if err != nil {
		return nil, fmt.Errorf("a damaged checkpoint: %w", err)
	}
	if err := json.Unmarshal(content, k); err != nil {
		return nil, fmt.Errorf("not a checkpoint of this version of tobac: %w", err)
	}
	if k.Snapshot == nil {
		return nil, errors.New("a checkpoint without the state of a run")
	}
	return k, nil
}

// isCheckpoint looks at the beginning of a file.
func isCheckpoint(r *bufio.Reader) bool {
	begin := []byte(`{"format":"tobac checkpoint `)
	got, err := r.Peek(len(begin))
	return err == nil && bytes.Equal(got, begin)
}

// checkCheckpoint finds a place that a checkpoint must not be written to: an
// input, and any file but an earlier checkpoint, unless by force.
func checkCheckpoint(path string, guard file.Guard) error {
	if err := guard.CheckInput(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if !info.Mode().IsRegular() {
			return fmt.Errorf(
				"%s: is not a regular file; allowed: a new file, or an earlier checkpoint", path)
		}
		f, err := os.Open(path)
		if err != nil {
			return file.WithPath(path, err)
		}
		ours := isCheckpoint(bufio.NewReader(f))
		f.Close() // only read
		if !ours && !guard.Force {
			return fmt.Errorf("%s: is not a checkpoint, and is not overwritten; choose another "+
				"file for --checkpoint, or give --force", path)
		}
	}
	return file.Check(path)
}

// recall sets the options of a checkpoint that the command line leaves open, and
// finds the data.
func (k *checkpoint) recall(c *cli.CommandLine, path string, assign func() error) error {
	dir := filepath.Dir(path)
	if c.Data == "" && k.Data == "-" {
		return cli.Usagef("%s: the data came from standard input: %s - < DATA", path,
			resumeCommand(path))
	}
	if there := k.base(c, k.Folder); k.base(c, dir) < there {
		dir = k.Folder
	}
	if c.Data == "" && k.Data != "" {
		if c.Data = cli.Resolved(dir, k.Data, cli.DataKind); !cli.Exists(c.Data) {
			return fmt.Errorf("%s: its data are no longer in %s; give the data file: %s DATA", path,
				c.Data, resumeCommand(path))
		}
	}
	var recalled []cli.Option
	for _, o := range k.Options {
		flag := c.Lookup(o.Name)
		switch {
		case flag == nil:
			return fmt.Errorf("%s: has the option %s, which this version of tobac does not know",
				path, cli.Dashed(o.Name))
		case o.Name == "out" && !flag.Changed:
			for _, text := range o.Texts {
				if out := cli.Resolved(dir, text, flag.Value.Type()); outside(path, out) {
					return cli.Usagef("%s: its results go to %s, outside the folder of the "+
						"checkpoint; to write there: %s --out %s", path, out, resumeCommand(path),
						cli.ShellWord(out))
				}
			}
		case o.Name != "out" && cli.CommandLineOnly(flag):
			continue // such as --force of a former version
		}
		recalled = append(recalled, o)
	}
	return c.SetAll(recalled, dir, assign, func(_ cli.Option, err error) error {
		return cli.Located(path, err)
	})
}

// base counts the inputs that are found where relative paths begin at dir.
func (k *checkpoint) base(c *cli.CommandLine, dir string) int {
	found := 0
	for _, o := range append([]cli.Option{{Name: cli.DataKey, Texts: []string{k.Data}}},
		k.Options...) {
		kind := cli.DataKind
		if o.Name != cli.DataKey {
			flag := c.Lookup(o.Name)
			if flag == nil || cli.Marked(flag, cli.MarkOutside) {
				continue
			}
			kind = flag.Value.Type()
		}
		for _, text := range o.Texts {
			if cli.IsPath(cli.Resolved(dir, text, kind), kind) &&
				cli.Exists(cli.Resolved(dir, text, kind)) {
				found++
			}
		}
	}
	return found
}

// differences lists the options that were given for this run and not, or with
// other values, for that of the checkpoint, those that may differ left out.
func (k *checkpoint) differences(c *cli.CommandLine, path string) string {
	former := map[string][]string{}
	for _, o := range k.Options {
		former[o.Name] = o.Texts
	}
	var all []string
	for _, o := range c.Given(filepath.Dir(path), cli.MarkAnytime) {
		was, ok := former[o.Name]
		switch {
		case slices.Equal(was, o.Texts):
		case !ok:
			all = append(all,
				fmt.Sprintf("without %s, here %s", cli.Dashed(o.Name), strings.Join(o.Texts, " ")))
		default:
			all = append(all, fmt.Sprintf("with %s %s, here %s", cli.Dashed(o.Name),
				strings.Join(was, " "), strings.Join(o.Texts, " ")))
		}
	}
	return strings.Join(all, "; ")
}

// restoreError says why a run cannot go on from a checkpoint, in words of the
// command line.
func (k *checkpoint) restoreError(c *cli.CommandLine, path string, err error) error {
	if differ := k.differences(c, path); differ != "" {
		return cli.Located(path,
			cli.Usagef("was made %s; leave out what differs, or start anew without --resume",
				differ))
	}
	setting := new(tobac.SettingError)
	switch {
	case !errors.As(err, &setting):
		return cli.Located(path, err)
	case setting.Name == "data" || setting.Name == "interventions":
		return cli.Located(path,
			fmt.Errorf("the %s have changed since: they are not those that the checkpoint was "+
				"made from", setting.Name))
	}
	if setting.Name == "arithmetic" {
		return cli.Located(path, otherArithmetic(path, setting.Snapshot, setting.Run))
	}
	return cli.Located(path,
		fmt.Errorf("was made with the %s %s, this run has %s; start anew without --resume",
			setting.Name, setting.Snapshot, setting.Run))
}

// outside reports whether a folder is not below that of a checkpoint.
func outside(checkpoint, folder string) bool {
	rel, err := file.Relative(filepath.Dir(checkpoint), folder)
	return err != nil || !filepath.IsLocal(rel)
}

// resumeWith is the command that continues from a checkpoint of this one, with what the checkpoint
// does not say.
func resumeWith(c *cli.CommandLine, path string) string {
	text := resumeCommand(path)
	if c == nil {
		return text
	}
	if out := c.Flags.Lookup("out"); out.Changed && outside(path, out.Value.String()) {
		text += " --out " + cli.ShellWord(out.Value.String())
	}
	if c.Flags.Lookup("force").Value.String() == "true" {
		text += " --force"
	}
	return text
}

// resumeCommand is the command that continues from a checkpoint.
func resumeCommand(path string) string { return "tobac fit --resume " + cli.ShellWord(path) }

// warnings say that a checkpoint is of another version of the program, whose bits may
// differ. k may be nil.
func (k *checkpoint) warnings(path string) []string {
	is := cli.CurrentVersions()
	if k == nil || k.Versions.Tobac == is.Tobac && k.Versions.Go == is.Go {
		return nil
	}
	return []string{fmt.Sprintf("%s was written by tobac %s (%s), this is tobac %s (%s): the "+
		"last digits of the result may differ from an uninterrupted run",
		path, k.Versions.Tobac, k.Versions.Go, is.Tobac, is.Go)}
}

// otherArithmetic says why a run cannot go on with the kernels in use, and with which it
// can. was and is are as [autograd.Arithmetic] has them.
func otherArithmetic(path, was, is string) error {
	text := fmt.Sprintf("was made with the arithmetic %s, this run has %s, which gives other bits",
		was, is)
	at := strings.LastIndex(was, " ") + 1
	can := slices.ContainsFunc(vector.Available(), func(s vector.Set) bool {
		return s.String() == was[at:]
	})
	if !can || !strings.HasPrefix(is, was[:at]) {
		return fmt.Errorf("%s; resume it where it was made, or start anew without --resume", text)
	}
	return fmt.Errorf("%s; to continue: TOBAC_KERNELS=%s %s", text, was[at:], resumeCommand(path))
}
