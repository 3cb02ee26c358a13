package pipelines

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Release is the version of the program that its CHANGELOG describes.
const Release = "0.1.0"

// version is set by the Makefile: the release, with the commit where it is another than the tagged one; empty in a
// plain build.
var version string

// Build identifies this program; the ledger stores it with every run.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	Target  string `json:"target"`
}

// Version returns the version of this build.
func Version() Build {
	b := Build{Version: version, Go: runtime.Version(), Target: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	if b.Version == "" {
		b.Version = Release
	}
	return b
}

// String is the build on one line.
func (b Build) String() string {
	parts := []string{b.Version, b.Go, b.Target}
	if b.Commit != "" {
		parts = append(parts, b.Commit[:min(12, len(b.Commit))])
	}
	return strings.Join(parts, " ")
}
