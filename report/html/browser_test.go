package html

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A browser is a headless Chromium that is driven over a pair of pipes, by the
// DevTools protocol: JSON messages that end with a zero byte.
type browser struct {
	t       *testing.T
	in      io.WriteCloser
	answers chan message
	next    int
	session string
	// trouble are errors and warnings of the console, exceptions, and requests of
	// anything but the page itself.
	trouble []string
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  map[string]any  `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// openBrowser starts the Chromium that GLMBATCH_BROWSER names; without one the
// test is skipped. check/run.sh sets it.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := os.Getenv("GLMBATCH_BROWSER")
	if path == "" {
		t.Skip("GLMBATCH_BROWSER names no Chromium: report/html/check/run.sh runs this")
	}
	theirIn, in, err := os.Pipe()
	must(t, err)
	out, theirOut, err := os.Pipe()
	must(t, err)
	profile, err := os.MkdirTemp("", "report-browser-")
	must(t, err)
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	must(t, cmd.Start())
	b := &browser{t: t, in: in, answers: make(chan message, 1024)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = errors.Join(in.Close(), out.Close())
		_ = os.RemoveAll(profile) // children of the browser may still write to it
	})
	_ = errors.Join(theirIn.Close(), theirOut.Close())
	go b.listen(out)
	var target struct{ TargetID string }
	b.into(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.into(&attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	return b
}

func (b *browser) listen(r io.Reader) {
	defer close(b.answers)
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) == nil {
			b.answers <- m
		}
	}
}

// call sends a command and returns its result; what happens meanwhile is noted.
func (b *browser) call(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.next++
	line, err := json.Marshal(message{ID: b.next, Session: b.session, Method: method, Params: params})
	must(b.t, err)
	if _, err := b.in.Write(append(line, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		select {
		case m, open := <-b.answers:
			switch {
			case !open:
				b.t.Fatalf("%s: the browser is gone", method)
			case m.ID == b.next && m.Error != nil:
				b.t.Fatalf("%s: %s", method, m.Error)
			case m.ID == b.next:
				return m.Result
			}
			b.note(m)
		case <-time.After(2 * time.Minute): // a browser that hangs, not one that is slow
			b.t.Fatalf("%s: no answer", method)
		}
	}
}

func (b *browser) into(to any, method string, params map[string]any) {
	b.t.Helper()
	if err := json.Unmarshal(b.call(method, params), to); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

func (b *browser) note(m message) {
	text := fmt.Sprint(m.Params)
	switch m.Method {
	case "Runtime.exceptionThrown":
		b.trouble = append(b.trouble, "exception: "+text)
	case "Runtime.consoleAPICalled":
		b.trouble = append(b.trouble, "console: "+text)
	case "Log.entryAdded":
		b.trouble = append(b.trouble, "log: "+text)
	case "Network.requestWillBeSent":
		request, _ := m.Params["request"].(map[string]any)
		if url := fmt.Sprint(request["url"]); !strings.HasPrefix(url, "file://") ||
			!strings.HasSuffix(strings.SplitN(url, "#", 2)[0], "page.html") {
			b.trouble = append(b.trouble, "request: "+url)
		}
	}
}

// open loads a page from a file at a place of it.
func (b *browser) open(p *Page, place string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "page.html")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(Write(f, p), f.Close())
	}
	must(b.t, err)
	b.call("Page.navigate", map[string]any{"url": "file://" + path + place})
	b.wait(`document.readyState === "complete" && document.querySelectorAll("#tabs a").length > 0`)
}

// eval evaluates an expression in the page and decodes its value.
func (b *browser) eval(expression string, to any) {
	b.t.Helper()
	var out struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails json.RawMessage
	}
	b.into(&out, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%.200s: %s", expression, out.ExceptionDetails)
	}
	if to != nil {
		if err := json.Unmarshal(out.Result.Value, to); err != nil {
			b.t.Fatalf("%.200s: %v: %s", expression, err, out.Result.Value)
		}
	}
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for range 1200 {
		var ok bool
		if b.eval("Boolean("+expression+")", &ok); ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("it never came to be that %s", expression)
}

// text is the text of the first element that a selector finds.
func (b *browser) text(selector string) (s string) {
	b.t.Helper()
	b.eval("(document.querySelector("+quoted(selector)+") || {textContent: '(nothing)'}).textContent", &s)
	return s
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// press presses a key, as a person does.
func (b *browser) press(key string) {
	b.t.Helper()
	params := map[string]any{"type": "keyDown", "key": key}
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40}
	if code, ok := codes[key]; ok {
		params["windowsVirtualKeyCode"], params["code"] = code, key
		if key == "Enter" {
			params["text"] = "\r"
		}
	} else {
		params["text"] = key
	}
	b.call("Input.dispatchKeyEvent", params)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
}
