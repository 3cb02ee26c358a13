package ingest

import "context"

// Size returns how many bytes the files of the source's path hold, with those of its triplets. It opens each file, and
// reads none. It returns an error if a file is absent, is empty or may not be read. A query has size 0. A source with
// Each must have been expanded.
func (src *Source) Size(ctx context.Context) (bytes int64, err error) {
	if src.SQL != "" {
		return 0, nil
	}
	files, err := src.files(ctx)
	if err != nil {
		return 0, err
	}
	if src.Triplets != nil {
		beside := Source{Name: src.Name, Path: src.Triplets.Path, Within: src.Within}
		more, err := beside.files(ctx)
		if err != nil {
			return 0, err
		}
		files = append(files, more...)
	}
	for _, f := range files {
		in, err := src.open(ctx, f)
		if err != nil {
			return 0, err
		}
		bytes += in.Size()
		_ = in.Close() // nothing was read
	}
	return bytes, nil
}
