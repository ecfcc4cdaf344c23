-- Migrations are only appended. Numbers are kept as the decimal text that came.
CREATE TABLE foods (
	id             INTEGER PRIMARY KEY,
	name           TEXT NOT NULL,
	name_en        TEXT NOT NULL,
	energy_kcal    TEXT NOT NULL,
	carbohydrate_g TEXT NOT NULL,
	protein_g      TEXT NOT NULL,
	fat_g          TEXT NOT NULL
) STRICT;

CREATE TABLE exercises (
	id        INTEGER PRIMARY KEY,
	name      TEXT NOT NULL,
	name_en   TEXT NOT NULL,
	muscle    TEXT NOT NULL,
	muscle_en TEXT NOT NULL
) STRICT;

-- Which edition of the tables above is loaded.
CREATE TABLE editions (
	what   TEXT PRIMARY KEY,
	digest TEXT NOT NULL
) STRICT;

-- Every row of what people record holds the idempotency key of its call, so
-- that a write can be found again by it and never stands here twice.
CREATE TABLE meal_foods (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant  TEXT NOT NULL,
	person  TEXT NOT NULL,
	key     TEXT NOT NULL,
	day     TEXT NOT NULL,
	meal    TEXT NOT NULL,
	food_id INTEGER NOT NULL REFERENCES foods (id),
	grams   TEXT NOT NULL,
	UNIQUE (tenant, key)
) STRICT;
CREATE INDEX meal_foods_by_day ON meal_foods (tenant, person, day, meal);

-- The latest row of a measure counts; an older one is kept, never lost.
CREATE TABLE measurements (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant  TEXT NOT NULL,
	person  TEXT NOT NULL,
	key     TEXT NOT NULL,
	day     TEXT NOT NULL,
	measure TEXT NOT NULL,
	value   TEXT NOT NULL,
	UNIQUE (tenant, key, measure)
) STRICT;
CREATE INDEX measurements_by_day ON measurements (tenant, person, day);

CREATE TABLE routines (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant TEXT NOT NULL,
	person TEXT NOT NULL,
	key    TEXT NOT NULL,
	name   TEXT NOT NULL,
	UNIQUE (tenant, key)
) STRICT;

CREATE TABLE routine_sets (
	routine_id  INTEGER NOT NULL REFERENCES routines (id),
	exercise    INTEGER NOT NULL, -- place in the routine, from 0
	number      INTEGER NOT NULL, -- place in the exercise, from 0
	exercise_id INTEGER NOT NULL REFERENCES exercises (id),
	reps        INTEGER NOT NULL,
	weight_kg   TEXT,
	PRIMARY KEY (routine_id, exercise, number)
) STRICT;
