// Reads lines {"format", "body"} and says of each whether the vendor's type takes it: null, or what is wrong.
//
// usage: node validate.mjs FOLDER       the folder has node_modules/ and the schemas, NAME.json
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { resolve } from "node:path";

const folder = resolve(process.argv[2]);
const Ajv = createRequire(`${folder}/`)("ajv");
const names = { "openai-chat": "OpenAiChat", "openai-responses": "OpenAiResponses", anthropic: "Anthropic", gemini: "Gemini" };
const checks = {};

function check(format) {
  if (!checks[format]) {
    const schema = JSON.parse(readFileSync(`${folder}/${names[format]}.json`, "utf8"));
    checks[format] = new Ajv({ strict: false, allErrors: false, validateFormats: false, logger: false }).compile(schema);
  }
  return checks[format];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { format, body } = JSON.parse(line);
  const validate = check(format);
  const errors = validate(body) ? null : validate.errors.slice(-6).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
  console.log(JSON.stringify(errors));
}
