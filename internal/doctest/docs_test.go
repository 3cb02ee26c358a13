package doctest

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// root is the repository, seen from this package.
const root = "../.."

// skipped is the number of blocks in README.md and docs/ that are not executed.
// Raise it only with a reason that a reader would accept.
const skipped = 0

// pages returns README.md, CHANGELOG.md and every page of docs/, by path.
func pages(t *testing.T) map[string][]Block {
	t.Helper()
	out := map[string][]Block{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		must(t, err)
		blocks, err := Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		rel, _ := filepath.Rel(root, path)
		out[rel] = blocks
	}
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			read(filepath.Join(root, name))
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(p) == ".md" {
			read(p)
		}
		return err
	})
	must(t, err)
	return out
}

// studies are pages whose runs take more than half of the time of all pages. make study executes them. TestPinnedDraws,
// TestPinnedShipped and make papers pin what they compute.
var studies = []string{"docs/comparing.md", "docs/evidence/discrete-studies.md", "docs/missing.md", "docs/mixtures.md",
	"docs/evidence/paper.md", "docs/prediction.md", "docs/priors.md"}

// make study executes each page of studies, wherever the page is.
func TestStudiesAreExecuted(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	must(t, err)
	found := regexp.MustCompile(`-run '(\^TestDocumentation\S*)' ./internal/doctest`).FindSubmatch(makefile)
	if found == nil {
		t.Fatal("the Makefile does not run TestDocumentation for studies")
	}
	parts := strings.Split(strings.ReplaceAll(string(found[1]), "$$", "$"), "/")
	for _, page := range studies {
		names := strings.Split("TestDocumentation/"+page, "/")
		for i := range min(len(parts), len(names)) {
			if !regexp.MustCompile(parts[i]).MatchString(names[i]) {
				t.Errorf("make study leaves out %s: %q does not match %q", page, parts[i], names[i])
			}
		}
	}
}

// Every example of the documentation is executed, those of studies if GLMBATCH_STUDIES is set.
func TestDocumentation(t *testing.T) {
	watch(t)
	bin := filepath.Join(t.TempDir(), "bin")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", filepath.Join(bin, "pipeline"), "./cmd/pipeline")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	must(t, err)
	// Packages of a scratch folder are those of the last one, and their tests are run all the same.
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -trimpath -count=1")
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} { // a page has a HOME of its own
		path, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		must(t, err)
		t.Setenv(name, strings.TrimSpace(string(path)))
	}
	for name, blocks := range pages(t) {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(studies, name) {
				infertest.Study(t)
			}
			s := &Session{Dir: clone(t, bin, blocks), Bin: bin, Makefile: string(makefile)}
			if err := s.Walk(context.Background(), blocks); err != nil {
				t.Error(err)
			}
		})
	}
}

// cloned are the files and folders in the scratch folder of a page that names the word.
var cloned = []struct {
	word  string
	paths []string
}{
	{"testdata", []string{"testdata"}},
	{"pipelines", []string{"pipelines"}},
	{"docs", []string{"docs"}},
	{"internal", []string{"go.mod", "go.sum", "internal/simd", "internal/vec"}},
}

// clone makes a folder that looks to a reader like the repository after "make
// build", of which only what the page's blocks name is there: copies, so that no page
// can write into the real one. All of it for each page took as long as the program did.
func clone(t *testing.T, bin string, blocks []Block) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, c := range cloned {
		if !slices.ContainsFunc(blocks, func(b Block) bool { return b.runs() && strings.Contains(b.Text, c.word) }) {
			continue
		}
		for _, name := range c.paths {
			from, to := filepath.Join(root, name), filepath.Join(dir, name)
			if filepath.Ext(name) == "" {
				err = os.CopyFS(to, os.DirFS(from))
			} else {
				err = copyFile(from, to)
			}
			must(t, err)
		}
	}
	must(t, os.Symlink(bin, filepath.Join(dir, "bin")))
	return dir
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// watch looks at every file that the program is built from. "go build" reads
// them in a child process, which go test's cache does not see: without this a
// page would stay green after the program under it has changed.
func watch(t *testing.T) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		files++
		_, err = os.Stat(p)
		return err
	})
	if err != nil || files < 50 {
		t.Fatalf("only %d files seen: %v", files, err)
	}
}

// Blocks that are not executed are counted, so that opting out is a decision.
func TestSkippedBlocks(t *testing.T) {
	n := 0
	for name, blocks := range pages(t) {
		for _, b := range blocks {
			if b.Skip != "" {
				n++
				t.Logf("%s:%d is not executed: %s", name, b.Line, b.Skip)
			}
		}
	}
	if n != skipped {
		t.Errorf("%d blocks are not executed, expected %d", n, skipped)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
