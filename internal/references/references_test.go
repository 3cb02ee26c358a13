package references

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is missing is distinguished from one that has changed, and folders without a hash are not references.
func TestCheck(t *testing.T) {
	at := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(at, "a"), 0o755))
	sums := fmt.Appendf(nil, "%x  a/one\n%x  b/two\n", sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2")))
	if err := check(at, "a", sums); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	for text, want := range map[string]string{"1": "", "2": "a/one is not the file"} {
		must(t, os.WriteFile(filepath.Join(at, "a", "one"), []byte(text), 0o644))
		if err := check(at, "a", sums); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("content %q: %v, want %q", text, err, want)
		}
	}
	if err := check(at, "c", sums); err == nil {
		t.Error("a folder without hashes passes")
	}
}

// recorder records how a test ended.
type recorder struct {
	testing.TB
	how string
}

func (*recorder) Helper() {}
func (f *recorder) Skipf(format string, args ...any) {
	f.how = "skipped: " + fmt.Sprintf(format, args...)
	panic(f)
}
func (f *recorder) Fatalf(format string, args ...any) {
	f.how = "failed: " + fmt.Sprintf(format, args...)
	panic(f)
}

// Where the data are not there a test is skipped, or fails where they are required.
func TestFolderThatIsNotThere(t *testing.T) {
	defer func(old string) { start = old }(start)
	start = filepath.Join(t.TempDir(), "module", "package")
	must(t, os.MkdirAll(start, 0o755))
	must(t, os.WriteFile(filepath.Join(start, "..", "go.mod"), nil, 0o644))
	for mode, want := range map[string]string{"": "skipped: the data are not", "required": "failed: ", "maybe": "failed: GLMBATCH_REFERENCES=maybe"} {
		t.Setenv("GLMBATCH_REFERENCES", mode)
		f := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			Folder(f, "panel")
		}()
		if !strings.HasPrefix(f.how, want) {
			t.Errorf("GLMBATCH_REFERENCES=%q: the test ended with %q, want %q", mode, f.how, want)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
