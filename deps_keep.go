//go:build never

package tobac

import (
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/sbinet/npyio"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/mat"
	_ "gorgonia.org/gorgonia"
	_ "pgregory.net/rapid"
)
