package graphfile

import (
	"fmt"
	"io"
	"strings"

	"tobac/internal/delimited"
)

// xmlBIFOf reads variables and the parents of each, and their tables where all of them fit.
func xmlBIFOf(root *tag, source string) (*Graph, error) {
	c := newCollector(source)
	var tables []*bifTable
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
			return fault(variable, "two variables are named "+excerpt(name),
				"a different name for each variable")
		}
		c.vertex(name)
		of := &bifTable{}
		tables = append(tables, of)
		for _, element := range []string{"OUTCOME", "VALUE"} { // versions 0.3 and 0.2
			_ = variable.each(element, func(state *tag) error {
				of.states = append(of.states, strings.TrimSpace(state.text.String()))
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	known := func(t *tag) (int, error) {
		v, ok := c.index[strings.TrimSpace(t.text.String())]
		if !ok {
			return 0, fault(t, "unknown variable "+excerpt(strings.TrimSpace(t.text.String())),
				delimited.Excerpts(c.graph.Names))
		}
		return v, nil
	}
	for _, element := range []string{"DEFINITION", "PROBABILITY"} {
		err := root.each(element, func(definition *tag) error {
			of := definition.first("FOR")
			if of == nil {
				return fault(definition, "definition of no variable", "<FOR> in each <"+element+">")
			}
			to, err := known(of)
			if err != nil {
				return err
			}
			b := tables[to]
			b.ends = []int{to}
			if table := definition.first("TABLE"); table != nil {
				var bad error
				if b.flat, _, bad = probabilities(strings.Fields(table.text.String())); bad != nil {
					return fault(table, bad.Error(), "")
				}
			}
			return definition.each("GIVEN", func(given *tag) error {
				from, err := known(given)
				if err != nil {
					return err
				}
				b.ends = append(b.ends, from)
				return c.add(Edge{From: from, To: to}, given.line)
			})
		})
		if err != nil {
			return nil, err
		}
	}
	g, err := c.finish()
	if err == nil {
		g.Tables = bifTables(tables)
	}
	return g, err
}

// writeXMLBIF writes version 0.3 with the tables of the graph, or each variable with one state, of
// probability 1, as [writeBIF] does.
func writeXMLBIF(w io.Writer, g *Graph) error {
	directed, err := g.DAG()
	if err != nil {
		return fmt.Errorf("XMLBIF holds acyclic graphs: %w", err)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` +
		"\n<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>graph</NAME>\n")
	text := func(name string) string {
		if name != strings.TrimSpace(name) || name == "" {
			err = fmt.Errorf("XMLBIF cannot hold blanks around the name %s", excerpt(name))
			return ""
		}
		escaped, fault := escapeXML(name)
		if fault != nil {
			err = fault
		}
		return escaped
	}
	for v, name := range g.Names {
		states := []string{onlyState}
		if g.Tables != nil {
			states = g.Tables[v].States
		}
		fmt.Fprintf(&b, "<VARIABLE TYPE=\"nature\"><NAME>%s</NAME>", text(name))
		for _, s := range states {
			fmt.Fprintf(&b, "<OUTCOME>%s</OUTCOME>", text(s))
		}
		b.WriteString("</VARIABLE>\n")
	}
	for v, name := range g.Names {
		parents, rows := directed.Parents(v), [][]float64{{1}}
		if g.Tables != nil {
			parents, rows = g.Tables[v].Parents, g.Tables[v].Rows
		}
		fmt.Fprintf(&b, "<DEFINITION><FOR>%s</FOR>", text(name))
		for _, u := range parents {
			fmt.Fprintf(&b, "<GIVEN>%s</GIVEN>", text(g.Names[u]))
		}
		separator := "<TABLE>"
		for _, row := range rows {
			for _, p := range row {
				b.WriteString(separator)
				b.Write(delimited.AppendNumber(nil, p))
				separator = " "
			}
		}
		b.WriteString("</TABLE></DEFINITION>\n")
	}
	if err != nil {
		return err
	}
	b.WriteString("</NETWORK>\n</BIF>\n")
	_, err = io.WriteString(w, b.String())
	return err
}
