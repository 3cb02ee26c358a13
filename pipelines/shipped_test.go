package pipelines_test

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Every built-in pipeline is valid and has a description, and the paper's name the paper's sampler in full, so that
// no default moves them.
func TestShippedPipelines(t *testing.T) {
	t.Setenv("PANEL_DIR", t.TempDir())
	list, err := pipelines.List()
	must(t, err)
	names := map[string]bool{}
	for _, s := range list {
		names[s.Name] = true
		if len(s.About) < 20 {
			t.Errorf("%s has no comment at its head: %q", s.Name, s.About)
		}
		if _, err := pipelines.Validate(t.Context(), s.Name, pipelines.Overrides{}, true); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		src, err := pipelines.Source(s.Name)
		must(t, err)
		if strings.HasPrefix(s.Name, "paper/") && strings.Count(string(src), "method: cggibbs") != strings.Count(string(src), "method: cggibbs, basis: coordinate, kernels: ") {
			t.Errorf("%s leaves basis or kernels of cggibbs to their defaults", s.Name)
		}
	}
	for _, name := range []string{"cookbook", "panel", "quickstart", "paper/figure3", "paper/figure4", "paper/figure5", "paper/figure8", "paper/figure10"} {
		if !names[name] {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, name := range []string{"", "paper", "paper/", "../pipelines/panel", "paper/../panel", "/panel", "panel.yaml"} {
		if _, err := pipelines.Source(name); err == nil {
			t.Errorf("%q is a shipped pipeline", name)
		}
	}
}
