-- The entries of a tool are found by blocks of 256 that follow each other: a tool is
-- put into this table once for each block in which it has entries, and not into an
-- index with each of them.
CREATE TABLE entry_tools (
    tool  TEXT NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (tool, block)
) WITHOUT ROWID;
INSERT INTO entry_tools SELECT DISTINCT w2, seq >> 8 FROM entries WHERE w2 IS NOT NULL;
DROP INDEX entries_w2;
