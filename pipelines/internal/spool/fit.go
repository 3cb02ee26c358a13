package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// formatVersion is raised when frames or manifests change shape; a folder of another version is redrawn.
// rowsVersion is that of folders whose draws are rows that a Setup expands, which a program that supports only the
// former would take for parameters.
const (
	formatVersion = 1
	rowsVersion   = 2
)

// Manifest says which fit a folder belongs to.
type Manifest struct {
	Version     int    `json:"version"`
	Fingerprint string `json:"fingerprint"`
	Fit         string `json:"fit"`    // for people: data set, model, sampler
	Params      int    `json:"params"` // numbers of a draw
	Chains      int    `json:"chains"`
	// Start is the number of entries of a chain's start if draws are stored as rows of other numbers, see
	// infer.Compact; otherwise 0.
	Start int `json:"start,omitempty"`
}

// version is that of the folder's layout.
func (m *Manifest) version() int {
	if m.Start > 0 {
		return rowsVersion
	}
	return formatVersion
}

// start is the number of entries of a chain's start.
func (m *Manifest) start() int {
	if m.Start > 0 {
		return m.Start
	}
	return m.Params
}

// Fit holds the draws of one fit, exclusively for this process: in memory, or in a folder.
type Fit struct {
	disk     Disk
	dir      string
	manifest Manifest
	claim    *claim // nil if the folder's lock alone excludes others
	Chains   []*Chain

	mu    sync.Mutex    // while the fit is in memory, of its chains' writes
	lock  *os.File      // of the folder; nil while the fit is in memory, and once it is closed
	spent time.Duration // that the frames in memory took to draw
}

// BusyError reports that another process works on the same fit.
type BusyError struct{ Dir string }

func (e *BusyError) Error() string {
	return "another run is computing this fit (it holds " + filepath.Join(e.Dir, lockName) + ")"
}

// Busy reports whether another process, or another call of this one, holds the fit with a fingerprint.
func (d Disk) Busy(root, fingerprint string) bool {
	dir := folder(root, fingerprint)
	if d.claimed(root, dir) {
		return true
	}
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	lock, err := d.lock(dir)
	if err == nil {
		_ = lock.Close() // nothing was written
	}
	var busy *BusyError
	return errors.As(err, &busy)
}

const (
	lockName     = "lock"
	manifestName = "manifest.json"
)

// Root is the work folder of a database, in the same folder.
func Root(database string) string { return database + ".work" }

// Open opens or creates the folder of the fit with the manifest's fingerprint under root. Chains of a killed run
// are ready to resume. It returns a *BusyError when another process holds the fit.
func (d Disk) Open(root string, m Manifest) (*Fit, error) {
	m.Version = m.version()
	f := &Fit{disk: d, dir: folder(root, m.Fingerprint), manifest: m}
	lock, err := d.hold(f.dir)
	if err != nil {
		return nil, err
	}
	f.lock = lock
	if err := f.load(m); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Begin is Open of a fit that a run draws, for which it has claims. One without a folder is held in memory, until
// it is kept; if restart is set the content of a folder is discarded.
func (d Disk) Begin(claims *Claims, m Manifest, restart bool) (*Fit, error) {
	dir := folder(claims.root, m.Fingerprint)
	mine, err := claims.take(dir)
	if err != nil {
		return nil, err
	}
	f, err := d.begin(claims.root, m, restart)
	if err != nil {
		mine.release()
		return nil, err
	}
	f.claim = mine
	return f, nil
}

func (d Disk) begin(root string, m Manifest, restart bool) (*Fit, error) {
	dir := folder(root, m.Fingerprint)
	_, err := os.Stat(dir)
	there := !errors.Is(err, os.ErrNotExist)
	if there && restart {
		if err := d.Discard(root, m); err != nil {
			return nil, err
		}
	}
	if there && !restart || d.patience() < 0 || !claimable {
		return d.Open(root, m)
	}
	m.Version = m.version()
	f := &Fit{disk: d, dir: dir, manifest: m}
	for range m.Chains {
		f.Chains = append(f.Chains, newChain(f, m))
	}
	return f, nil
}

// HeldBytes is the most memory that a fit's draws take.
const HeldBytes = 4 << 20

// Held returns the memory of the fit's draws in bytes, and the number of its open files.
func (f *Fit) Held() (bytes int64, files int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock != nil {
		return 0, len(f.Chains) + 1
	}
	return f.heldBytes(), 0
}

func (f *Fit) heldBytes() (sum int64) {
	for _, c := range f.Chains {
		sum += int64(len(c.held))
	}
	return sum
}

// Keep writes what is held in memory to the fit's folder, in which all is kept that is drawn from now on. A fit
// of which nothing is drawn needs none.
func (f *Fit) Keep() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock != nil || f.heldBytes() == 0 {
		return nil
	}
	return f.keep()
}

