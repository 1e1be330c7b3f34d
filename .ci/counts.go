//go:build ignore

// Counts of one or two trees of the module; .ci/counts says which. Arguments are pairs of a label
// and a folder.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tobac/internal/house"
)

// other is the half of the module that is no application: the compiler, what it alone needs, tools
// and benchmarks.
var other = regexp.MustCompile(
	`^(autograd|bench|beam|internal/(gen|house|pool|unwritten|vector))(/|$)`)

const circle = "largest circle of files: "

func main() {
	var labels []string
	var columns []map[string]int
	var rows []string
	for k := 1; k+1 < len(os.Args); k += 2 {
		column := map[string]int{}
		err := count(os.Args[k+1], func(row string, value int) {
			if !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
			column[row] += value
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "counts of %s: %v\n", os.Args[k], err)
			os.Exit(1)
		}
		labels, columns = append(labels, os.Args[k]), append(columns, column)
	}
	print := func(row string, cells []string) {
		fmt.Printf("%-52s%s\n", row, strings.Join(cells, ""))
	}
	cell := func(v any) string { return fmt.Sprintf("%12v", v) }
	slices.Sort(rows)
	var cells []string
	for _, l := range labels {
		cells = append(cells, cell(l))
	}
	print("", cells)
	for _, row := range rows {
		cells = cells[:0]
		if strings.HasPrefix(row, circle) &&
			!slices.ContainsFunc(columns, func(c map[string]int) bool { return c[row] > 4 }) {
			continue
		}
		for _, c := range columns {
			cells = append(cells, cell(c[row]))
		}
		if len(columns) == 2 {
			cells = append(cells, cell(fmt.Sprintf("%+d", columns[1][row]-columns[0][row])))
		}
		print(row, cells)
	}
}

// count gives every count of the tree in dir to add, which sums those of one name.
func count(dir string, add func(row string, value int)) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			if rel != "." && strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		page := rel == "README.md" || rel == "ARCHITECTURE.md" || strings.HasPrefix(rel, "docs/") &&
			strings.HasSuffix(rel, ".md")
		if !page && !strings.HasSuffix(rel, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Count(string(text), "\n")
		switch {
		case rel == "docs/reference.md":
			add("documentation: words of the reference, which is generated",
				len(strings.Fields(string(text))))
		case page:
			add("documentation: words of README, ARCHITECTURE, guide",
				len(strings.Fields(string(text))))
		case other.MatchString(rel) && strings.HasSuffix(rel, "_test.go"):
			add("the rest of the repository: lines of tests", lines)
		case other.MatchString(rel):
			add("the rest of the repository: lines of source", lines)
		case strings.HasSuffix(rel, "_test.go"):
			add("application: lines of tests", lines)
		default:
			add("application: lines of source", lines)
			if !strings.Contains(rel, "/") {
				add("root: files", 1)
				add("root: lines of source", lines)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	packages, err := house.Load(dir)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if !other.MatchString(p.Folder) && !strings.Contains("/"+p.Folder+"/", "/internal/") &&
			!strings.HasPrefix(p.Folder, "cmd/") {
			for _, name := range p.Exported() {
				add("application: exported names of public packages", 1)
				if strings.Contains(name, ".") {
					add("application: exported names that are methods", 1)
				}
			}
			add("application: public packages", 1)
		}
	}
	if err := help(dir, add); err != nil {
		return err
	}
	for _, p := range packages {
		add(circle+p.Folder, len(p.Circle()))
	}
	return nil
}

// help builds the command and reads the help of each of its commands.
func help(dir string, add func(row string, value int)) error {
	out, err := os.MkdirTemp("", "counts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	binary := filepath.Join(out, "tobac")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./cmd/tobac")
	build.Dir, build.Stderr = dir, os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	option := regexp.MustCompile(`(?m)^ +(-\w, +)?--\w`)
	command := regexp.MustCompile(`(?m)^  (\w+)  `)
	var visit func(words ...string) error
	visit = func(words ...string) error {
		text, err := exec.Command(binary, append(words, "--help")...).Output()
		if err != nil {
			return fmt.Errorf("tobac %s --help: %w", strings.Join(words, " "), err)
		}
		add("help: words, of all commands", len(strings.Fields(string(text))))
		add("help: options of all commands", len(option.FindAll(text, -1)))
		if slices.Equal(words, []string{"fit"}) {
			add("help: options of tobac fit", len(option.FindAll(text, -1)))
			add("help: lines of tobac fit --help", strings.Count(string(text), "\n"))
		}
		_, list, _ := strings.Cut(string(text), "Commands:\n")
		list, _, _ = strings.Cut(list, "\nFlags:\n")
		for _, m := range command.FindAllStringSubmatch(list, -1) {
			if m[1] != "help" && m[1] != "completion" {
				if err := visit(append(slices.Clone(words), m[1])...); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return visit()
}
