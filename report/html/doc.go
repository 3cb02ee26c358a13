// Package html writes one HTML page about a run of fits, their comparison and
// their drift: everything it needs is in it, and nothing is fetched.
//
// It takes a Page of names and numbers that package report has read and reduced,
// and knows neither SQL nor draws; the same Page gives the same bytes. The
// overview is plain HTML, which also a mail's preview shows; the rest is JSON in
// script elements that the page's own code draws from. Names are hostile until
// escaped: they reach the page as JSON and text nodes alone.
//
// Read data.go, incomplete.go (missing cells and imputations) and picture.go (images of discrete systems), then
// write.go; then page/page.html and the scripts in its folder in the order of their names. vendor holds the
// charting library as it was published.
package html
