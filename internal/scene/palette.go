package scene

import (
	"fmt"
	"image/color"
	"strings"
)

// An Ink is what a colour is for. Its value depends on whether the reader's screen is
// light or dark.
type Ink int

// What there are colours for.
const (
	None      Ink = iota
	Paper         // what everything stands on
	Panel         // surfaces on it: nodes, empty cells
	Hairline      // borders, grids
	Muted         // text of less weight
	Text          // text
	Positive      // weights above 0
	Negative      // weights below 0
	Uncertain     // weights whose sign is not known
	Heat          // adjacency, by opacity
	HeatText      // text on much of it
	Turn          // direction, by opacity
	TurnText      // text on much of it
	Accent        // estimates
	Limit         // thresholds
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
var shades = [...]shade{
	None:      {name: "none"},
	Paper:     {"paper", rgb(0xffffff), rgb(0x14181d)},
	Panel:     {"panel", rgb(0xf3f5f8), rgb(0x20262e)},
	Hairline:  {"hairline", rgb(0xc3cad3), rgb(0x465160)},
	Muted:     {"muted", rgb(0x586472), rgb(0xa3afbd)},
	Text:      {"text", rgb(0x17202a), rgb(0xe8edf2)},
	Positive:  {"positive", rgb(0x0b5cad), rgb(0x4d9bf0)},
	Negative:  {"negative", rgb(0xe07a00), rgb(0xffc168)},
	Uncertain: {"uncertain", rgb(0x7b8794), rgb(0x8d99a8)},
	Heat:      {"heat", rgb(0x0a4f8f), rgb(0x58a6ff)},
	HeatText:  {"heat-text", rgb(0xffffff), rgb(0x0b0f14)},
	Turn:      {"turn", rgb(0x6a3d9a), rgb(0xc297f5)},
	TurnText:  {"turn-text", rgb(0xffffff), rgb(0x0b0f14)},
	Accent:    {"accent", rgb(0x0b5cad), rgb(0x58a6ff)},
	Limit:     {"limit", rgb(0xb3261e), rgb(0xff8a80)},
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

// Name is that of the variable of a style sheet that holds the colour.
func (i Ink) Name() string { return shades[i].name }

// StyleSheet declares the colours of scenes that [Scene.InlineSVG] puts on a page.
func StyleSheet() string {
	light := variables(func(s shade) color.RGBA { return s.light })
	dark := variables(func(s shade) color.RGBA { return s.dark })
	return ":root{" + light + "}@media (prefers-color-scheme:dark){:root{" + dark + "}}"
}
