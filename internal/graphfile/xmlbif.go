package graphfile

import (
	"fmt"
	"io"
	"strings"

	"tobac/internal/delimited"
)

// xmlBIFOf reads variables and the parents of each; tables are left alone.
func xmlBIFOf(root *tag, source string) (*Graph, error) {
	c := newCollector(source)
	fault := func(t *tag, problem, allowed string) error {
		return &delimited.Error{Source: source, Line: t.line, Problem: problem, Allowed: allowed}
	}
	err := root.each("VARIABLE", func(variable *tag) error {
		t := variable.first("NAME")
		if t == nil || strings.TrimSpace(t.text.String()) == "" {
			return fault(variable, "variable without a name", "<NAME> in each <VARIABLE>")
		}
		name := strings.TrimSpace(t.text.String())
		if _, taken := c.index[name]; taken {
			return fault(variable, "two variables are named "+excerpt(name), "a different name for each variable")
		}
		c.vertex(name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	known := func(t *tag) (int, error) {
		v, ok := c.index[strings.TrimSpace(t.text.String())]
		if !ok {
			return 0, fault(t, "unknown variable "+excerpt(strings.TrimSpace(t.text.String())), delimited.Excerpts(c.graph.Names))
		}
		return v, nil
	}
	for _, element := range []string{"DEFINITION", "PROBABILITY"} { // versions 0.3 and 0.2
		err := root.each(element, func(definition *tag) error {
			of := definition.first("FOR")
			if of == nil {
				return fault(definition, "definition of no variable", "<FOR> in each <"+element+">")
			}
			to, err := known(of)
			if err != nil {
				return err
			}
			return definition.each("GIVEN", func(given *tag) error {
				from, err := known(given)
				if err != nil {
					return err
				}
				return c.add(Edge{From: from, To: to}, given.line)
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// writeXMLBIF writes version 0.3, each variable with one state, of probability 1, as [writeBIF]
// does.
func writeXMLBIF(w io.Writer, g *Graph) error {
	directed, err := g.DAG()
	if err != nil {
		return fmt.Errorf("XMLBIF holds acyclic graphs: %w", err)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>graph</NAME>\n")
	names := make([]string, len(g.Names))
	for v, name := range g.Names {
		if name != strings.TrimSpace(name) {
			return fmt.Errorf("XMLBIF cannot hold blanks around the name %s", excerpt(name))
		}
		if names[v], err = escapeXML(name); err != nil {
			return err
		}
		fmt.Fprintf(&b, "<VARIABLE TYPE=\"nature\"><NAME>%s</NAME><OUTCOME>%s</OUTCOME></VARIABLE>\n", names[v], onlyState)
	}
	for v := range g.Names {
		fmt.Fprintf(&b, "<DEFINITION><FOR>%s</FOR>", names[v])
		for _, u := range directed.Parents(v) {
			fmt.Fprintf(&b, "<GIVEN>%s</GIVEN>", names[u])
		}
		b.WriteString("<TABLE>1</TABLE></DEFINITION>\n")
	}
	b.WriteString("</NETWORK>\n</BIF>\n")
	_, err = io.WriteString(w, b.String())
	return err
}
