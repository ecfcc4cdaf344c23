-- What runs are marked with, what is used up of budgets, and rules that a person saved.

CREATE TABLE labels (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX labels_id ON labels (id) WHERE id IS NOT NULL;

CREATE TABLE budgets (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX budgets_id ON budgets (id) WHERE id IS NOT NULL;

CREATE TABLE rules (
    seq  bigint PRIMARY KEY,
    id   text COLLATE "C",
    w0 text COLLATE "C", w1 text COLLATE "C", w2 text COLLATE "C", w3 text COLLATE "C",
    w4 text COLLATE "C", w5 text COLLATE "C", w6 text COLLATE "C",
    body bytea NOT NULL
);
CREATE UNIQUE INDEX rules_id ON rules (id) WHERE id IS NOT NULL;
CREATE INDEX rules_w0 ON rules (w0, seq) WHERE w0 IS NOT NULL;
CREATE INDEX rules_w1 ON rules (w1, seq) WHERE w1 IS NOT NULL;

-- Runs are found by the call that they are within.
CREATE INDEX runs_w0 ON runs (w0, seq) WHERE w0 IS NOT NULL;
