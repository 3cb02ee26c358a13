-- Draws in Parquet files beside the ledger.

CREATE TABLE draw_file (
    file_id  BIGINT NOT NULL,
    path     VARCHAR NOT NULL,
    bytes    BIGINT NOT NULL,
    checksum UINTEGER NOT NULL,
    fits     INTEGER NOT NULL
);
COMMENT ON TABLE draw_file IS 'Parquet files with draws, in the folder beside the ledger that has its name and .draws; written by gather --draws parquet.';
COMMENT ON COLUMN draw_file.file_id IS 'Number of the file, drawn at random; each row of the file has it.';
COMMENT ON COLUMN draw_file.path IS 'Where it is in the folder: RUN/SHARD.parquet.';
COMMENT ON COLUMN draw_file.bytes IS 'Its size.';
COMMENT ON COLUMN draw_file.checksum IS 'CRC-32C of its bytes.';
COMMENT ON COLUMN draw_file.fits IS 'How many fits'' draws were written to it; those that still count are in draw_outside.';

CREATE TABLE draw_outside (
    fit_id     BIGINT NOT NULL,
    file_id    BIGINT NOT NULL,
    parameters INTEGER NOT NULL
);
COMMENT ON TABLE draw_outside IS 'Which fits have their draws in which file; those of the others are in draw_piece.';
COMMENT ON COLUMN draw_outside.fit_id IS 'The fit.';
COMMENT ON COLUMN draw_outside.file_id IS 'The file.';
COMMENT ON COLUMN draw_outside.parameters IS 'Draws of parameters up to this number count; those of later ones were replaced, and are in draw_piece.';

-- Another definition of it takes the place of this one while there are files: outside_view.sql.
CREATE VIEW piece AS
SELECT fit_id, parameter_id, chain, first, n, v FROM draw_piece;
COMMENT ON VIEW piece IS 'Posterior draws as they are stored, wherever they are: in draw_piece, or in files beside the ledger. Filters on fit_id reach both.';
COMMENT ON COLUMN piece.fit_id IS 'The fit.';
COMMENT ON COLUMN piece.parameter_id IS 'The parameter.';
COMMENT ON COLUMN piece.chain IS '1, 2, …';
COMMENT ON COLUMN piece.first IS 'Iteration of v[1]: 1, 251, …';
COMMENT ON COLUMN piece.n IS 'How many draws v holds: 250, or fewer at the end of a chain.';
COMMENT ON COLUMN piece.v IS 'The draws; zeros behind the first n.';

CREATE OR REPLACE VIEW draw AS
SELECT fit_id, parameter_id, chain,
       first + unnest(CASE WHEN n = 250 THEN range(250)::INTEGER[] ELSE range(n)::INTEGER[] END) AS iteration,
       unnest(CASE WHEN n = 250 THEN v::DOUBLE[] ELSE v[:n] END) AS value
FROM piece;
COMMENT ON VIEW draw IS 'Posterior draws in the units of the data; the view draws adds the names.';
COMMENT ON COLUMN draw.fit_id IS 'The fit.';
COMMENT ON COLUMN draw.parameter_id IS 'The parameter.';
COMMENT ON COLUMN draw.chain IS '1, 2, …';
COMMENT ON COLUMN draw.iteration IS '1, 2, … over the kept draws.';
COMMENT ON COLUMN draw.value IS 'The draw.';

CREATE OR REPLACE VIEW draws_standardized AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, p.scale * unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value
FROM piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
WHERE p.kind = 'coefficient';
COMMENT ON VIEW draws_standardized IS 'Draws of coefficients times the scale of their column: effects of one unit of the standardised design.';
COMMENT ON COLUMN draws_standardized.chain IS '1, 2, …';
COMMENT ON COLUMN draws_standardized.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws_standardized.value IS 'The draw, for one unit of the standardised column.';
