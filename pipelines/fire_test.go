package pipelines_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// many reports whether the long forms of these tests are asked for: with 100 kills or
// more.
func many() bool { return kills() >= 100 }

// interrupted leaves a folder's run stopped after some looks at its context, so
// that its work folder holds chains under way.
func (f folder) interrupted(looks int) {
	f.t.Helper()
	ctx := &countdown{Context: f.t.Context(), done: make(chan struct{}), left: looks}
	out, err := pipelines.Run(ctx, f.path("spec.yaml"), pipelines.RunOptions{Workers: 2})
	if err != nil || out.ExitCode != pipelines.ExitInterrupted {
		f.t.Fatalf("%v, exit code %d: not interrupted", err, out.ExitCode)
	}
}

// Every file of the work folder is cut, changed at random places, emptied, deleted
// or replaced by a folder: the next run ends well, with the bits of an undisturbed
// one, or with an error that names the file.
func TestDamagedWorkFolder(t *testing.T) {
	f := nights(t, "drawing", 2)
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path("whole.duckdb")}})
	want, rng := f.ask("whole.duckdb", bits), moments(t)
	damages := map[string]func(path string, data []byte) error{
		"cut":     func(path string, data []byte) error { return os.Truncate(path, int64(rng.IntN(len(data)+1))) },
		"changed": func(path string, data []byte) error { return os.WriteFile(path, flipped(rng, data), 0o600) },
		"deleted": func(path string, _ []byte) error { return os.Remove(path) },
		"longer":  func(path string, data []byte) error { return os.WriteFile(path, append(data, data...), 0o600) },
		"folder":  func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	}
	for round := range 1 + 9*btoi(many()) {
		for _, name := range slices.Sorted(maps.Keys(damages)) { // in order, so that a seed makes the same damages again
			damage := damages[name]
			for _, file := range []string{"chain-1.spool", "manifest.json", "lock"}[:1+2*btoi(many())] {
				f.anew(undisturbed{})
				f.interrupted(1500)
				f.damage(file, damage)
				out := f.run(pipelines.RunOptions{Workers: 2})
				if name == "folder" {
					if out.ExitCode != pipelines.ExitFail || !strings.Contains(saidBy(out), file) {
						t.Errorf("%s is a folder: exit code %d, %s", file, out.ExitCode, saidBy(out))
					}
					continue
				}
				if got := f.ask("t.duckdb", bits); out.ExitCode != 0 || got != want {
					t.Errorf("round %d, %s %s: exit code %d, %s\n%s, want %s", round, file, name, out.ExitCode, saidBy(out), got, want)
				}
			}
		}
	}
}

// damage damages a file of each fit in the work folder.
func (f folder) damage(file string, damage func(path string, data []byte) error) {
	f.t.Helper()
	paths, err := filepath.Glob(f.path("t.duckdb.work/*/" + file))
	if err != nil || len(paths) == 0 {
		f.t.Fatalf("no %s in the work folder: %v", file, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err == nil {
			err = damage(path, data)
		}
		must(f.t, err)
	}
}

// flipped changes up to three bytes.
func flipped(rng *rand.Rand, data []byte) []byte {
	for range min(3, len(data)) {
		data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
	}
	return data
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// saidBy is all that a run says of its fits.
func saidBy(out *pipelines.Outcome) string {
	var all []string
	for _, f := range out.Fits {
		all = append(all, f.Reasons...)
	}
	return strings.Join(all, "\n")
}

// Files may not grow beyond a size, as on a full disk: at whatever size the spool or the engine meets it, the run
// reports it, nothing half is visible, and the next run leaves the bits of an undisturbed one.
func TestFullDisk(t *testing.T) {
	f := nights(t, "drawing", 2)
	u := f.undisturbed(false)
	told := map[int]int{}
	sizes := []uint64{2, 300, 1600}
	if many() {
		sizes = []uint64{0, 1, 2, 4, 8, 12, 20, 40, 80, 120, 200, 300, 400, 500, 600, 800, 1000, 1200, 1400, 1600, 2000}
	}
	for i, kilobytes := range append(sizes, sizes[len(sizes)/2]) {
		w := f.anew(u)
		code, out := call{Spec: f.path("spec.yaml"), Workers: 2, LockWait: -1, FileSize: kilobytes<<10 + 1,
			Spool: i < len(sizes)}.run(t) // the last holds its draws in memory
		told[code]++
		if code == pipelines.ExitPass {
			continue // it was large enough
		}
		if code != pipelines.ExitFail && code != pipelines.ExitUncommitted && code != 100 || !strings.Contains(out, "hint: ") {
			t.Errorf("files of at most %d kB: exit code %d\n%s", kilobytes, code, out)
		}
		w.look(fmt.Sprintf("files of at most %d kB", kilobytes))
		if code, out := (call{Spec: f.path("spec.yaml"), Workers: 2}).run(t); code != 0 {
			t.Errorf("after files of at most %d kB: exit code %d\n%s", kilobytes, code, out)
		}
		w.whole()
	}
	t.Logf("exit codes and how often: %v", told)
}

// A place where nothing can be written is named, with what to do.
func TestReadOnlyPlace(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	const nowhere = "/sys/t.duckdb"
	if err := os.Mkdir("/sys/t.duckdb.probe", 0o700); !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove("/sys/t.duckdb.probe")
		t.Skip("this system has no folder that even root cannot write to")
	}
	out := f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: nowhere}})
	if out.ExitCode == 0 || !strings.Contains(saidBy(out), nowhere) || !strings.Contains(saidBy(out), "hint: ") {
		t.Errorf("exit code %d, %s", out.ExitCode, saidBy(out))
	}
}
