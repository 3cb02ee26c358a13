package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// The exit codes of pipeline that are asked for here.
const (
	exitPass  = 0
	exitFail  = 1 // done, and some fit failed
	exitUsage = 2
	exitAgain = 3
)

// made names a file in the store by its hash.
type made struct {
	Key  string `json:"key"`
	Sum  string `json:"sha256"`
	Size int64  `json:"size"`
}

// night is the object that makes a plan of what was put before: it is put once.
type night struct {
	Run    string `json:"run"`
	Shards int    `json:"shards"`
	Plan   made   `json:"plan"`
	Base   made   `json:"base"`
}

// done is the object that ends a shard: the first attempt at its end puts it.
type done struct {
	Generation int  `json:"generation"`
	Code       int  `json:"exit_code"`
	Fragment   made `json:"fragment"`
	Outcome    made `json:"outcome"`
}

const (
	nightKey = "night.json"
	doneKey  = "done.json"
)

// mirror carries nights.
type mirror struct {
	*store
	program string        // pipeline
	scratch string        // folder for files of this machine
	every   time.Duration // between two looks at a spool
	stderr  io.Writer
}

func (m *mirror) say(format string, args ...any) {
	fmt.Fprintf(m.stderr, "glmbatch-mirror: "+format+"\n", args...)
}

func hashed(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }() // read-only: nothing to lose
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// put puts a file under a folder's name and its hash.
func (m *mirror) put(ctx context.Context, folder, path string) (made, error) {
	sum, size, err := hashed(path)
	if err != nil {
		return made{}, err
	}
	out := made{Key: folder + "/" + sum, Sum: sum, Size: size}
	return out, m.putFile(ctx, out.Key, path)
}

func (m *mirror) fetch(ctx context.Context, f made, path string) error {
	return m.getFile(ctx, f.Key, path, f.Sum, f.Size)
}

// know reads an object of JSON. Where it is not there the error is errAbsent.
func (m *mirror) know(ctx context.Context, key string, v any) error {
	text, err := m.get(ctx, key, 0)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// folder takes a folder of this machine that no other process has, with the lock that holds it.
func (m *mirror) folder(name string) (dir string, lock *os.File, err error) {
	for k := 1; ; k++ {
		dir = filepath.Join(m.scratch, fmt.Sprintf("glmbatch-mirror-%s.%d", name, k))
		for _, d := range []string{"night/fragments", "night/progress", "spool"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
				return "", nil, err
			}
		}
		if lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return "", nil, err
		}
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return dir, lock, err
		}
		if err := lock.Close(); err != nil {
			return "", nil, err
		}
	}
}

// bring brings the plan down.
func (m *mirror) bring(ctx context.Context, n night, dir string) error {
	err := m.fetch(ctx, n.Base, filepath.Join(dir, "night", "base.duckdb"))
	if err == nil {
		err = m.fetch(ctx, n.Plan, filepath.Join(dir, "night", "plan.json"))
	}
	return err
}

// plan plans a night by the program, in a folder of this machine, and puts the plan into the store. An existing run
// is copied here first, so that the program can compare the requests.
func (m *mirror) plan(ctx context.Context, args []string) (int, error) {
	if err := m.heeds(ctx); err != nil {
		return exitAgain, err
	}
	dir, lock, err := m.folder("plan-" + unique())
	if err != nil {
		return exitAgain, err
	}
	defer func() { _ = errors.Join(os.RemoveAll(dir), lock.Close()) }() // what is of use is in the store
	var there night
	err = m.know(ctx, nightKey, &there)
	if err == nil {
		err = m.bring(ctx, there, dir)
	}
	if err != nil && !errors.Is(err, errAbsent) {
		return exitAgain, err
	}
	local := filepath.Join(dir, "night")
	code, err := process(ctx, m.program, append(append([]string{"plan"}, args...), "--to", local), m.every, never)
	if code != exitPass || err != nil || there.Run != "" {
		return code, err
	}
	text, err := os.ReadFile(filepath.Join(local, "plan.json"))
	var planned struct {
		Run  string `json:"run"`
		Fits []int  `json:"fits"`
	}
	if err == nil {
		err = json.Unmarshal(text, &planned)
	}
	n := night{Run: planned.Run, Shards: len(planned.Fits)}
	if err == nil {
		n.Base, err = m.put(ctx, "base", filepath.Join(local, "base.duckdb"))
	}
	if err == nil {
		n.Plan, err = m.put(ctx, "plan", filepath.Join(local, "plan.json"))
	}
	mine := false
	if err == nil {
		if text, err = json.Marshal(n); err == nil {
			mine, err = m.create(ctx, nightKey, text)
		}
	}
	if err == nil && !mine {
		return exitUsage, errors.New("another call has planned this night meanwhile: call again to see its plan")
	}
	return code3(code, err)
}

func never() bool { return false }

// code3 is the code of a step, or exitAgain where it erred.
func code3(code int, err error) (int, error) {
	if err != nil {
		return exitAgain, err
	}
	return code, nil
}

// run carries out a shard.
func (m *mirror) run(ctx context.Context, index int, args []string) (int, error) {
	var n night
	if err := m.know(ctx, nightKey, &n); errors.Is(err, errAbsent) {
		return exitUsage, errors.New("the store has no such night: glmbatch-mirror plan makes one")
	} else if err != nil {
		return exitAgain, err
	}
	if index < 0 || index >= n.Shards {
		return exitUsage, fmt.Errorf("shard %d: the plan has the shards 0 to %d", index, n.Shards-1)
	}
	s := &shard{m.store, index}
	if end, ok := m.ended(ctx, s); ok {
		return end.Code, nil
	}
	dir, lock, err := m.folder(fmt.Sprintf("%s-%d", n.Run, index))
	if err != nil {
		return exitAgain, err
	}
	defer func() { _ = lock.Close() }() // gives the folder up
	if err := m.bring(ctx, n, dir); err != nil {
		return exitAgain, err
	}
	w, err := m.takeOver(ctx, s, n, dir)
	if err != nil {
		return exitAgain, err
	}
	return m.carryOut(ctx, s, w, dir, args)
}

