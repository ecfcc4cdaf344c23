-- A write changes fewer pages.

-- Words that most entries have only while they run are not indexed while a row is
-- late: then the one row of late holds them, for each late row its seq and a
-- checksum of each word.
CREATE TABLE late (
    number INTEGER PRIMARY KEY,
    body   BLOB NOT NULL
);
ALTER TABLE entries ADD COLUMN late INTEGER;
DROP INDEX entries_w3;
DROP INDEX entries_w4;
DROP INDEX entries_w5;
CREATE INDEX entries_w3 ON entries (w3, seq) WHERE w3 IS NOT NULL AND late IS NULL;
CREATE INDEX entries_w4 ON entries (w4, seq) WHERE w4 IS NOT NULL AND late IS NULL;
CREATE INDEX entries_w5 ON entries (w5, seq) WHERE w5 IS NOT NULL AND late IS NULL;

-- Who asks for a place (w1) asks for its run (w0) too.
DROP INDEX entries_w0;
DROP INDEX entries_w1;
CREATE INDEX entries_w0 ON entries (w0, seq, w1) WHERE w0 IS NOT NULL;

-- The word of a key is a digest, and a part of it finds it.
DROP INDEX entries_w6;
CREATE INDEX entries_w6 ON entries (substr(w6, 1, 12), seq) WHERE w6 IS NOT NULL;

-- Of events that only their place finds, those of one commit stand in one row:
-- packed says how many, and seq is that of the last.
ALTER TABLE events ADD COLUMN packed INTEGER;
