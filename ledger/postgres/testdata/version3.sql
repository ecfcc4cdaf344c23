CREATE TABLE approvals (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE budgets (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE entries (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    i3 text COLLATE pg_catalog."C",
    i4 text COLLATE pg_catalog."C",
    i5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL,
    l3 text COLLATE pg_catalog."C",
    l4 text COLLATE pg_catalog."C",
    l5 text COLLATE pg_catalog."C"
)
WITH (fillfactor='50');
CREATE TABLE entry_tools (
    tool text NOT NULL COLLATE pg_catalog."C",
    block bigint NOT NULL
);
CREATE TABLE events (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE labels (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE late (
    number integer NOT NULL,
    body bytea NOT NULL
);
ALTER TABLE ONLY late ALTER COLUMN body SET STORAGE PLAIN;
CREATE TABLE migrations (
    version integer NOT NULL,
    applied timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE owners (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE rounds (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE rules (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE runs (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE turns (
    seq bigint NOT NULL,
    id text COLLATE pg_catalog."C",
    w0 text COLLATE pg_catalog."C",
    w1 text COLLATE pg_catalog."C",
    w2 text COLLATE pg_catalog."C",
    w3 text COLLATE pg_catalog."C",
    w4 text COLLATE pg_catalog."C",
    w5 text COLLATE pg_catalog."C",
    w6 text COLLATE pg_catalog."C",
    body bytea NOT NULL
);
CREATE TABLE writer (
    number integer NOT NULL,
    session text NOT NULL
);
INSERT INTO approvals VALUES (1, 'id-1', 'run', 'waiting', NULL, NULL, NULL, NULL, NULL, '{"id":"id-1","entry":"entry-waits","digest":"bound","run":"run","turn":1,"tool":"bank.pay","tool_digest":"tool","arguments":{"to":"waits"},"why":"it is much","tenant":"acme","principal":"ana","state":"waiting","wait":86400000000000000,"requested":"2026-11-30T09:00:00Z","expires":"2029-08-26T09:00:00Z"}');
INSERT INTO approvals VALUES (2, 'id-2', 'run', 'approved', NULL, NULL, NULL, NULL, NULL, '{"id":"id-2","entry":"entry-granted","digest":"bound","run":"run","turn":1,"tool":"bank.pay","tool_digest":"tool","arguments":{"to":"granted"},"why":"it is much","tenant":"acme","principal":"ana","state":"approved","wait":86400000000000000,"requested":"2026-11-30T09:00:00Z","expires":"2029-08-26T09:00:00Z","decided_by":"boss","decided":"2026-11-30T09:00:00Z","reason":"as ever","saved":"id-3"}');
INSERT INTO budgets VALUES (1, '2791cd696a200da970e460e21bcbd38c7ada006dc7129d53ad2c040436612922', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"name":"payments","used":"1","at":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (1, 'entry-old', NULL, NULL, NULL, NULL, NULL, NULL, 'a5c0f90896fac6cae176bff37ae4680a5e98f94f', '{"id":"entry-old","tool":"","has_key":true,"key_digest":"a5c0f90896fac6cae176bff37ae4680a5e98f94f","pruned":"2026-11-30","state":"ok","fence":1,"proposed":"0001-01-01T00:00:00Z","event":3}', NULL, NULL, NULL);
INSERT INTO entries VALUES (2, 'entry-paid', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, '32530ddb2bf9bb1fa36137b625983871727a56b8', '{"id":"entry-paid","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"paid"},"arguments_digest":"digest of paid","key":"paid","has_key":true,"state":"ok","stage":"record","fence":1,"owner":"owner","outcome":{"status":"ok","result":{"json":{"receipt":9007199254740993}}},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z","event":5}', NULL, NULL, NULL);
INSERT INTO entries VALUES (3, 'entry-refused', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, '406c8d847236a28211286218b32fab00e5c6d0d4', '{"id":"entry-refused","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"refused"},"arguments_digest":"digest of refused","key":"refused","has_key":true,"state":"failed","stage":"record","fence":1,"owner":"owner","outcome":{"status":"failed","code":"no_effect"},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z","event":7}', 'failed', NULL, NULL);
INSERT INTO entries VALUES (4, 'entry-unknown', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, '115066a07618cacc636670c15149b0f061ee1956', '{"id":"entry-unknown","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"unknown"},"arguments_digest":"digest of unknown","key":"unknown","has_key":true,"state":"uncertain","stage":"record","fence":1,"owner":"owner","outcome":{"status":"uncertain","code":"timeout"},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z","event":9}', 'uncertain', '4:acme3:ana8:bank.pay17:digest of unknown', '4:acme3:run8:bank.pay');
INSERT INTO entries VALUES (5, 'entry-rejected', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, NULL, '{"id":"entry-rejected","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"rejected"},"arguments_digest":"digest of rejected","key":"rejected","state":"rejected","outcome":{"status":"rejected","code":"invalid_arguments","message":"it''s \\\\ not \\"so\\""},"proposed":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z","event":10}', 'rejected', NULL, NULL);
INSERT INTO entries VALUES (6, 'entry-waits', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, '7d93822c1024239fe2a7207feefa4f725cbf0208', '{"id":"entry-waits","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"waits"},"sealed":"eyJ0byI6ICJzZWFsZWQifQ==","arguments_digest":"digest of waits","key":"waits","has_key":true,"state":"pending","approval":"id-1","proposed":"2026-11-30T09:00:00Z","event":11}', 'pending', NULL, NULL);
INSERT INTO entries VALUES (7, 'entry-granted', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, 'a4a01ec3f99627fe19e9f1859bd06e7751bcfb18', '{"id":"entry-granted","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"granted"},"sealed":"eyJ0byI6ICJzZWFsZWQifQ==","arguments_digest":"digest of granted","key":"granted","has_key":true,"state":"pending","approval":"id-2","proposed":"2026-11-30T09:00:00Z","event":12}', 'pending', NULL, NULL);
INSERT INTO entries VALUES (8, 'entry-lost', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, 'f9a076097e597fd9af00069491532b012a65b87b', '{"id":"entry-lost","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"lost"},"arguments_digest":"digest of lost","key":"lost","has_key":true,"state":"started","fence":1,"owner":"owner","proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","event":15}', 'started', '4:acme3:ana8:bank.pay14:digest of lost', '4:acme3:run8:bank.pay');
INSERT INTO entry_tools VALUES ('bank.pay', 0);
INSERT INTO events VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":1,"entry":"entry-old","at":"2026-11-28T09:00:00Z","what":"started","who":"owner","fence":1,"content":"2a589a26401d51c42507cabfb8283e20674d1061a632dc7d3b2260d4b9eb1dfd","before":-1,"prev":"","hash":"ab2f5a1ebfaca2857854fafe17da1fa2d91b56cbe3b6ca34065e61a28552f2c5"}');
INSERT INTO events VALUES (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":2,"entry":"entry-old","at":"2026-11-28T09:00:00Z","what":"ok","who":"owner","fence":1,"content":"50182e15c36ac3bec99343368aabc1d06d5786c6bfce5fabc276dd17d8f6d491","before":1,"prev":"ab2f5a1ebfaca2857854fafe17da1fa2d91b56cbe3b6ca34065e61a28552f2c5","hash":"84bc5aeaacc8707fd087e42577dd6b9eb59c3aac4f4ab122287de4ca0f55557a"}');
INSERT INTO events VALUES (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":3,"entry":"entry-old","at":"2026-11-30T09:00:00Z","what":"pruned","who":"owner","fence":1,"content":"ae270ecb56d02d55d53001f3ffbb747b60fd33f170cca10f71b60435c48af360","before":2,"prev":"84bc5aeaacc8707fd087e42577dd6b9eb59c3aac4f4ab122287de4ca0f55557a","hash":"1225df287aeaec7c15580ce57ba98f608a01085f8301d3b737142ff28518ec7d"}');
INSERT INTO events VALUES (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":4,"entry":"entry-paid","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"cdfc87f8544ea120dc16f5184e1c5a6b09efe30eaa70b955b3fe06e1f231eafb","before":-1,"prev":"1225df287aeaec7c15580ce57ba98f608a01085f8301d3b737142ff28518ec7d","hash":"99367d40429b515619c39bd2ac4fa1f2e896e87166e6a332655d47ad314ecb1a"}');
INSERT INTO events VALUES (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":5,"entry":"entry-paid","at":"2026-11-30T09:00:00Z","what":"ok","who":"owner","fence":1,"content":"69130b089af312d961bf499ec99dbdb9626a18cc6f5be44be83e225c0f937ba2","before":4,"prev":"99367d40429b515619c39bd2ac4fa1f2e896e87166e6a332655d47ad314ecb1a","hash":"c21015ffd0e26ab68eefb1cdcaa587c37291b763e6cbc74dbfae579720e58a88"}');
INSERT INTO events VALUES (6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":6,"entry":"entry-refused","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"e1886b25abea6973e4579da8d2119b423285f48c5037761071bcec0d998b3700","before":-1,"prev":"c21015ffd0e26ab68eefb1cdcaa587c37291b763e6cbc74dbfae579720e58a88","hash":"03fa88c12d53ab89184957b5863ec075222cf289c1ec3ed9fefde20684600f35"}');
INSERT INTO events VALUES (7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":7,"entry":"entry-refused","at":"2026-11-30T09:00:00Z","what":"failed","who":"owner","fence":1,"content":"cc4b617281b19630132f78ac70204d014f98ee741584bf329a1c0f48f91badec","before":6,"prev":"03fa88c12d53ab89184957b5863ec075222cf289c1ec3ed9fefde20684600f35","hash":"aabe6dc9d2ecf3e3add0ea86d5b2bf4328d2627d99bd8d84806b5558e0434365"}');
INSERT INTO events VALUES (8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":8,"entry":"entry-unknown","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"1b7c76842e8e8a76118cbf29620d53ea0815d0d7e41de2f9dbd686c7890f693a","before":-1,"prev":"aabe6dc9d2ecf3e3add0ea86d5b2bf4328d2627d99bd8d84806b5558e0434365","hash":"db22967be1f300ebcd5ce3f4862a8ab562bcfe00844e27da1580a0fa0aa734ae"}');
INSERT INTO events VALUES (9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":9,"entry":"entry-unknown","at":"2026-11-30T09:00:00Z","what":"uncertain","who":"owner","fence":1,"content":"8dab9c35eb437309c4935df7d42fb4e8a4a9262fb55080b332f93f37d23ad0ff","before":8,"prev":"db22967be1f300ebcd5ce3f4862a8ab562bcfe00844e27da1580a0fa0aa734ae","hash":"7e5dea917eb0300c6285b14090f0fde15e78b29793e26162e706c47fa0e80c3b"}');
INSERT INTO events VALUES (10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":10,"entry":"entry-rejected","at":"2026-11-30T09:00:00Z","what":"rejected","who":"owner","content":"4ab6a97d741337a1ed73ead6af70b2c735cf86d4498c47ac360171d058a4bbde","before":-1,"prev":"7e5dea917eb0300c6285b14090f0fde15e78b29793e26162e706c47fa0e80c3b","hash":"cbf4098bcee76e0d99cc19f7617127fac3206ec7421b20df3a92e2d0a31767b3"}');
INSERT INTO events VALUES (11, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":11,"entry":"entry-waits","at":"2026-11-30T09:00:00Z","what":"approval_waiting","who":"owner","details":{"approval":"id-1","digest":"bound","row":"548aa5cd8a3a3f6f78e43c3b563237d4f822687a7b0968d49a7e037480f73ff3"},"content":"c5fbda896caefabaad219b989f3dbe84c743f11ee3d7e9dce2db51ab056580ba","before":-1,"prev":"cbf4098bcee76e0d99cc19f7617127fac3206ec7421b20df3a92e2d0a31767b3","hash":"9db014932fd157434acaf2aeceaf67294b47be6442de1b87fd172293dcaedcde"}');
INSERT INTO events VALUES (12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":12,"entry":"entry-granted","at":"2026-11-30T09:00:00Z","what":"approval_waiting","who":"owner","details":{"approval":"id-2","digest":"bound","row":"037bede66c7374ded9a5443ebc8384a07c829b8f4e4364527d7fdb8ea5d252a1"},"content":"e73c76e32bc8c136f28a39bed746fa78b49c69fbe2f5a301cf535b679ae4faf6","before":-1,"prev":"9db014932fd157434acaf2aeceaf67294b47be6442de1b87fd172293dcaedcde","hash":"ab54d954b00f71bf2970f7d4e885c1232acd2cc58af21e3ddc711ce78c434cdd"}');
INSERT INTO events VALUES (13, NULL, 'entry-granted', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":13,"entry":"entry-granted","at":"2026-11-30T09:00:00Z","what":"approval_approved","who":"boss","details":{"approval":"id-2","digest":"bound","reason":"as ever","row":"67c501ef35ab5d28d2577e2a61bef7b5feae7eb1de45614c07868b9df4ed41b2"},"prev":"ab54d954b00f71bf2970f7d4e885c1232acd2cc58af21e3ddc711ce78c434cdd","hash":"320a275ad4657036b8990b27e46234322874e7fbd7782944375970ee3c460c3e"}');
INSERT INTO events VALUES (14, NULL, 'entry-granted', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":14,"entry":"entry-granted","at":"2026-11-30T09:00:00Z","what":"rule_saved","who":"boss","details":{"rule":"id-3","row":"9b690c59af7377f56f61b76921f5098cc1024301d202adf74dfb54cfad5d7a9f"},"prev":"320a275ad4657036b8990b27e46234322874e7fbd7782944375970ee3c460c3e","hash":"bd1b22b7c8ac013451a7edf8afa76e8edf26b3d6d00c8f3ad015a48fbb0388c3"}');
INSERT INTO events VALUES (15, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"number":15,"entry":"entry-lost","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"bcc53a70cd00869c9b2afc9126a2e873a12da7663efadf1fc911425a74b30004","before":-1,"prev":"bd1b22b7c8ac013451a7edf8afa76e8edf26b3d6d00c8f3ad015a48fbb0388c3","hash":"4b12dab960708517e87d3c80ad0c46db10a2f56bed8516eddaf2793b322c75f0"}');
INSERT INTO labels VALUES (1, 'run', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"labels":["untrusted"]}');
INSERT INTO late VALUES (1, '\003\000\000\000\000\000\000\000\264\317\254\340\305\235\034\201\305\235\034\201\004\000\000\000\000\000\000\000$2\361.\017\346I\323\371<\233\230\005\000\000\000\000\000\000\000Gh\177\366\305\235\034\201\305\235\034\201\006\000\000\000\000\000\000\000<\177\277\231\305\235\034\201\305\235\034\201\007\000\000\000\000\000\000\000<\177\277\231\305\235\034\201\305\235\034\201\010\000\000\000\000\000\000\000\236[Y\200\022\311\254:\371<\233\230');
INSERT INTO migrations VALUES (1, '2026-11-30 21:18:01.543587+00');
INSERT INTO migrations VALUES (2, '2026-11-30 21:18:01.543587+00');
INSERT INTO migrations VALUES (3, '2026-11-30 21:18:01.543587+00');
INSERT INTO rounds VALUES (1, '3:run1:11:1', 'run', '3:run1:1', NULL, NULL, NULL, NULL, NULL, '{"run":"run","turn":1,"number":1,"api":"openai-chat","reply":"eyJhIjogIv8ifQ==","calls":[{"id":"call","name":"pay","kind":"function","arguments":"eyJ0byI6IDEuMH0=","complete":true}],"complete":true}');
INSERT INTO rules VALUES (1, 'id-3', '4:acme8:bank.pay', NULL, NULL, NULL, NULL, NULL, NULL, '{"id":"id-3","tool":"bank.pay","tool_digest":"tool","arguments":["to"],"tenant":"acme","approval":"id-2","saved_by":"boss","saved":"2026-11-30T09:00:00Z","lasts":86400000000000000,"expires":"2029-08-26T09:00:00Z"}');
INSERT INTO runs VALUES (1, 'run', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"id":"run","catalog":"bank","tenant":"acme","principal":"ana","created":"2026-11-28T09:00:00Z"}');
INSERT INTO turns VALUES (1, '3:run1:1', 'run', NULL, NULL, NULL, NULL, NULL, NULL, '{"run":"run","number":1,"message":"pay them","started":"2026-11-28T09:00:00Z"}');
INSERT INTO writer VALUES (1, 'PM6PLZENWPQ6ZO33IATTOPJ4RF');
ALTER TABLE ONLY approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY entry_tools
    ADD CONSTRAINT entry_tools_pkey PRIMARY KEY (tool, block);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY labels
    ADD CONSTRAINT labels_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY late
    ADD CONSTRAINT late_pkey PRIMARY KEY (number);
ALTER TABLE ONLY migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY owners
    ADD CONSTRAINT owners_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY rounds
    ADD CONSTRAINT rounds_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY writer
    ADD CONSTRAINT writer_pkey PRIMARY KEY (number);
CREATE UNIQUE INDEX approvals_id ON approvals USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX approvals_w0 ON approvals USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX approvals_w1 ON approvals USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE UNIQUE INDEX budgets_id ON budgets USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX entries_i3 ON entries USING btree (i3, seq) WHERE (i3 IS NOT NULL);
CREATE INDEX entries_i4 ON entries USING btree (i4, seq) WHERE (i4 IS NOT NULL);
CREATE INDEX entries_i5 ON entries USING btree (i5, seq) WHERE (i5 IS NOT NULL);
CREATE UNIQUE INDEX entries_id ON entries USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX entries_w0 ON entries USING btree (w0, seq, w1) WHERE (w0 IS NOT NULL);
CREATE INDEX entries_w6 ON entries USING btree (w6, seq) WHERE (w6 IS NOT NULL);
CREATE UNIQUE INDEX events_id ON events USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX events_w0 ON events USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE UNIQUE INDEX labels_id ON labels USING btree (id) WHERE (id IS NOT NULL);
CREATE UNIQUE INDEX owners_id ON owners USING btree (id) WHERE (id IS NOT NULL);
CREATE UNIQUE INDEX rounds_id ON rounds USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX rounds_w0 ON rounds USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX rounds_w1 ON rounds USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE UNIQUE INDEX rules_id ON rules USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX rules_w0 ON rules USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX rules_w1 ON rules USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE UNIQUE INDEX runs_id ON runs USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX runs_w0 ON runs USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE UNIQUE INDEX turns_id ON turns USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX turns_w0 ON turns USING btree (w0, seq) WHERE (w0 IS NOT NULL);
