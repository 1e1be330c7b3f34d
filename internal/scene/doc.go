// Package scene draws pictures.
//
// A [Scene] is a list of marks on a plane, written as SVG (for pages, whose style sheet
// colours it, and for files, which carry their colours) and as PNG by the canvas of
// gonum/plot. Both agree because neither knows anything that the other does not: widths of
// texts are those of Liberation Sans, with which Arial and Helvetica agree. Colours are
// inks, named after what they are for. The same scene gives the same bytes.
//
// The plots of gonum/plot, with axes and legends, are not used: they bring twelve fonts and
// a typesetter of formulas, 4.4 MB of a command that may have 45.
package scene
