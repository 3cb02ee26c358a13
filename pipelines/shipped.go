package pipelines

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// shipped holds the pipelines that the program carries, and their data.
//
//go:embed *.yaml
var shipped embed.FS

// examples holds the data that a spec names as "example:FILE".
//
//go:embed examples
var examples embed.FS

// Shipped is a pipeline that the program carries.
type Shipped struct {
	Name string `json:"name"`
	// About is the comment at the head of its spec.
	About string `json:"about"`
}

// List returns the pipelines that the program carries, by name.
func List() ([]Shipped, error) {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var out []Shipped
	for _, e := range entries {
		src, err := shipped.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, Shipped{Name: strings.TrimSuffix(e.Name(), ".yaml"), About: about(string(src))})
	}
	return out, nil
}

// about is the first paragraph of comments, without the editor's line.
func about(src string) string {
	var words []string
	for line := range strings.Lines(src) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || strings.TrimSpace(text) == "" {
			break
		}
		if !strings.Contains(text, "yaml-language-server") {
			words = append(words, strings.TrimSpace(text))
		}
	}
	return strings.Join(words, " ")
}

// Source returns the text of a shipped pipeline; fs.ErrNotExist if there is none.
func Source(name string) ([]byte, error) {
	if name == "" || strings.ContainsAny(name, `/\.`) {
		return nil, fs.ErrNotExist
	}
	return shipped.ReadFile(name + ".yaml")
}

func example(name string) ([]byte, error) { return examples.ReadFile(path.Join("examples", name)) }
