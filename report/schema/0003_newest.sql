COMMENT ON TABLE run_fit IS 'What each run did with each fit: drawn, skipped because it was unchanged, or not committed.';
