package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"glmbatch/internal/words"
	"glmbatch/report/judge"
)

func (t *Text) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind > stringKind {
		d.wrongKind(n, f, "text")
		return
	}
	*t = Text(n.text)
}

func (v *Vars) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != mapKind && n.kind != nullKind {
		d.wrongKind(n, f, "a mapping")
		return
	}
	for _, e := range n.entries { // the values are the renderer's
		switch {
		case !varName.MatchString("vars."+e.key) || strings.ContainsFunc(e.key, notWord):
			d.add(e.at, "variable "+quote(e.key)+" cannot be named in a template",
				"use letters, digits and _, and start with a letter")
		case e.value.kind > stringKind || e.value.kind == nullKind:
			d.wrongKind(e.value, field{key: e.key}, "text or a number")
		}
	}
}

func notWord(c rune) bool { return c > 0x7f || !isWord(byte(c)) }

func (names *Names) decodeNode(d *decoder, n *node, f field, path []string) {
	items := n.items
	if n.kind != listKind {
		items = []*node{n}
	}
	if n.kind == listKind && len(items) == 0 {
		d.add(n.at, f.key+" is an empty list", "leave the key out, or name something")
	}
	for _, item := range items {
		switch {
		case item.unknown:
		case item.kind == nullKind || item.kind > stringKind:
			d.wrongKind(item, f, "a name or a list of names")
		case item.text == "":
			d.add(item.at, f.key+" holds an empty name", "")
		default:
			here := append(path[:len(path):len(path)], strconv.Itoa(len(*names)))
			d.places[strings.Join(here, pathSeparator)] = item.at
			*names = append(*names, item.text)
		}
	}
}

func (s *Separator) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind == nullKind || n.kind > stringKind {
		d.wrongKind(n, f, "one character, or tab")
		return
	}
	if n.text == "tab" {
		*s = '\t'
		return
	}
	c, size := utf8.DecodeRuneInString(n.text)
	if n.text == "" || size != len(n.text) || c == '"' || c == '\n' || c == '\r' {
		d.add(n.at, fmt.Sprintf("separator must be one character, or tab, but is %s", quote(n.text)), "")
		return
	}
	*s = Separator(c)
}

func (r *Refresh) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind == stringKind && n.text == "never" {
		*r = Never
		return
	}
	i, err := n.integer()
	switch {
	case err == errWrongKind:
		d.wrongKind(n, f, "a number of sweeps, or never")
	case err != nil:
		d.add(n.at, fmt.Sprintf("%s must be an integer, but %s %v", f.key, n.text, err), "")
	case i < 1 || i > 1<<30:
		d.add(n.at, fmt.Sprintf("%s must be at least 1, or never, but is %s", f.key, n.text), "")
	default:
		*r = Refresh(i)
	}
}

func (u *Until) decodeNode(d *decoder, n *node, f field, path []string) {
	switch {
	case n.kind == mapKind:
		d.structure(n, reflectOf(u), f, path)
	case n.kind == stringKind && n.text == "gates":
	default:
		d.wrongKind(n, f, "gates, or a mapping such as {ess: 100, over: median}")
	}
}

func (l *LOO) decodeNode(d *decoder, n *node, f field, path []string) {
	if n.kind == mapKind {
		d.structure(n, reflectOf(l), f, path)
		l.On = true
		return
	}
	on, err := n.boolean()
	if err != nil {
		d.wrongKind(n, f, "true, false, or a mapping such as {moment_match: true}")
	}
	l.On = on
}

// decodeNode reads a number, off, or {warn: …, fail: …} with one of them or both.
func (g *Gate) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != mapKind {
		g.Fail = d.limit(n, f, "a number, off, or a mapping such as {warn: 1.01, fail: 1.05}")
		return
	}
	g.Fail = judge.Limit{}
	for _, e := range n.entries {
		inner := f
		inner.key = f.key + "." + e.key
		switch {
		case e.value.unknown:
		case e.key == "fail":
			g.Fail = d.limit(e.value, inner, "a number, or off")
		case e.key == "warn":
			g.Warn = d.limit(e.value, inner, "a number, or off")
		default:
			d.add(e.at, "unknown key "+quote(e.key), words.DidYouMean(e.key, "allowed here", []string{"warn", "fail"}))
		}
	}
	if g.Warn.On && g.Fail.On && (f.floor && g.Warn.At < g.Fail.At || !f.floor && g.Warn.At > g.Fail.At) {
		d.add(n.at, fmt.Sprintf("%s would fail before it warns", f.key),
			"let warn be the stricter one of the two limits")
	}
}

// limit reads one limit of a gate, which may be off.
func (d *decoder) limit(n *node, f field, want string) judge.Limit {
	if n.kind == stringKind && n.text == "off" {
		return judge.Limit{}
	}
	x, err := n.number()
	switch {
	case err == errWrongKind:
		d.wrongKind(n, f, want)
	case err != nil:
		d.add(n.at, fmt.Sprintf("%s must be a number, or off, but %s %v", f.key, n.text, err), "")
	default:
		d.bounds(n, f, x)
		return judge.At(x)
	}
	return judge.At(0)
}
