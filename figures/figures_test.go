package figures_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// -gallery DIR writes all figures of the gallery, to be looked at.
var galleryDir = flag.String("gallery", "", "folder for the figures of the tests")

// Every figure of the gallery is drawn twice with the same bytes.
func TestGallery(t *testing.T) {
	again := gallery()
	for name, g := range gallery() {
		t.Run(name, func(t *testing.T) {
			f, err := g.Draw()
			if err != nil {
				t.Fatal(err)
			}
			second, err := again[name].Draw()
			if err != nil {
				t.Fatal(err)
			}
			var svg, other, png bytes.Buffer
			for _, err := range []error{f.WriteSVG(&svg), second.WriteSVG(&other), f.WritePNG(&png)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(svg.Bytes(), other.Bytes()) {
				t.Error("a second drawing has other bytes")
			}
			if *galleryDir == "" {
				return
			}
			for ending, b := range map[string][]byte{".svg": svg.Bytes(), ".png": png.Bytes()} {
				if err := os.WriteFile(filepath.Join(*galleryDir, name+ending), b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
