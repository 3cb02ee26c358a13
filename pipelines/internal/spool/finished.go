package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"glmbatch/internal/words"
)

// finishedName is the file of a fit that is drawn and judged but not in the
// ledger: the caller's record, behind its CRC-32C.
const finishedName = "finished"

// Finish keeps the record of a fit that is drawn but cannot be committed now,
// so that it can be without its data and its spec. The record is whole on
// disk when Finish returns, or absent.
func (f *Fit) Finish(record []byte) error {
	if err := f.Keep(); err != nil {
		return err
	}
	data := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(record, castagnoli))
	return f.disk.writeWhole(filepath.Join(f.dir, finishedName), append(data, record...))
}

// Finished lists the folders under root of fits that Finish was called on, by
// name. Without a root there are none, and no error.
func Finished(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if _, err := os.Stat(filepath.Join(dir, finishedName)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

// OpenFinished opens the folder of a finished fit, and returns its record and
// its manifest too. It returns a *BusyError when another process holds the fit.
// The chains may hold less than the record says where they were damaged since.
func OpenFinished(dir string) (*Fit, Manifest, []byte, error) { return Disk{}.OpenFinished(dir) }

// OpenFinished is the function of that name on this disk.
func (d Disk) OpenFinished(dir string) (*Fit, Manifest, []byte, error) {
	lock, err := d.lock(dir)
	if err != nil {
		return nil, Manifest{}, nil, err
	}
	f := &Fit{disk: d, dir: dir, lock: lock}
	m, err := d.readManifest(filepath.Join(dir, manifestName))
	if err == nil && m.Version != m.version() {
		err = words.Hint(fmt.Errorf("%s: spool version %d, this program has %d", dir, m.Version, m.version()),
			"run the pipeline again, which redraws the fit")
	}
	var record []byte
	if err == nil {
		record, err = f.record()
	}
	if err == nil {
		err = f.load(m)
	}
	if err != nil {
		return nil, m, nil, errors.Join(err, f.Close())
	}
	return f, m, record, nil
}

func (f *Fit) record() ([]byte, error) {
	data, err := f.disk.readFile(filepath.Join(f.dir, finishedName))
	if err != nil {
		return nil, err
	}
	if len(data) < crcSize || binary.LittleEndian.Uint32(data) != crc32.Checksum(data[crcSize:], castagnoli) {
		return nil, fmt.Errorf("%s is damaged", filepath.Join(f.dir, finishedName))
	}
	return data[crcSize:], nil
}

// Holds reports whether root has something drawn of the fit with a fingerprint.
func Holds(root, fingerprint string) bool {
	// a root with odd characters holds nothing
	chains, _ := filepath.Glob(filepath.Join(folder(root, fingerprint), "chain-*.spool"))
	return len(chains) > 0
}

// Sweep removes the folder of a fit that the ledger has: a run that was killed
// between the commit and its end leaves it. Without a folder it does nothing, and
// one that another process holds is left to it.
func (d Disk) Sweep(root, fingerprint string) error {
	dir := folder(root, fingerprint)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := d.lock(dir)
	var busy *BusyError
	if errors.As(err, &busy) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return (&Fit{disk: d, dir: dir, lock: lock}).Remove()
}
