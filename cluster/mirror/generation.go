package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// claim is an attempt's object: its number is in the name, and what it began with in the text.
type claim struct {
	Attempt  string             `json:"attempt"` // by which it knows its own claim
	Began    time.Time          `json:"began"`
	Inherits map[string][]piece `json:"inherits"` // by file of the spool
}

// piece is a range of a file of the spool in the store. It is never written again.
type piece struct {
	Key  string `json:"key"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

func unique() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// shard is the objects of one shard.
type shard struct {
	*store
	index int
}

func (s *shard) key(parts ...string) string {
	return path.Join(append([]string{"shards", fmt.Sprint(s.index)}, parts...)...)
}

func number(generation int) string { return fmt.Sprintf("%06d", generation) }

// newest is the newest generation of which a claim is seen, and what the store has of its spool. It is 0 if there
// is none. A list that is behind shows an older one, whose pieces are as good and fewer.
func (s *shard) newest(ctx context.Context) (generation int, files map[string][]piece, err error) {
	names, err := s.list(ctx, s.key("claims")+"/")
	if err != nil || len(names) == 0 {
		return 0, nil, err
	}
	last := names[len(names)-1]
	if _, err := fmt.Sscanf(last, "%06d.json", &generation); err != nil {
		return 0, nil, fmt.Errorf("%s is no claim", last)
	}
	text, err := s.get(ctx, s.key("claims", last), 0)
	var c claim
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return 0, nil, err
	}
	segments, err := s.list(ctx, s.key("spool", number(generation))+"/")
	return generation, s.along(generation, c.Inherits, segments), err
}

// along adds the segments of a generation to what it began with. If a file has several lives (it begins a new one
// if the program redraws) the one that is longest without a gap counts.
func (s *shard) along(generation int, inherits map[string][]piece, segments []string) map[string][]piece {
	lives := map[string]map[string][]piece{}
	for _, name := range segments {
		p := piece{Key: s.key("spool", number(generation), name)}
		file, base := path.Split(name)
		var life string
		if _, err := fmt.Sscanf(strings.ReplaceAll(base, "-", " "), "%s %d %d", &life, &p.From, &p.To); err != nil {
			continue // not of this program
		}
		file = strings.TrimSuffix(file, "/")
		if lives[file] == nil {
			lives[file] = map[string][]piece{}
		}
		lives[file][life] = append(lives[file][life], p)
	}
	out := map[string][]piece{}
	for file, pieces := range inherits {
		out[file] = pieces
	}
	for file, byLife := range lives {
		for _, own := range byLife {
			slices.SortFunc(own, func(a, b piece) int { return int(a.From - b.From) })
			if own[0].From > 0 {
				own = append(slices.Clone(inherits[file]), own...)
			}
			if own = gapless(own); length(own) > length(out[file]) {
				out[file] = own
			}
		}
	}
	return out
}

// gapless is how far pieces go from the beginning without a gap.
func gapless(pieces []piece) []piece {
	at := int64(0)
	for i, p := range pieces {
		if p.From != at {
			return pieces[:i]
		}
		at = p.To
	}
	return pieces
}

func length(pieces []piece) int64 {
	if len(pieces) == 0 {
		return 0
	}
	return pieces[len(pieces)-1].To
}

// restore brings the files of a spool down below dir, and returns those pieces that are there and whole: what is gone
// or damaged, and what follows it, is drawn again.
func (s *shard) restore(ctx context.Context, files map[string][]piece, dir string) (map[string][]piece, error) {
	whole := map[string][]piece{}
	for name, pieces := range files {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%q is no file of a spool", name)
		}
		var all []byte
		for _, p := range pieces {
			data, err := s.get(ctx, p.Key, p.To-p.From)
			if errors.Is(err, errAbsent) {
				break
			}
			if err != nil {
				return nil, err
			}
			if int64(len(data)) != p.To-p.From || isChain(name) && wholeFrames(data) != len(data) {
				break
			}
			all, whole[name] = append(all, data...), append(whole[name], p)
		}
		to := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(to), 0o700)
		if err == nil && len(all) > 0 {
			err = os.WriteFile(to, all, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	return whole, nil
}

func isChain(name string) bool { return strings.HasSuffix(name, ".spool") }

// begin claims the first generation behind one that is free.
func (s *shard) begin(ctx context.Context, behind int, inherits map[string][]piece) (generation int, err error) {
	text, err := json.Marshal(claim{Attempt: unique(), Began: time.Now().UTC(), Inherits: inherits})
	if err != nil {
		return 0, err
	}
	for generation = behind + 1; ; generation++ {
		mine, err := s.create(ctx, s.key("claims", number(generation)+".json"), text)
		if mine || err != nil {
			return generation, err
		}
	}
}
