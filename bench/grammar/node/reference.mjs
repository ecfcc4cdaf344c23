// The reference tokenizations: reads texts as JSON strings, a line each, and
// writes the tokens of each as a JSON list: node reference.mjs qwen2_5|llama3_1
import { readFileSync } from "node:fs";

const { fromPreTrained } = await import("@lenml/tokenizer-" + process.argv[2]);
const tokenizer = fromPreTrained();
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (line) console.log(JSON.stringify(tokenizer.encode(JSON.parse(line), { add_special_tokens: false })));
}
