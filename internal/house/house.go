// Package house, for tests and for .ci/counts: what a reader of the module has to hold in mind at
// once. It loads the packages of a module with their types and finds the circles of their files.
package house

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Package is a package of the module without its tests.
type Package struct {
	Path   string // its import path
	Folder string // slash-separated path in the module
	dir    string
	Files  []string // base names, as this platform builds them
	Types  *types.Package

	fset   *token.FileSet
	syntax []*ast.File
	info   *types.Info
}

// Load reads and checks the packages of the module in the folder dir. Imports come from Go's build
// cache.
func Load(dir string) ([]*Package, error) {
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,Module,Standard", "./...")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("house: go list in %s: %w\n%s", dir, err, &stderr)
	}
	export := map[string]string{}
	var all []*Package
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			Standard                bool
			Module                  *struct {
				Main bool
				Path string
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("house: go list in %s: %w", dir, err)
		}
		export[p.ImportPath] = p.Export
		if !p.Standard && p.Module != nil && p.Module.Main {
			all = append(all, &Package{
				Path: p.ImportPath,
				Folder: cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path),
					"/"), "."),
				Files: p.GoFiles, dir: p.Dir,
			})
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, errors.New("house: no export data of " + path)
		}
		return os.Open(export[path])
	})
	for _, p := range all {
		if err := p.check(fset, imports); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b *Package) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

func (p *Package) check(fset *token.FileSet, imports types.Importer) error {
	p.fset, p.info = fset, &types.Info{Uses: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{}}
	// Read, so that Go does not take the result of a test from its cache when a file was added.
	if _, err := os.ReadDir(p.dir); err != nil {
		return err
	}
	for _, name := range p.Files {
		f, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil,
			parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		p.syntax = append(p.syntax, f)
	}
	var err error
	p.Types, err = (&types.Config{Importer: imports}).Check(p.Path, fset, p.syntax, p.info)
	return err
}

// Exported lists the exported names of a package: functions, types, variables, constants, and
// methods of exported types as Type.Method.
func (p *Package) Exported() []string {
	var names []string
	for _, name := range p.Types.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		names = append(names, name)
		t, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		for m := range t.Type().(*types.Named).Methods() {
			if m.Exported() {
				names = append(names, name+"."+m.Name())
			}
		}
	}
	return names
}

// Arrows lists, of each file, the files of the package that declare a function, method, type,
// variable or constant that it uses, each with the names used.
func (p *Package) Arrows() map[string]map[string][]string {
	arrows := map[string]map[string][]string{}
	for id, object := range p.info.Uses {
		if f, ok := object.(*types.Func); ok {
			object = f.Origin()
		}
		if object.Pkg() != p.Types || !isTopLevel(object) {
			continue
		}
		from, to := p.file(id.Pos()), p.file(object.Pos())
		if from == to {
			continue
		}
		if arrows[from] == nil {
			arrows[from] = map[string][]string{}
		}
		if !slices.Contains(arrows[from][to], object.Name()) {
			arrows[from][to] = append(arrows[from][to], object.Name())
		}
	}
	return arrows
}

func (p *Package) file(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }

// isTopLevel holds for package-level declarations and for methods, those of interfaces too.
func isTopLevel(object types.Object) bool {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return object.Parent() == object.Pkg().Scope()
}

// Circle returns the largest set of files of the package each of which needs all others, directly
// or through others of the set. It has one file where the files have a direction.
func (p *Package) Circle() []string {
	arrows := p.Arrows()
	var largest []string
	reach := map[string]map[string]bool{}
	for _, name := range p.Files {
		reach[name] = reachable(arrows, name)
	}
	for _, name := range p.Files {
		circle := []string{name}
		for other := range reach[name] {
			if other != name && reach[other][name] {
				circle = append(circle, other)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}

func reachable(arrows map[string]map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	next := []string{from}
	for len(next) > 0 {
		file := next[len(next)-1]
		next = next[:len(next)-1]
		for to := range arrows[file] {
			if !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return seen
}

// Explain says which arrows tie a circle together, one a line.
func (p *Package) Explain(circle []string) string {
	arrows := p.Arrows()
	var b strings.Builder
	for _, from := range circle {
		for _, to := range slices.Sorted(maps.Keys(arrows[from])) {
			if slices.Contains(circle, to) {
				slices.Sort(arrows[from][to])
				fmt.Fprintf(&b, "%s -> %s: %s\n", from, to, strings.Join(arrows[from][to], " "))
			}
		}
	}
	return b.String()
}

// Asserted lists the tests of a value's type for a concrete type of another package, as file:
// type. Declared says which packages count.
func (p *Package) Asserted(declared func(path string) bool) []string {
	var found []string
	look := func(file *ast.File, e ast.Expr) {
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return
		}
		t, ok := p.info.Uses[s.Sel].(*types.TypeName)
		if ok && t.Pkg() != p.Types && declared(t.Pkg().Path()) && !types.IsInterface(t.Type()) {
			found = append(found, p.Folder+"/"+p.file(file.Pos())+": "+t.Pkg().Name()+"."+t.Name())
		}
	}
	for _, file := range p.syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				look(file, n.Type)
			case *ast.TypeSwitchStmt:
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						look(file, e)
					}
				}
			}
			return true
		})
	}
	return found
}

