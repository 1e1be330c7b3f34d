package report

import (
	"fmt"
	"image/color"
	"strings"
)

// An ink is what a colour is for. Its value depends on whether the reader's screen is
// light or dark.
type ink int

const (
	none      ink = iota
	paper         // what everything stands on
	panel         // surfaces on it: nodes, empty cells
	hairline      // borders, grids
	muted         // text of less weight
	text          // text
	positive      // weights above 0
	negative      // weights below 0
	uncertain     // weights whose sign is not known
	heat          // adjacency, by opacity
	heatText      // text on much of it
	turn          // direction, by opacity
	turnText      // text on much of it
	accent        // estimates
	limit         // thresholds
	inks          // their number
)

// A shade is a colour on light and on dark screens.
type shade struct {
	name        string
	light, dark color.RGBA
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// shades are the colours. Positive and negative are blue and orange, which readers with
// any of the common colour deficiencies tell apart, and blue is much darker than orange
// (on dark screens: less bright), so that prints in grey tell them apart too.
var shades = [inks]shade{
	none:      {name: "none"},
	paper:     {"paper", rgb(0xffffff), rgb(0x14181d)},
	panel:     {"panel", rgb(0xf3f5f8), rgb(0x20262e)},
	hairline:  {"hairline", rgb(0xc3cad3), rgb(0x465160)},
	muted:     {"muted", rgb(0x586472), rgb(0xa3afbd)},
	text:      {"text", rgb(0x17202a), rgb(0xe8edf2)},
	positive:  {"positive", rgb(0x0b5cad), rgb(0x4d9bf0)},
	negative:  {"negative", rgb(0xe07a00), rgb(0xffc168)},
	uncertain: {"uncertain", rgb(0x7b8794), rgb(0x8d99a8)},
	heat:      {"heat", rgb(0x0a4f8f), rgb(0x58a6ff)},
	heatText:  {"heat-text", rgb(0xffffff), rgb(0x0b0f14)},
	turn:      {"turn", rgb(0x6a3d9a), rgb(0xc297f5)},
	turnText:  {"turn-text", rgb(0xffffff), rgb(0x0b0f14)},
	accent:    {"accent", rgb(0x0b5cad), rgb(0x58a6ff)},
	limit:     {"limit", rgb(0xb3261e), rgb(0xff8a80)},
}

func hexColour(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// variables declares the colours for a style sheet.
func variables(of func(shade) color.RGBA) string {
	var b strings.Builder
	for _, s := range shades[1:] {
		fmt.Fprintf(&b, "--%s:%s;", s.name, hexColour(of(s)))
	}
	return b.String()
}

func lightVariables() string { return variables(func(s shade) color.RGBA { return s.light }) }
func darkVariables() string  { return variables(func(s shade) color.RGBA { return s.dark }) }
