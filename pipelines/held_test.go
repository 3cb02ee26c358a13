package pipelines_test

import (
	"bufio"
	"cmp"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // another client of the ledger
)

// alter changes a ledger as another program might.
func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	must(t, err)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// heldFile, in the environment, makes the test's binary a program that holds a
// ledger open for reading, as a notebook does, until its input ends; heldMode is the
// engine's access mode, if it is another.
const (
	heldFile = "GLMBATCH_TEST_HOLD"
	heldMode = "GLMBATCH_TEST_HOLD_MODE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(heldFile); path != "" {
		hold(path)
		return
	}
	if text := os.Getenv(childCall); text != "" {
		os.Exit(carryOut(text))
	}
	os.Exit(m.Run())
}

func hold(path string) {
	db, err := sql.Open("duckdb", path+"?access_mode="+cmp.Or(os.Getenv(heldMode), "READ_ONLY"))
	if err == nil {
		err = db.Ping()
	}
	fmt.Println("held:", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// holdOpen has another process hold a ledger until release.
func holdOpen(t *testing.T, path string) (release func()) { return holdAs(t, path, "READ_ONLY") }

// holdAs is holdOpen with an access mode: READ_WRITE keeps readers out, too.
func holdAs(t *testing.T, path, mode string) (release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), heldFile+"="+path, heldMode+"="+mode)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held: <nil>\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	var once sync.Once
	release = func() {
		once.Do(func() {
			_ = in.Close()
			_ = cmd.Wait()
		})
	}
	t.Cleanup(release)
	return release
}
