// Other tokenizers, timed: node token_reference.cjs FOLDER ENCODING TEXTS
//
// FOLDER is what tools/token_references.sh made; TEXTS holds texts, each its size in 4 bytes and its bytes. For each line
// of input, the name of a tokenizer, counts all texts once and prints the nanoseconds and the tokens.
const fs = require('fs');
const readline = require('readline');
const { createRequire } = require('module');
const [folder, name, path] = process.argv.slice(2);
const load = createRequire(folder + '/package.json');
const gpt = load('gpt-tokenizer/encoding/' + name);
const tiktoken = load('tiktoken').get_encoding(name);
const count = {
  // Special names are text for both, as for us.
  'gpt-tokenizer': (text) => gpt.countTokens(text, { disallowedSpecial: new Set() }),
  'tiktoken': (text) => tiktoken.encode_ordinary(text).length,
};
const data = fs.readFileSync(path);
const texts = [];
for (let at = 0; at < data.length;) {
  const size = data.readUInt32LE(at);
  texts.push(data.toString('utf8', at + 4, at + 4 + size));
  at += 4 + size;
}
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const start = process.hrtime.bigint();
  let tokens = 0;
  for (const text of texts) tokens += count[line](text);
  console.log(`${process.hrtime.bigint() - start} ${tokens}`);
});
