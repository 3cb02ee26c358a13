package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// finishedName is the file of a fit that is drawn and judged but not in the
// ledger: the caller's record, behind its CRC-32C.
const finishedName = "finished"

// Finish keeps the record of a fit that is drawn but cannot be committed now,
// so that it can be without its data and its spec. The record is whole on
// disk when Finish returns, or absent.
func (f *Fit) Finish(record []byte) error {
	data := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(record, castagnoli))
	return writeWhole(filepath.Join(f.dir, finishedName), append(data, record...))
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
func OpenFinished(dir string) (*Fit, Manifest, []byte, error) {
	lock, err := lockDir(dir)
	if err != nil {
		return nil, Manifest{}, nil, err
	}
	f := &Fit{dir: dir, lock: lock}
	m, err := readManifest(filepath.Join(dir, manifestName))
	if err == nil && m.Version != formatVersion {
		err = fmt.Errorf("%s: spool version %d, this program has %d", dir, m.Version, formatVersion)
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
	data, err := os.ReadFile(filepath.Join(f.dir, finishedName))
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
	chains, _ := filepath.Glob(filepath.Join(folder(root, fingerprint), "chain-*.spool")) // a root with odd characters holds nothing
	return len(chains) > 0
}
