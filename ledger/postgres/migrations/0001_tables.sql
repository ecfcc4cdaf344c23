-- One table a kind of row. seq orders them; w0 to w6 are the words they are found
-- by (what each means is package ledger's to say); body is JSON.

CREATE TABLE runs (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX runs_id ON runs (id) WHERE id IS NOT NULL;

CREATE TABLE turns (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX turns_id ON turns (id) WHERE id IS NOT NULL;
CREATE INDEX turns_w0 ON turns (w0, seq) WHERE w0 IS NOT NULL;

CREATE TABLE rounds (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX rounds_id ON rounds (id) WHERE id IS NOT NULL;
CREATE INDEX rounds_w0 ON rounds (w0, seq) WHERE w0 IS NOT NULL;
CREATE INDEX rounds_w1 ON rounds (w1, seq) WHERE w1 IS NOT NULL;

CREATE TABLE entries (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX entries_id ON entries (id) WHERE id IS NOT NULL;
CREATE INDEX entries_w0 ON entries (w0, seq) WHERE w0 IS NOT NULL;
CREATE INDEX entries_w1 ON entries (w1, seq) WHERE w1 IS NOT NULL;
CREATE INDEX entries_w2 ON entries (w2, seq) WHERE w2 IS NOT NULL;
CREATE INDEX entries_w3 ON entries (w3, seq) WHERE w3 IS NOT NULL;
CREATE INDEX entries_w4 ON entries (w4, seq) WHERE w4 IS NOT NULL;
CREATE INDEX entries_w5 ON entries (w5, seq) WHERE w5 IS NOT NULL;
CREATE INDEX entries_w6 ON entries (w6, seq) WHERE w6 IS NOT NULL;

CREATE TABLE approvals (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX approvals_id ON approvals (id) WHERE id IS NOT NULL;
CREATE INDEX approvals_w0 ON approvals (w0, seq) WHERE w0 IS NOT NULL;
CREATE INDEX approvals_w1 ON approvals (w1, seq) WHERE w1 IS NOT NULL;

CREATE TABLE events (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX events_id ON events (id) WHERE id IS NOT NULL;
CREATE INDEX events_w0 ON events (w0, seq) WHERE w0 IS NOT NULL;

CREATE TABLE owners (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX owners_id ON owners (id) WHERE id IS NOT NULL;
