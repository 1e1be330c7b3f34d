package graphfile

import (
	"bytes"
	"regexp"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/numpy"
)

// How texts of the languages begin, after comments.
var (
	dotStart = regexp.MustCompile(
		`^(?i)(strict\s+)?(digraph|graph|dag|pdag|mag|pag)\s*("([^"\\]|\\.)*"|<[^{]*>|[^\s{"\[]+)?\s*\{`)
	bifStart = regexp.MustCompile(
		`^((network|variable)(\s+("[^"]*"|[^\s{,;]+))?\s*\{|probability\s*\()`)
)

// allowedFiles is what an unknown file should have been.
const allowedFiles = "an edge list (source,target), lines a --> b, a square matrix (CSV, NPY), " +
	"NPZ, JSON of networkx, GraphML, DOT, BIF"

// detect says which format the content of a file has.
func detect(data []byte, source string) (Format, error) {
	switch {
	case bytes.HasPrefix(data, []byte(numpy.Magic)):
		return NPY, nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return NPZ, nil
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte(byteOrderMark)))
	text := string(data[:min(len(data), 1<<16)])
	switch {
	case strings.HasPrefix(text, "<"):
		return GraphML, nil
	case strings.HasPrefix(text, "{"):
		return NetworkX, nil
	}
	code := skipComments(text)
	switch {
	case dotStart.MatchString(code):
		return DOT, nil
	case bifStart.MatchString(code):
		return BIF, nil
	}
	return detectText(string(data), source)
}

// detectText tells lists of edges and matrices apart.
func detectText(text, source string) (Format, error) {
	f, err := delimited.Read(strings.NewReader(text), source, syntaxOf(text))
	switch {
	case err == nil && isEdgeList(f):
		if f.Separator == '\t' {
			return EdgeTabs, nil
		}
		return EdgeList, nil
	case err == nil && headless(f) && (f.Separator != ' ' || !hasArrows(text)):
		_, err := delimited.ReadEdgeList(f) // says which headers there are
		return 0, err
	case err == nil && isLabelled(f):
		return Matrix, nil
	case hasArrows(text):
		return Arrows, nil
	case err != nil:
		return 0, err
	}
	rows, cols := len(f.Records), len(f.Records[0].Fields)
	if rows == cols || rows == cols+1 {
		return Matrix, nil
	}
	return 0, &delimited.Error{Source: source, Problem: "not recognised as a graph",
		Allowed: allowedFiles}
}

// headless reports whether a file looks like a list of edges without a header: two or three
// columns, and two words in the last line.
func headless(f *delimited.File) bool {
	cols, last := len(f.Records[0].Fields), f.Records[len(f.Records)-1].Fields
	if cols < 2 || cols > 3 || len(last) != cols {
		return false
	}
	for _, field := range last[:2] {
		if field.Text == "" || delimited.IsNumber(field.Text, f.Separator) {
			return false
		}
	}
	return true
}

// skipComments steps over what stands before a text in a language with comments like those of C:
// they, and lines that begin with #.
func skipComments(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		var end string
		switch {
		case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "#"):
			end = "\n"
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		default:
			return text
		}
		_, rest, found := strings.Cut(text, end)
		if !found {
			return ""
		}
		text = rest
	}
}
