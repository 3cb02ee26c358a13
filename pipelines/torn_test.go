//go:build linux

package pipelines_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A run over a ledger that has fits already is killed in the middle of each block that it writes, or of every
// eighteenth in make test. No stored fit is lost, and the next run continues to the same bits: without the guard
// (report/doublewrite.go) one in five of these ledgers could not be opened again.
func TestTornWrites(t *testing.T) {
	library := filepath.Join(t.TempDir(), "torn.so")
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, "testdata/torn/torn.c", "-ldl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := nights(t, "committing", 6)
	u := f.undisturbed(false)
	c := call{Spec: f.path("spec.yaml"), Workers: 2}
	every, torn := 18, 0
	if kills() >= 100 {
		every = 1
	}
	for block := 0; ; block += every {
		w := f.anew(u)
		f.write("claims.csv", groups(3))
		if code, out := c.run(t); code != 0 {
			t.Fatalf("the run before: exit code %d\n%s", code, out)
		}
		w.look("before")
		f.write("claims.csv", groups(6))
		code, out := f.torn(c, library, block)
		if code != -1 {
			if code != 0 || torn == 0 {
				t.Fatalf("block %d: exit code %d after %d torn blocks\n%s", block, code, torn, out)
			}
			break
		}
		torn++
		w.look(fmt.Sprintf("block %d", block))
		if code, out := c.run(t); code != 0 {
			t.Fatalf("after block %d: exit code %d\n%s", block, code, out)
		}
		w.whole()
	}
	t.Logf("%d blocks were torn", torn)
}

// torn runs a call that is killed in the middle of a block.
func (f folder) torn(c call, library string, block int) (code int, out string) {
	for name, value := range map[string]string{"LD_PRELOAD": library, "TORN": strconv.Itoa(block)} {
		must(f.t, os.Setenv(name, value))
		defer os.Unsetenv(name)
	}
	return c.run(f.t)
}
