package held

import (
	"os"
	"path/filepath"
	"testing"
)

// Readers share a file, a writer has it alone, whatever the file is called.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	aliases := []string{path, filepath.Join(link, "a"), dir + "/./a"}
	for _, there := range []bool{false, true} {
		if there {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write, ok := Write(path)
		if !ok {
			t.Fatal("a file that nobody has cannot be written")
		}
		for _, other := range aliases {
			if _, ok := Read(other); ok {
				t.Errorf("%s is read while it is written", other)
			}
			if _, ok := Write(other); ok {
				t.Errorf("%s is written twice", other)
			}
		}
		write()
		write() // once counts
		one, ok := Read(path)
		two, also := Read(aliases[1])
		if !ok || !also {
			t.Fatal("two readers do not share the file")
		}
		one()
		if _, ok := Write(path); ok {
			t.Error("a file is written while it is read")
		}
		two()
		if other, ok := Read(filepath.Join(dir, "b")); !ok {
			t.Error("another file is held")
		} else {
			other()
		}
	}
	if len(files.by) != 0 {
		t.Errorf("left behind: %v", files.by)
	}
}
