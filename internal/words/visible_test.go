package words

import (
	"encoding/json"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"glu": "glu", "a b": "a b", "é ß 漢字 × ½": "é ß 漢字 × ½", "e\u0301": "e\u0301", `C:\new`: `C:\new`,
		"a\nb\tc": `a\nb\tc`, "\x1b[2J": `\x1b[2J`, "\x7f\u0085": `\x7f\u0085`, "a\u2028b": `a\u2028b`,
		"x\u202egnp": `x\u202egnp`, "\u2066a\u2069": `\u2066a\u2069`, "a\u200bb\u200d\ufeff\u00ad": `a\u200bb\u200d\ufeff\u00ad`,
		"storeBerlin ": "storeBerlin␣", "  a b": "␣␣a b", "r_store[Berlin  ,Intercept]": "r_store[Berlin␣␣,Intercept]", " ": "␣",
		"r_g[ a]": "r_g[␣a]", "a, b [c]": "a, b [c]", "New\u00a0York": `New\u00a0York`,
		"\u3164\u115f\ufe0f": `\u3164\u115f\ufe0f`, "\U000e0041": `\U000e0041`, "\xff": `\xff`, "\ufffd": `\ufffd`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := VisibleLines("a\nb\u200b\r\n"), "a\nb\\u200b\\r\n"; got != want {
		t.Errorf("VisibleLines: %q, want %q", got, want)
	}
}

// VisibleJSON has the values of what it is given, and nothing that does not print.
func TestVisibleJSON(t *testing.T) {
	const hostile = "a\u202eb\u200b\ufeff\u0085\x7f\U000e0041é漢\n\"\\"
	text, err := json.Marshal(map[string]string{hostile: hostile})
	if err != nil {
		t.Fatal(err)
	}
	out := VisibleJSON(text)
	var back map[string]string
	if err := json.Unmarshal(out, &back); err != nil || back[hostile] != hostile {
		t.Errorf("%s: %q, %v", out, back, err)
	}
	if got := Visible(string(out)); got != string(out) {
		t.Errorf("it has what does not print: %s", got)
	}
}