// Asked lists the interfaces for which a package calls the generic function of a package path with
// this name, as their methods and the file.
func (p *Package) Asked(path, name string) map[string]string {
	found := map[string]string{}
	for id, instance := range p.info.Instances {
		f := p.info.Uses[id]
		if f == nil || f.Name() != name || f.Pkg().Path() != path {
			continue
		}
		if t, ok := instance.TypeArgs.At(0).Underlying().(*types.Interface); ok {
			if m := methods(t); m != "" {
				found[m] = p.Folder + "/" + p.file(id.Pos())
			}
		}
	}
	return found
}

// Implements reports whether a type of the package has all methods that [Package.Asked] lists.
func (p *Package) Implements(asked string) bool {
	for _, name := range p.Types.Scope().Names() {
		t, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(t.Type()) {
			continue
		}
		has := strings.Split(methods(types.NewPointer(t.Type())), "\n")
		if !slices.ContainsFunc(strings.Split(asked, "\n"), func(m string) bool {
			return !slices.Contains(has, m)
		}) {
			return true
		}
	}
	return false
}

// methods are those of a type, each a line of its name and the types that it takes and gives.
func methods(t types.Type) string {
	var lines []string
	for m := range types.NewMethodSet(t).Methods() {
		signature := m.Type().(*types.Signature)
		line := m.Obj().Name()
		for _, tuple := range []*types.Tuple{signature.Params(), signature.Results()} {
			line += ";"
			for v := range tuple.Variables() {
				line += " " + types.TypeString(v.Type(), (*types.Package).Path)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// link is a link of a comment to a name of the package, or of another one, or to a field or method.
var link = regexp.MustCompile(`(?:^|[^\w\]])\[(?:([a-z]\w*)\.)?([A-Z]\w*)(?:\.([A-Z]\w*))?\](?:$|[^\w(:])`)

// Dangling lists the links of comments that lead nowhere, as file: link. all are the packages of
// the module; links to others are not followed.
func (p *Package) Dangling(all []*Package) []string {
	leads := func(t *types.Package, name, member string) bool {
		object := t.Scope().Lookup(name)
		if object == nil || member == "" {
			return object != nil
		}
		found, _, _ := types.LookupFieldOrMethod(object.Type(), true, t, member)
		return found != nil
	}
	var found []string
	for _, file := range p.syntax {
		for _, comment := range file.Comments {
			for _, m := range link.FindAllStringSubmatch(comment.Text(), -1) {
				if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
					return i.Name != nil && i.Name.Name == m[2]
				}) {
					continue // a package under another name
				}
				of := []*Package{p}
				if m[1] != "" {
					of = slices.DeleteFunc(slices.Clone(all),
						func(q *Package) bool { return q.Types.Name() != m[1] })
				}
				if len(of) > 0 && !slices.ContainsFunc(of, func(q *Package) bool {
					return leads(q.Types, m[2], m[3])
				}) {
					found = append(found, p.Folder+"/"+p.file(file.Pos())+": "+
						strings.TrimSpace(m[0]))
				}
			}
		}
	}
	return found
}

// Hidden lists what exported names of a package need and go doc does not show: unexported types and
// types of internal packages in signatures, fields and methods, as name: type.
func (p *Package) Hidden() []string {
	found := map[string]bool{}
	for _, name := range p.Types.Scope().Names() {
		object := p.Types.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		seen := map[types.Type]bool{}
		var look func(where string, t types.Type)
		tuple := func(where string, t *types.Tuple) {
			for v := range t.Variables() {
				look(where, v.Type())
			}
		}
		look = func(where string, t types.Type) {
			if seen[t] {
				return
			}
			seen[t] = true
			switch t := t.(type) {
			case *types.Alias:
				look(where, types.Unalias(t))
			case *types.Named:
				o := t.Obj()
				if o.Pkg() != nil && (o.Pkg() == p.Types && !o.Exported() ||
					strings.Contains(o.Pkg().Path()+"/", "/internal/")) {
					found[where+": "+types.TypeString(t, (*types.Package).Name)] = true
				}
				for a := range t.TypeArgs().Types() {
					look(where, a)
				}
			case *types.Pointer:
				look(where, t.Elem())
			case *types.Slice:
				look(where, t.Elem())
			case *types.Array:
				look(where, t.Elem())
			case *types.Chan:
				look(where, t.Elem())
			case *types.Map:
				look(where, t.Key())
				look(where, t.Elem())
			case *types.Signature:
				tuple(where, t.Params())
				tuple(where, t.Results())
			case *types.Struct:
				for f := range t.Fields() {
					if f.Exported() {
						look(where+"."+f.Name(), f.Type())
					}
				}
			case *types.Interface:
				for m := range t.Methods() {
					if m.Exported() {
						look(where+"."+m.Name(), m.Type())
					}
				}
			}
		}
		t, ok := object.(*types.TypeName)
		if !ok || t.IsAlias() {
			look(name, object.Type())
			continue
		}
		look(name, t.Type().Underlying())
		for m := range t.Type().(*types.Named).Methods() {
			if m.Exported() {
				look(name+"."+m.Name(), m.Type())
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
