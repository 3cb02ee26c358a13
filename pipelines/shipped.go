package pipelines

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// shipped holds the built-in pipelines, and their data.
//
//go:embed *.yaml paper/*.yaml discrete/*.yaml
var shipped embed.FS

// examples holds the data that a spec names as "example:FILE".
//
//go:embed examples
var examples embed.FS

// Shipped is a built-in pipeline.
type Shipped struct {
	Name string `json:"name"`
	// About is the comment at the head of its spec.
	About string `json:"about"`
}

// List returns the built-in pipelines, by name: those of the folders discrete and paper have the folder in their
// names.
func List() ([]Shipped, error) {
	files, err := fs.Glob(shipped, "*.yaml")
	if err != nil {
		return nil, err
	}
	inFolders, err := fs.Glob(shipped, "*/*.yaml")
	if err != nil {
		return nil, err
	}
	var out []Shipped
	for _, file := range slices.Concat(files, inFolders) {
		src, err := shipped.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, Shipped{Name: strings.TrimSuffix(file, ".yaml"), About: about(string(src))})
	}
	return out, nil
}

// NearShipped is the hint for a wrong name of a shipped pipeline.
func NearShipped(name string) string {
	hint := "pipeline list names the shipped pipelines, such as quickstart"
	list, err := List()
	if err != nil {
		return hint
	}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if near := words.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
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
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\.`) {
		return nil, fs.ErrNotExist
	}
	return shipped.ReadFile(name + ".yaml")
}

func example(name string) ([]byte, error) { return examples.ReadFile(path.Join("examples", name)) }
