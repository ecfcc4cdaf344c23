-- What runs are marked with, what is used up of budgets, and rules that a person saved.

CREATE TABLE labels (
    seq  INTEGER PRIMARY KEY,
    id   TEXT,
    w0 TEXT, w1 TEXT, w2 TEXT, w3 TEXT, w4 TEXT, w5 TEXT, w6 TEXT,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX labels_id ON labels (id) WHERE id IS NOT NULL;

CREATE TABLE budgets (
    seq  INTEGER PRIMARY KEY,
    id   TEXT,
    w0 TEXT, w1 TEXT, w2 TEXT, w3 TEXT, w4 TEXT, w5 TEXT, w6 TEXT,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX budgets_id ON budgets (id) WHERE id IS NOT NULL;

CREATE TABLE rules (
    seq  INTEGER PRIMARY KEY,
    id   TEXT,
    w0 TEXT, w1 TEXT, w2 TEXT, w3 TEXT, w4 TEXT, w5 TEXT, w6 TEXT,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX rules_id ON rules (id) WHERE id IS NOT NULL;
CREATE INDEX rules_w0 ON rules (w0, seq) WHERE w0 IS NOT NULL;
CREATE INDEX rules_w1 ON rules (w1, seq) WHERE w1 IS NOT NULL;

-- Runs are found by the call that they are within.
CREATE INDEX runs_w0 ON runs (w0, seq) WHERE w0 IS NOT NULL;
