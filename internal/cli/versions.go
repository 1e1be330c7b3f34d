package cli

import (
	"runtime"
	"runtime/debug"

	"tobac/autograd"
)

// Versions say which program made a result.
type Versions struct {
	Tobac    string `json:"tobac"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Arithmetic is what decides the last bits: [autograd.Arithmetic].
	Arithmetic string `json:"arithmetic"`
}

func CurrentVersions() Versions {
	v := Versions{Tobac: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" +
		runtime.GOARCH, Arithmetic: autograd.Arithmetic()}
	if Release != "" {
		v.Tobac = Release
		return v
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v.Tobac = info.Main.Version
	}
	return v
}

// Release is the version of a release binary, which .ci/release sets; "" means that of
// the module.
var Release string
