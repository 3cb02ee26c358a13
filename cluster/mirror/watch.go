package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// watch carries the spool of a shard's process to the store.
type watch struct {
	*shard
	generation int
	dir        string // the spool: a folder for each fit
	files      map[string]*mirrored
}

// mirrored is how far a file is in the store.
type mirrored struct {
	life  int
	inode uint64 // 0: not seen yet
	at    int64
}

// segmentBytes is the most that is put as one segment, unless a frame is longer.
const segmentBytes = 32 << 20

// follow begins behind what was restored.
func (s *shard) follow(generation int, dir string, restored map[string][]piece) *watch {
	w := &watch{shard: s, generation: generation, dir: dir, files: map[string]*mirrored{}}
	for name, pieces := range restored {
		w.files[name] = &mirrored{at: length(pieces)}
	}
	return w
}

// sync puts all whole frames that are not in the store. Files that go away meanwhile are passed over: their fit is
// done.
func (w *watch) sync(ctx context.Context) error {
	manifests, err := filepath.Glob(filepath.Join(w.dir, "*", "manifest.json"))
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		chains, err := filepath.Glob(filepath.Join(filepath.Dir(manifest), "chain-*.spool"))
		if err != nil {
			return err
		}
		for _, file := range append([]string{manifest}, chains...) {
			name, err := filepath.Rel(w.dir, file)
			if err == nil {
				err = w.carry(ctx, name)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("segments of %s: %w", name, err)
			}
		}
	}
	return nil
}

// carry puts what is new of a file, a segment after the other.
func (w *watch) carry(ctx context.Context, name string) error {
	f, err := os.Open(filepath.Join(w.dir, name))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read-only: nothing to lose
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m := w.files[name]
	if m == nil {
		m = &mirrored{}
		w.files[name] = m
	}
	inode := info.Sys().(*syscall.Stat_t).Ino
	if m.inode != 0 && m.inode != inode && isChain(name) || info.Size() < m.at {
		*m = mirrored{life: m.life + 1}
	}
	m.inode = inode
	for {
		data, err := next(f, m.at, info.Size(), isChain(name))
		if err != nil || len(data) == 0 {
			return err
		}
		to := m.at + int64(len(data))
		key := w.key("spool", number(w.generation), name, fmt.Sprintf("%d-%016d-%016d", m.life, m.at, to))
		mine, err := w.create(ctx, key, data)
		if err != nil {
			return err
		}
		if !mine {
			return fmt.Errorf("%s is another's: two attempts have one generation", key)
		}
		m.at = to
	}
}

// next reads whole frames of a chain from one byte on, or all that is new of another file.
func next(f *os.File, from, size int64, chain bool) ([]byte, error) {
	n := min(size-from, segmentBytes)
	data := make([]byte, max(n, 0))
	if _, err := f.ReadAt(data, from); err != nil && err != io.EOF {
		return nil, err
	}
	if !chain {
		return data, nil
	}
	if long := frameSize(data); long > n && long <= size-from {
		data = make([]byte, long)
		if _, err := f.ReadAt(data, from); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return data[:wholeFrames(data)], nil
}