// ended reads how a shard ended.
func (m *mirror) ended(ctx context.Context, s *shard) (end done, ok bool) {
	return end, m.know(ctx, s.key(doneKey), &end) == nil
}

// takeOver begins a generation, with what this machine has of the shard or else with the newest generation's segments.
func (m *mirror) takeOver(ctx context.Context, s *shard, n night, dir string) (*watch, error) {
	newest, files, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, "spool", fmt.Sprintf("glmbatch-%s-%d.1", n.Run, s.index))
	work := filepath.Join(own, "fragment.duckdb.work")
	begun := files
	if _, err := os.Stat(own); err == nil {
		begun = nil // its files may be ahead of the store's: they go up from their beginning
	} else {
		if err := os.RemoveAll(own + ".new"); err != nil {
			return nil, err
		}
		if begun, err = s.restore(ctx, files, filepath.Join(own+".new", "fragment.duckdb.work")); err != nil {
			return nil, err
		}
		files = begun
		if len(files) > 0 {
			if err := errors.Join(os.Chmod(own+".new", 0o700), os.Rename(own+".new", own)); err != nil {
				return nil, err
			}
			m.say("shard %d goes on with %d files of generation %d", s.index, len(files), newest)
		}
	}
	generation, err := s.begin(ctx, newest, files)
	return s.follow(generation, work, begun), err
}

// carryOut runs the program, carries its spool up meanwhile, and in the end its fragment.
func (m *mirror) carryOut(ctx context.Context, s *shard, w *watch, dir string, args []string) (int, error) {
	local := filepath.Join(dir, "night")
	call := append([]string{"run", "--plan", local, "--shard", fmt.Sprint(s.index), "--spool",
		filepath.Join(dir, "spool")}, args...)
	var end done
	other := false
	code, err := process(ctx, m.program, call, m.every, func() bool {
		if err := w.sync(ctx); err != nil && ctx.Err() == nil {
			m.say("%v; the shard is drawn on", err)
		}
		end, other = m.ended(ctx, s)
		return other
	})
	if err != nil {
		return code, err
	}
	ctx = context.WithoutCancel(ctx) // what is drawn is kept, whoever asked for the end
	if other {
		m.say("shard %d was ended by generation %d", s.index, end.Generation)
		return end.Code, os.RemoveAll(dir)
	}
	if code != exitPass && code != exitFail {
		return code, w.sync(ctx)
	}
	return m.finish(ctx, s, w.generation, dir, code)
}

// finish puts the fragment under the generation, and ends the shard unless another attempt has.
func (m *mirror) finish(ctx context.Context, s *shard, generation int, dir string, code int) (int, error) {
	fragments := filepath.Join(dir, "night", "fragments")
	folder := s.key("made", number(generation))
	end := done{Generation: generation, Code: code}
	var err error
	end.Fragment, err = m.put(ctx, folder, filepath.Join(fragments, fmt.Sprintf("%d.duckdb", s.index)))
	if err == nil {
		end.Outcome, err = m.put(ctx, folder, filepath.Join(fragments, fmt.Sprintf("%d.json", s.index)))
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(end)
	}
	if err == nil {
		_, err = m.create(ctx, s.key(doneKey), text) // another's end is as good
	}
	if err != nil {
		return exitAgain, err
	}
	if names, err := s.list(ctx, s.key("spool")+"/"); err == nil { // of no use any more; what stays does no harm
		for _, name := range names {
			_ = s.remove(ctx, s.key("spool", name))
		}
	}
	return code3(code, os.RemoveAll(dir))
}

// gather copies the finished shards here, and lets the program gather them: it names those that are missing.
func (m *mirror) gather(ctx context.Context, args []string) (int, error) {
	var n night
	if err := m.know(ctx, nightKey, &n); errors.Is(err, errAbsent) {
		return exitUsage, errors.New("the store has no such night: glmbatch-mirror plan makes one")
	} else if err != nil {
		return exitAgain, err
	}
	dir, lock, err := m.folder(n.Run + "-gather")
	if err != nil {
		return exitAgain, err
	}
	defer func() { _ = lock.Close() }() // gives the folder up
	if err := m.bring(ctx, n, dir); err != nil {
		return exitAgain, err
	}
	for i := range n.Shards {
		var end done
		err := m.know(ctx, (&shard{m.store, i}).key(doneKey), &end)
		if errors.Is(err, errAbsent) {
			continue
		}
		to := filepath.Join(dir, "night", "fragments", fmt.Sprint(i))
		if err == nil {
			err = m.fetch(ctx, end.Outcome, to+".json")
		}
		if err == nil {
			err = m.fetch(ctx, end.Fragment, to+".duckdb")
		}
		if err != nil {
			return exitAgain, fmt.Errorf("shard %d: %w", i, err)
		}
	}
	code, err := process(ctx, m.program, append([]string{"gather", filepath.Join(dir, "night")}, args...), m.every, never)
	if err == nil && (code == exitPass || code == exitFail) {
		err = os.RemoveAll(dir)
	}
	return code, err
}
