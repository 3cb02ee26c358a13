// Package plot draws pictures of results as SVG or PNG files: curves with bands,
// intervals at values or by name, and histograms.
//
// It depends on no other package of the program. The same Plot gives the same
// bytes. A picture is panels below each other, each with its own axes.
//
// Read plot.go, then axis.go, then canvas.go.
package plot
