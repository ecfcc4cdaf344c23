-- A write changes fewer pages.

-- Words that most entries have only while they run are in no index while a row is
-- late: they stand in l3 to l5 then, and the one row of late holds them, for each
-- late row its seq and a checksum of each word. Later they move to i3 to i5, which
-- are indexed. The old names are gone, so that no program which does not know of
-- this overlooks a row.
ALTER TABLE entries RENAME COLUMN w3 TO i3;
ALTER TABLE entries RENAME COLUMN w4 TO i4;
ALTER TABLE entries RENAME COLUMN w5 TO i5;
ALTER INDEX entries_w3 RENAME TO entries_i3;
ALTER INDEX entries_w4 RENAME TO entries_i4;
ALTER INDEX entries_w5 RENAME TO entries_i5;
ALTER TABLE entries
    ADD COLUMN l3 text COLLATE "C", ADD COLUMN l4 text COLLATE "C", ADD COLUMN l5 text COLLATE "C";
CREATE TABLE late (
    number integer PRIMARY KEY,
    body   bytea NOT NULL
);
ALTER TABLE late ALTER COLUMN body SET STORAGE PLAIN;

-- So an entry that is settled has the same words in the indexes as before, and need
-- not be put into them again, where its page has room for it.
ALTER TABLE entries SET (fillfactor = 50);

-- Who asks for a place (w1) asks for its run (w0) too.
DROP INDEX entries_w0;
DROP INDEX entries_w1;
CREATE INDEX entries_w0 ON entries (w0, seq, w1) WHERE w0 IS NOT NULL;

-- The entries of a tool are found by blocks of 256 that follow each other: a tool is
-- put into this table once for each block in which it has entries, and not into an
-- index with each of them.
CREATE TABLE entry_tools (
    tool  text COLLATE "C",
    block bigint,
    PRIMARY KEY (tool, block)
);
INSERT INTO entry_tools SELECT DISTINCT w2, seq >> 8 FROM entries WHERE w2 IS NOT NULL;
DROP INDEX entries_w2;

-- The session that has written last, by a name of its own: it need not read again
-- what it knows.
CREATE TABLE writer (
    number  integer PRIMARY KEY,
    session text NOT NULL
);
