package references

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sums has a line for each file, as sha256sum prints them in the data's folder.
//
//go:embed sha256sums.txt
var sums []byte

// Folder returns a folder of the data, panel, posteriordb or multilevel, whose files are
// those of sha256sums.txt.
func Folder(t testing.TB, name string) string {
	t.Helper()
	mode := os.Getenv("GLMBATCH_REFERENCES")
	if mode != "" && mode != "required" {
		t.Fatalf("GLMBATCH_REFERENCES=%s: it is required or not set", mode)
	}
	at, err := folder()
	if err == nil {
		err = check(at, name, sums)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && mode == "":
		t.Skipf("the data are not beside the repository: %v", err)
	case err != nil:
		t.Fatalf("%v (their hashes stand in internal/references/sha256sums.txt)", err)
	}
	return filepath.Join(at, name)
}

// start is where the tests of a package begin, whatever they change it to.
var start, errStart = os.Getwd()

// folder returns the folder of the data, next to the repository.
func folder() (string, error) {
	if errStart != nil {
		return "", errStart
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "data"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is in no module", start)
		}
	}
}

// check compares the files of a folder with their hashes.
func check(at, folder string, sums []byte) error {
	files := 0
	for line := range bytes.Lines(sums) {
		hash, name, _ := strings.Cut(strings.TrimSpace(string(line)), "  ")
		if !strings.HasPrefix(name, folder+"/") {
			continue
		}
		files++
		text, err := os.ReadFile(filepath.Join(at, name))
		if err != nil {
			return err
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != hash {
			return fmt.Errorf("%s is not the file that the tests are made for: its SHA-256 is %x, want %s", name, got, hash)
		}
	}
	if files == 0 {
		return fmt.Errorf("no file below %s/ has a hash", folder)
	}
	return nil
}
