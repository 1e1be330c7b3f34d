package graphfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"tobac/internal/delimited"
)

// A tag is an XML element with what is in it, as far as a reader needs it.
type tag struct {
	name     string
	line     int
	attr     map[string]string
	text     strings.Builder // between its children
	children []*tag
}

// Bounds of what a file may hold: how deep its elements lie in one another, and how many there are.
const (
	maxDepth    = 200
	maxElements = 3_000_000
)

// parseXML reads a whole text as a tree. Names lose their name spaces; entities other than those of
// XML itself are errors, so that nothing can grow by reading.
func parseXML(data []byte, source string) (*tag, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset
	root := &tag{}
	open, elements := []*tag{root}, 0
	fault := func(problem string) error {
		line, _ := d.InputPos()
		return &delimited.Error{Source: source, Line: line, Problem: problem}
	}
	for {
		token, err := d.Token()
		top := open[len(open)-1]
		switch {
		case err == io.EOF:
			return root, nil
		case err != nil:
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, fault("faulty XML: " + syntax.Msg)
			}
			return nil, fault("faulty XML: " + strings.TrimPrefix(err.Error(), "xml: "))
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, fault(fmt.Sprintf("XML elements lie more than %d deep", maxDepth))
			}
			if elements++; elements > maxElements {
				return nil, fault(fmt.Sprintf("more than %d XML elements", maxElements))
			}
			line, _ := d.InputPos()
			child := &tag{name: t.Name.Local, line: line}
			if len(t.Attr) > 0 {
				child.attr = make(map[string]string, len(t.Attr))
			}
			for _, a := range t.Attr {
				child.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, child)
			open = append(open, child)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text.Write(t)
		}
	}
}

// charset reads the encodings beside UTF-8 whose bytes are characters.
func charset(name string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		data, err := readAll(r)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		for _, c := range data {
			text.WriteRune(rune(c))
		}
		return strings.NewReader(text.String()), nil
	}
	return nil, fmt.Errorf("encoding %s, want UTF-8", excerpt(name))
}

// each calls f for all elements of the name below t, in the sequence of the file.
func (t *tag) each(name string, f func(*tag) error) error {
	for _, child := range t.children {
		if child.name == name {
			if err := f(child); err != nil {
				return err
			}
		}
		if err := child.each(name, f); err != nil {
			return err
		}
	}
	return nil
}

// first is the first element of the name below t; nil means there is none.
func (t *tag) first(name string) (found *tag) {
	errFound := errors.New("found")
	_ = t.each(name, func(child *tag) error {
		found = child
		return errFound
	})
	return found
}

// readGraphML reads a text of GraphML.
func readGraphML(data []byte, source string) (*Graph, error) {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	root, err := parseXML(bytes.TrimLeft(data, " \t\r\n"), source)
	if err != nil {
		return nil, err
	}
	if root.first("graphml") == nil || root.first("graph") == nil {
		return nil, &delimited.Error{Source: source, Problem: "XML that holds no graph",
			Allowed: "<graphml> with a <graph>"}
	}
	return graphMLOf(root.first("graphml"), source)
}

// escapeXML is text as an attribute or between tags. Characters that XML cannot hold are errors.
func escapeXML(text string) (string, error) {
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
			return "", fmt.Errorf("XML cannot hold the character %U of the name %s", c,
				excerpt(text))
		}
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return "", err
	}
	return b.String(), nil
}
