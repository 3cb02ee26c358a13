package report

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"glmbatch/internal/engine"
	"glmbatch/internal/words"
)

// reach lists what an engine may access apart from its own file and its file for spilling. The zero value is
// nothing.
type reach struct {
	folders, files []string
	beside         []string // ledgers that a writer may attach, with their logs
	guard          *guard   // of a writer; closed when the engine has closed the file
}

// dial opens the engine on a file: every connection of this package goes through here. A ledger may come from a
// stranger, and its views are SQL; so no engine has access to other files than reach, nor to the network, and none
// fetches or loads an extension. SQL of users cannot change that. docs/decisions/0031-fence.md has the reasons.
// Until foreign has looked at a file, SQL on it calls functions by their full names, system.main.…: the file may
// have macros of these names.
func dial(ctx context.Context, path string, settings url.Values, r reach) (*sql.DB, *sql.Conn, error) {
	return dialUntil(ctx, path, settings, r, func() {})
}

// dialUntil is dial of a file that is given back by release.
func dialUntil(ctx context.Context, path string, settings url.Values, r reach, release func()) (*sql.DB, *sql.Conn,
	error) {
	open := len(r.folders)+len(r.files) > 0
	if open {
		settings.Del("lock_configuration") // below
	} else {
		settings.Set("enable_external_access", "false")
	}
	db, c, err := start(ctx, path, settings, release)
	if err != nil {
		return nil, nil, err
	}
	if open { // lists cannot be given with the name of a file
		if err := fence(ctx, c, path, r); err != nil {
			return nil, nil, errors.Join(err, c.Close(), db.Close())
		}
	}
	return db, c, nil
}

// fence lets an engine reach r and nothing else. One that this process has open already must have the same reach:
// else it is errOpenHere.
func fence(ctx context.Context, c *sql.Conn, path string, r reach) error {
	var locked bool
	err := c.QueryRowContext(ctx, "SELECT system.main.current_setting('lock_configuration')").Scan(&locked)
	if err != nil {
		return err
	}
	if locked {
		var allowed duckdb.Composite[[]string]
		err := c.QueryRowContext(ctx, "SELECT system.main.current_setting('allowed_directories')").Scan(&allowed)
		have := allowed.Get()
		for i := range have {
			have[i] = strings.TrimRight(have[i], "/")
		}
		have = slices.DeleteFunc(have, func(folder string) bool { return folder == path+".tmp" })
		slices.Sort(have)
		if want := slices.Sorted(slices.Values(r.folders)); err == nil && (len(r.files) > 0 || !slices.Equal(have, want)) {
			err = errOpenHere
		}
		return err
	}
	for _, set := range []string{asTheyAre, "allowed_directories = " + quoteList(r.folders),
		"allowed_paths = " + quoteList(r.files), "enable_external_access = false", "lock_configuration = true"} {
		if _, err := c.ExecContext(ctx, "SET "+set); err != nil {
			return err
		}
	}
	return nil
}

// rowGroup is the number of rows that the engine writes and skips as one, and the least that it knows. Each
// checkpoint rewrites the last row group: at the engine's own number, 60 times this one, up to 245 MB of draws in
// pieces, and the statistics of all fits of a run. The file does not remember the number: whoever writes says it.
const rowGroup = "2048"

// asTheyAre has the engine write doubles as they are: draws are no decimals that ALP could shorten by much, nor runs,
// and to find that out took longer than writing them. It cannot be given with the name of a file.
const asTheyAre = "disabled_compression_methods = 'alp,alprd,chimp,patas,rle'"

// attach opens the engine for writing to a file, by the fence of dial. Only a file that is attached is given a size of
// row groups, so the engine begins without one.
func attach(ctx context.Context, path string, settings url.Values, r reach, release func()) (*sql.DB, *sql.Conn,
	error) {
	settings.Set("temp_directory", path+".tmp")
	db, c, err := start(ctx, "", settings, release)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range []string{"ATTACH " + quoteText(path) + " AS ledger (ROW_GROUP_SIZE " + rowGroup + ")", "USE ledger",
		"SET " + asTheyAre, "PRAGMA disable_checkpoint_on_shutdown", // doublewrite.go
		"SET allowed_directories = " + quoteList(append([]string{drawsFolder(path)}, r.folders...)),
		"SET allowed_paths = " + quoteList(append([]string{path, path + ".wal", path + ".wal.checkpoint",
			path + ".wal.recovery"}, r.beside...)),
		"SET enable_external_access = false"} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return nil, nil, errors.Join(err, c.Close(), db.Close())
		}
	}
	return db, c, nil
}

// start opens the engine, without extensions. Its end, or its failure, calls release.
func start(ctx context.Context, path string, settings url.Values, release func()) (*sql.DB, *sql.Conn, error) {
	for _, off := range []string{"autoinstall_known_extensions", "autoload_known_extensions",
		"allow_community_extensions", "allow_persistent_secrets"} {
		settings.Set(off, "false")
	}
	connector, err := duckdb.NewConnector(path+"?"+settings.Encode(), nil)
	if err != nil {
		release()
		return nil, nil, err
	}
	db := engine.Open(connector, release)
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, c, nil
}

// quoteList is a list of texts in SQL. In brackets it would be made by a macro of the file that is called list_value.
func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quoteText(s)
	}
	return "system.main.list_value(" + strings.Join(quoted, ", ") + ")"
}

// folders are absolute, as they are written and with links resolved: the engine compares names.
func folders(names []string) (out []string, err error) {
	for _, name := range names {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, words.Hint(err, "--allow takes a folder that is there")
		}
		out = append(out, path, real)
	}
	return out, nil
}

// oneStatement refuses text that holds several statements: the driver would carry out all of them. Nothing of it runs.
// The parser takes a PIVOT without a list of values for two: text without a semicolon is one statement all the same.
func oneStatement(c *sql.Conn, text string) error {
	return c.Raw(func(dc any) error {
		//sql:ok the person who calls the program: it is only parsed and planned, and closed again
		stmt, err := dc.(driver.Conn).Prepare(text)
		if err != nil && strings.Contains(engineText(err), "multi-statement") {
			if !strings.Contains(strings.TrimRight(text, "; \t\n"), ";") {
				return nil
			}
			return words.Hint(errors.New("these are several statements"), "write one")
		}
		if err != nil {
			return err
		}
		return stmt.Close()
	})
}
