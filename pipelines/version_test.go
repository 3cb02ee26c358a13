package pipelines_test

import (
	"os"
	"regexp"
	"testing"

	"glmbatch/pipelines"
)

// A program prints the last release of the CHANGELOG.
func TestRelease(t *testing.T) {
	text, err := os.ReadFile("../CHANGELOG.md")
	must(t, err)
	heads := regexp.MustCompile(`(?m)^## (\S+), \d{4}-\d\d-\d\d$`).FindSubmatch(text)
	if heads == nil || string(heads[1]) != pipelines.Release || pipelines.Version().Version != pipelines.Release {
		t.Errorf("the CHANGELOG has %q last, the program says %s, a plain build %s", heads, pipelines.Release, pipelines.Version().Version)
	}
}
