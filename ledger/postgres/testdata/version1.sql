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
CREATE TABLE entries (
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
INSERT INTO approvals VALUES (1, 'id-1', 'run', 'waiting', NULL, NULL, NULL, NULL, NULL, '{"id":"id-1","entry":"entry-waits","digest":"bound","run":"run","turn":1,"tool":"bank.pay","tool_digest":"tool","arguments":{"to":"waits"},"why":"it is much","tenant":"acme","principal":"ana","state":"waiting","wait":86400000000000000,"requested":"2026-11-30T09:00:00Z","expires":"2029-08-26T09:00:00Z"}');
INSERT INTO approvals VALUES (2, 'id-2', 'run', 'approved', NULL, NULL, NULL, NULL, NULL, '{"id":"id-2","entry":"entry-granted","digest":"bound","run":"run","turn":1,"tool":"bank.pay","tool_digest":"tool","arguments":{"to":"granted"},"why":"it is much","tenant":"acme","principal":"ana","state":"approved","wait":86400000000000000,"requested":"2026-11-30T09:00:00Z","expires":"2029-08-26T09:00:00Z","decided_by":"boss","decided":"2026-11-30T09:00:00Z","reason":"as ever"}');
INSERT INTO entries VALUES (1, 'entry-old', NULL, NULL, NULL, NULL, NULL, NULL, 'a5c0f90896fac6cae176bff37ae4680a5e98f94f', '{"id":"entry-old","tool":"","has_key":true,"key_digest":"a5c0f90896fac6cae176bff37ae4680a5e98f94f","pruned":"2026-11-30","state":"ok","fence":1,"proposed":"0001-01-01T00:00:00Z"}');
INSERT INTO entries VALUES (2, 'entry-paid', 'run', '\hex:72756e00310031', 'bank.pay', NULL, NULL, NULL, '32530ddb2bf9bb1fa36137b625983871727a56b8', '{"id":"entry-paid","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"paid"},"arguments_digest":"digest of paid","key":"paid","has_key":true,"state":"ok","stage":"record","fence":1,"owner":"owner","outcome":{"status":"ok","result":{"json":{"receipt":9007199254740993}}},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (3, 'entry-refused', 'run', '\hex:72756e00310031', 'bank.pay', 'failed', NULL, NULL, '406c8d847236a28211286218b32fab00e5c6d0d4', '{"id":"entry-refused","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"refused"},"arguments_digest":"digest of refused","key":"refused","has_key":true,"state":"failed","stage":"record","fence":1,"owner":"owner","outcome":{"status":"failed","code":"no_effect"},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (4, 'entry-unknown', 'run', '\hex:72756e00310031', 'bank.pay', 'uncertain', '4:acme3:ana8:bank.pay17:digest of unknown', '4:acme3:run8:bank.pay', '115066a07618cacc636670c15149b0f061ee1956', '{"id":"entry-unknown","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"unknown"},"arguments_digest":"digest of unknown","key":"unknown","has_key":true,"state":"uncertain","stage":"record","fence":1,"owner":"owner","outcome":{"status":"uncertain","code":"timeout"},"proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (5, 'entry-rejected', 'run', '\hex:72756e00310031', 'bank.pay', 'rejected', NULL, NULL, NULL, '{"id":"entry-rejected","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"rejected"},"arguments_digest":"digest of rejected","key":"rejected","state":"rejected","outcome":{"status":"rejected","code":"invalid_arguments","message":"it''s \\\\ not \\"so\\""},"proposed":"2026-11-30T09:00:00Z","end":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (6, 'entry-waits', 'run', '\hex:72756e00310031', 'bank.pay', 'pending', NULL, NULL, '7d93822c1024239fe2a7207feefa4f725cbf0208', '{"id":"entry-waits","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"waits"},"sealed":"eyJ0byI6ICJzZWFsZWQifQ==","arguments_digest":"digest of waits","key":"waits","has_key":true,"state":"pending","approval":"id-1","proposed":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (7, 'entry-granted', 'run', '\hex:72756e00310031', 'bank.pay', 'pending', NULL, NULL, 'a4a01ec3f99627fe19e9f1859bd06e7751bcfb18', '{"id":"entry-granted","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"granted"},"sealed":"eyJ0byI6ICJzZWFsZWQifQ==","arguments_digest":"digest of granted","key":"granted","has_key":true,"state":"pending","approval":"id-2","proposed":"2026-11-30T09:00:00Z"}');
INSERT INTO entries VALUES (8, 'entry-lost', 'run', '\hex:72756e00310031', 'bank.pay', 'started', '4:acme3:ana8:bank.pay14:digest of lost', '4:acme3:run8:bank.pay', 'f9a076097e597fd9af00069491532b012a65b87b', '{"id":"entry-lost","run":"run","turn":1,"round":1,"call_id":"call","tool":"bank.pay","tool_digest":"tool","effect":"write","tenant":"acme","principal":"ana","arguments":{"to":"lost"},"arguments_digest":"digest of lost","key":"lost","has_key":true,"state":"started","fence":1,"owner":"owner","proposed":"2026-11-30T09:00:00Z","started":"2026-11-30T09:00:00Z"}');
INSERT INTO events VALUES (1, NULL, 'entry-old', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":1,"entry":"entry-old","at":"2026-11-28T09:00:00Z","what":"started","who":"owner","fence":1,"content":"5b5460e073591879b9b63ada8dfb786b66b9dae2cb8fe4a359f3adc5a8ca4c5a","prev":"","hash":"e0cdd79edacc8317c94310d48efdcdd00a5d48ee7c91bfd747d7de3cea66bf50"}');
INSERT INTO events VALUES (2, NULL, 'entry-old', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":2,"entry":"entry-old","at":"2026-11-28T09:00:00Z","what":"ok","who":"owner","fence":1,"content":"9879cfcef7089e9db5b68ae250802922c743b29a2cd475dcb9717efef26bce59","prev":"e0cdd79edacc8317c94310d48efdcdd00a5d48ee7c91bfd747d7de3cea66bf50","hash":"69cb873eafbd96e16bbc22476ca9a9c2017d072cb133c2ebbb57eb6500dd62d1"}');
INSERT INTO events VALUES (3, NULL, 'entry-old', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":3,"entry":"entry-old","at":"2026-11-30T09:00:00Z","what":"pruned","who":"owner","fence":1,"content":"8cf767bbef8ff174243d9e9e9a72ff85db9bfbb24e14ec298de56f1f71dabf33","prev":"69cb873eafbd96e16bbc22476ca9a9c2017d072cb133c2ebbb57eb6500dd62d1","hash":"f06ea2b79ebb643ced209b20a05fb0553cfad85602c85cf038feed4ff5433cde"}');
INSERT INTO events VALUES (4, NULL, 'entry-paid', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":4,"entry":"entry-paid","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"c99b4a05c2ac868db0a440bf79796676481974e7e65159401f84e840fabd4125","prev":"f06ea2b79ebb643ced209b20a05fb0553cfad85602c85cf038feed4ff5433cde","hash":"3a5793ea87682771bfe83305d3d08027d814c489099fbe3e6ee2e596514f6521"}');
INSERT INTO events VALUES (5, NULL, 'entry-paid', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":5,"entry":"entry-paid","at":"2026-11-30T09:00:00Z","what":"ok","who":"owner","fence":1,"content":"7f301971d2dc368bc07e0610bc7866fab206ac9097bfd02544f81f9b5f9f913b","prev":"3a5793ea87682771bfe83305d3d08027d814c489099fbe3e6ee2e596514f6521","hash":"515d66c34605004106ed5b96838f7fc0a934a31856b987e4a273d3dc0b3b8151"}');
INSERT INTO events VALUES (6, NULL, 'entry-refused', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":6,"entry":"entry-refused","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"b12c5d5a428407f7eaf23b6796d9567948aadbe2c8b674eb0fc7d562887cf8b4","prev":"515d66c34605004106ed5b96838f7fc0a934a31856b987e4a273d3dc0b3b8151","hash":"3b1166f5af8f11085fbee5eba79bc52f1cb260ace7dd08a66dfa366277e9bec5"}');
INSERT INTO events VALUES (7, NULL, 'entry-refused', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":7,"entry":"entry-refused","at":"2026-11-30T09:00:00Z","what":"failed","who":"owner","fence":1,"content":"8abfeeca894a2c798c44eb7b6637dd02e76aec37ecef9943f79c67ba1428c19a","prev":"3b1166f5af8f11085fbee5eba79bc52f1cb260ace7dd08a66dfa366277e9bec5","hash":"ea83af7a3b9770ca40510771d622102c45355ed880eadae8923adfc4088bf232"}');
INSERT INTO events VALUES (8, NULL, 'entry-unknown', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":8,"entry":"entry-unknown","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"0d02fcef3f7a2fb5c1d8c6b5cac9da3a487a9035b45d727fb10a5253efe1eafe","prev":"ea83af7a3b9770ca40510771d622102c45355ed880eadae8923adfc4088bf232","hash":"90c82758ae4d16cf0794844313ebff2269e83298349b903fd8652924cb7599fe"}');
INSERT INTO events VALUES (9, NULL, 'entry-unknown', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":9,"entry":"entry-unknown","at":"2026-11-30T09:00:00Z","what":"uncertain","who":"owner","fence":1,"content":"6d39f1fe7c8563ee2e3cd151c5b797098b1992674669cee20523055f0d685658","prev":"90c82758ae4d16cf0794844313ebff2269e83298349b903fd8652924cb7599fe","hash":"53e30d8d61b2e8a50b0f369ae025841c63a936bebf38a2a505ba9cb7091ce8fd"}');
INSERT INTO events VALUES (10, NULL, 'entry-rejected', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":10,"entry":"entry-rejected","at":"2026-11-30T09:00:00Z","what":"rejected","who":"owner","content":"179acae608f343edcf7a469ec6c5cd88d399626aaa18c8566f66e124edcc9b3f","prev":"53e30d8d61b2e8a50b0f369ae025841c63a936bebf38a2a505ba9cb7091ce8fd","hash":"659aa55f30df1d2d61a48fdd6199d881dbbd2d004a9018383f35b78037f6a14f"}');
INSERT INTO events VALUES (11, NULL, 'entry-waits', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":11,"entry":"entry-waits","at":"2026-11-30T09:00:00Z","what":"approval_waiting","who":"owner","details":{"approval":"id-1","digest":"bound","row":"548aa5cd8a3a3f6f78e43c3b563237d4f822687a7b0968d49a7e037480f73ff3"},"content":"7a7adfbf45da70572f4b97016a6e2f7aac31b87ad9d932d447d942e3515c29b6","prev":"659aa55f30df1d2d61a48fdd6199d881dbbd2d004a9018383f35b78037f6a14f","hash":"f77cec7a868d108c268de88d365d094aef772b9f5a99b15568680e3773302e91"}');
INSERT INTO events VALUES (12, NULL, 'entry-granted', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":12,"entry":"entry-granted","at":"2026-11-30T09:00:00Z","what":"approval_waiting","who":"owner","details":{"approval":"id-2","digest":"bound","row":"037bede66c7374ded9a5443ebc8384a07c829b8f4e4364527d7fdb8ea5d252a1"},"content":"1990a20a8258de460e2afb33fc0815c001ff0e3af57a7734ba9224e4fa363606","prev":"f77cec7a868d108c268de88d365d094aef772b9f5a99b15568680e3773302e91","hash":"92b142ede1441cdeb71482e5ca1b6dcd6e853477fa5dcfb19b5921b920368fbb"}');
INSERT INTO events VALUES (13, NULL, 'entry-granted', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":13,"entry":"entry-granted","at":"2026-11-30T09:00:00Z","what":"approval_approved","who":"boss","details":{"approval":"id-2","digest":"bound","reason":"as ever","row":"ee8889ae537c0d9243d086531d92b6d3a19ed6bb5b2dd9d9ba12a12905e04a56"},"prev":"92b142ede1441cdeb71482e5ca1b6dcd6e853477fa5dcfb19b5921b920368fbb","hash":"1e03c1f8e22844504f46757f0c57bf3bf543031b4586221dd2c5fdf95c9c4bc0"}');
INSERT INTO events VALUES (14, NULL, 'entry-lost', NULL, NULL, NULL, NULL, NULL, NULL, '{"number":14,"entry":"entry-lost","at":"2026-11-30T09:00:00Z","what":"started","who":"owner","fence":1,"content":"5c1a850dbae8449f6be8f360799976ea176f734067cd8428c3c59efb1ce7db6d","prev":"1e03c1f8e22844504f46757f0c57bf3bf543031b4586221dd2c5fdf95c9c4bc0","hash":"ae143cb56d5d4ec9539d94016b4e39f60bd86c593607e18fdf0c50bc31b42b34"}');
INSERT INTO migrations VALUES (1, '2026-11-30 06:28:28.304095+00');
INSERT INTO rounds VALUES (1, '3:run1:11:1', 'run', '3:run1:1', NULL, NULL, NULL, NULL, NULL, '{"run":"run","turn":1,"number":1,"api":"openai-chat","reply":"eyJhIjogIv8ifQ==","calls":[{"id":"call","name":"pay","kind":"function","arguments":"eyJ0byI6IDEuMH0=","complete":true}],"complete":true}');
INSERT INTO runs VALUES (1, 'run', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"id":"run","catalog":"bank","tenant":"acme","principal":"ana","created":"2026-11-28T09:00:00Z"}');
INSERT INTO turns VALUES (1, '3:run1:1', 'run', NULL, NULL, NULL, NULL, NULL, NULL, '{"run":"run","number":1,"message":"pay them","started":"2026-11-28T09:00:00Z"}');
ALTER TABLE ONLY approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY owners
    ADD CONSTRAINT owners_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY rounds
    ADD CONSTRAINT rounds_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (seq);
CREATE UNIQUE INDEX approvals_id ON approvals USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX approvals_w0 ON approvals USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX approvals_w1 ON approvals USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE UNIQUE INDEX entries_id ON entries USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX entries_w0 ON entries USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX entries_w1 ON entries USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE INDEX entries_w2 ON entries USING btree (w2, seq) WHERE (w2 IS NOT NULL);
CREATE INDEX entries_w3 ON entries USING btree (w3, seq) WHERE (w3 IS NOT NULL);
CREATE INDEX entries_w4 ON entries USING btree (w4, seq) WHERE (w4 IS NOT NULL);
CREATE INDEX entries_w5 ON entries USING btree (w5, seq) WHERE (w5 IS NOT NULL);
CREATE INDEX entries_w6 ON entries USING btree (w6, seq) WHERE (w6 IS NOT NULL);
CREATE UNIQUE INDEX events_id ON events USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX events_w0 ON events USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE UNIQUE INDEX owners_id ON owners USING btree (id) WHERE (id IS NOT NULL);
CREATE UNIQUE INDEX rounds_id ON rounds USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX rounds_w0 ON rounds USING btree (w0, seq) WHERE (w0 IS NOT NULL);
CREATE INDEX rounds_w1 ON rounds USING btree (w1, seq) WHERE (w1 IS NOT NULL);
CREATE UNIQUE INDEX runs_id ON runs USING btree (id) WHERE (id IS NOT NULL);
CREATE UNIQUE INDEX turns_id ON turns USING btree (id) WHERE (id IS NOT NULL);
CREATE INDEX turns_w0 ON turns USING btree (w0, seq) WHERE (w0 IS NOT NULL);
