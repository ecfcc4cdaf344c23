// Answers JSON lines on stdin: verdicts of Ajv for the differential test, and
// timings for the comparison of speed. One line in, one line out.
import { createInterface } from "node:readline";
import Ajv from "ajv";
import Ajv2019 from "ajv/dist/2019.js";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createRequire } from "node:module";

const draft6 = createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json");
const kinds = { "7": Ajv, "6": Ajv, "2019-09": Ajv2019, "2020-12": Ajv2020 };

function make(draft, formats, remotes) {
  const ajv = new kinds[draft]({ allErrors: true, strict: false, logger: false, validateFormats: formats });
  if (formats) addFormats(ajv);
  if (draft === "6") ajv.addMetaSchema(draft6);
  for (const [address, text] of Object.entries(remotes)) {
    try {
      ajv.addSchema(JSON.parse(text), address);
    } catch {
      // a document of another draft
    }
  }
  return ajv;
}

let remotes = {};
let instance = null;
let left = 0;
const compiled = new Map();

function verdicts({ schema, draft, formats, fresh, instances }) {
  try {
    const key = draft + formats;
    if (instance?.key !== key || left-- <= 0 || fresh) {
      instance = { key, ajv: make(draft, formats, fresh ? remotes : {}) };
      left = 50;
    }
    const validate = instance.ajv.compile(JSON.parse(schema));
    return { valid: instances.map((text) => validate(JSON.parse(text))) };
  } catch (e) {
    instance = null;
    return { valid: null, error: String(e.message ?? e) };
  }
}

function time({ name, text, count }) {
  const validate = compiled.get(name);
  const start = process.hrtime.bigint();
  let ok = 0;
  for (let i = 0; i < count; i++) if (validate(JSON.parse(text))) ok++;
  return { ns: Number(process.hrtime.bigint() - start) / count, ok };
}

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer = {};
  if (ask.op === "remotes") remotes = ask.remotes;
  else if (ask.op === "verdicts") answer = verdicts(ask);
  else if (ask.op === "compile") compiled.set(ask.name, make("2020-12", true, {}).compile(JSON.parse(ask.schema)));
  else if (ask.op === "time") answer = time(ask);
  process.stdout.write(JSON.stringify(answer) + "\n");
}
