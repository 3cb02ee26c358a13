package spec

import (
	"errors"
	"testing"
)

// TestIntegers reads scalars as integers: what is one by YAML 1.2 and by JSON
// schema is taken, everything else refused with its reason.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  error
	}{
		{"4", 4, nil}, {"+4", 4, nil}, {"-4", -4, nil}, {"0", 0, nil}, {"2e4", 20000, nil}, {"4.0", 4, nil}, {"1E3", 1000, nil},
		{"9007199254740993", 9007199254740993, nil}, {"-9223372036854775808", -9223372036854775808, nil},
		{"4.5", 0, errFraction}, {"1e-3", 0, errFraction}, {"010", 0, errLeading}, {"-07", 0, errLeading},
		{"0x10", 0, errBase}, {"0o17", 0, errBase}, {"0b11", 0, errBase}, {".inf", 0, errFinite}, {"-.Inf", 0, errFinite}, {".nan", 0, errFinite},
		{"9223372036854775808", 0, errRange}, {"1e300", 0, errRange}, {"1e999", 0, errRange},
		{"four", 0, errWrongKind}, {"1_000", 0, errWrongKind}, {"1,000", 0, errWrongKind}, {"true", 0, errWrongKind}, {"", 0, errWrongKind}, {"4 ", 0, errWrongKind},
		{"inf", 0, errWrongKind}, {"NaN", 0, errWrongKind}, {"1e", 0, errWrongKind}, {".", 0, errWrongKind}, {"-", 0, errWrongKind},
	} {
		got, err := plain(c.text).integer()
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: got %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
	if u, err := plain("18446744073709551615").unsigned(); u != 1<<64-1 || err != nil {
		t.Errorf("largest seed: %d, %v", u, err)
	}
	for _, text := range []string{"18446744073709551616", "-1"} {
		if u, err := plain(text).unsigned(); err != errRange {
			t.Errorf("%s as seed: %d, %v", text, u, err)
		}
	}
	if _, err := (&node{kind: stringKind, text: "4"}).integer(); err != errWrongKind {
		t.Errorf("quoted 4: %v", err)
	}
	if i, err := (&node{kind: stringKind, text: "4", soft: true}).integer(); i != 4 || err != nil {
		t.Errorf("4 from a template: %d, %v", i, err)
	}
}

func TestPlainKinds(t *testing.T) {
	for text, want := range map[string]kind{
		"": nullKind, "~": nullKind, "null": nullKind, "nil": stringKind, "true": boolKind, "False": boolKind, "yes": stringKind, "off": stringKind, "no": stringKind,
		"1": intKind, "1.": floatKind, ".5": floatKind, "1e3": floatKind, "1.2.3": stringKind, "2026-01-01": stringKind, "12:30": stringKind, "1e3x": stringKind,
	} {
		if got := plain(text).kind; got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