// keep is Keep of a fit that is in memory, by whoever has its mutex. Where it fails the fit stays in memory.
func (f *Fit) keep() error {
	lock, err := f.disk.hold(f.dir)
	if err != nil {
		return err
	}
	err = f.discard()
	if err == nil {
		err = f.disk.writeManifest(filepath.Join(f.dir, manifestName), f.manifest)
	}
	for i, c := range f.Chains {
		if err == nil {
			err = c.keep(f.chainPath(i))
		}
	}
	if err == nil {
		err = f.disk.syncFolder(f.dir)
	}
	for _, c := range f.Chains {
		if err != nil {
			_ = c.close() // what was written of it counts for nothing
			c.file = nil
		} else {
			c.held = nil
		}
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	f.lock = lock
	return nil
}

// folder is the path of a fit's spool under root.
func folder(root, fingerprint string) string {
	return filepath.Join(root, fingerprint[:min(32, len(fingerprint))])
}

// hold makes a folder and takes its lock. Where the run that had it removes the
// folder in between, it is made again.
func (d Disk) hold(dir string) (*os.File, error) {
	for {
		if err := d.folder(dir); err != nil {
			return nil, err
		}
		lock, err := d.lock(dir)
		if !errors.Is(err, os.ErrNotExist) {
			return lock, err
		}
	}
}

// lock takes the folder's lock; the kernel releases it when the process
// ends, however it ends. Its error is os.ErrNotExist where the folder goes away
// meanwhile.
func (d Disk) lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	lock, err := d.open(path)
	if err != nil {
		return nil, err
	}
	err = d.ask(OpLock, path)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		closeErr := lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &BusyError{Dir: dir}
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), closeErr)
	}
	held, err := lock.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Stat(path); err == nil && !os.SameFile(held, there) {
			err = os.ErrNotExist // the lock of a folder that was removed and made again
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func (f *Fit) load(m Manifest) error {
	path := filepath.Join(f.dir, manifestName)
	old, err := f.disk.readManifest(path)
	if err == nil && old != m || errors.Is(err, errManifest) || errors.Is(err, os.ErrNotExist) {
		if err := f.discard(); err != nil {
			return err
		}
		err = os.ErrNotExist
	}
	if errors.Is(err, os.ErrNotExist) {
		err = f.disk.writeManifest(path, m)
	}
	if err != nil {
		return err
	}
	whole := true // has files of all its chains
	for i := range m.Chains {
		c := newChain(f, m)
		if err := c.open(f.chainPath(i)); err != nil {
			return fmt.Errorf("spool of chain %d: %w", i+1, err)
		}
		f.Chains, whole = append(f.Chains, c), whole && c.end > 0
	}
	if whole {
		return nil
	}
	return f.disk.syncFolder(f.dir)
}

func (f *Fit) chainPath(i int) string {
	return filepath.Join(f.dir, fmt.Sprintf("chain-%d.spool", i+1))
}

var errManifest = errors.New("spool: manifest is damaged")

func (d Disk) readManifest(path string) (Manifest, error) {
	data, err := d.readFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if json.Unmarshal(data, &m) != nil {
		return Manifest{}, errManifest
	}
	return m, nil
}

func (d Disk) writeManifest(path string, m Manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return d.writeWhole(path, append(data, '\n'))
}

// discard removes the chains of a folder whose manifest does not fit.
func (f *Fit) discard() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".spool") || strings.HasPrefix(e.Name(), manifestName) ||
			strings.HasPrefix(e.Name(), finishedName) || strings.HasPrefix(e.Name(), drawsName) {
			err = errors.Join(err, f.disk.remove(filepath.Join(f.dir, e.Name())))
		}
	}
	return err
}

// Discard removes the spool of a fit, so that it is recomputed, or because the ledger has it.
func (d Disk) Discard(root string, m Manifest) error {
	f, err := d.Open(root, m)
	if err != nil {
		return err
	}
	return f.Remove()
}

// Close closes the chains and gives up the fit; what was synced stays.
func (f *Fit) Close() error {
	var err error
	for _, c := range f.Chains {
		err = errors.Join(err, c.close())
	}
	f.Chains = nil
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
		f.lock = nil
	}
	f.claim.release()
	f.claim = nil
	return err
}

// Remove deletes the folder of a committed fit, if it has one, and the work folder when it
// was the last one.
func (f *Fit) Remove() error {
	if f.lock == nil {
		return f.Close()
	}
	err := errors.Join(f.disk.removeAll(f.dir), f.Close())
	_ = os.Remove(filepath.Dir(f.dir)) // fails while other fits exist, as it should
	return err
}
