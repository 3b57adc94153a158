// The same as token_tool.cc, by npm tiktoken: node tiktoken_tool.cjs FOLDER ENCODING < texts > ids
// FOLDER is what tools/token_references.sh made.
const fs = require('fs');
const { createRequire } = require('module');
const [folder, name] = process.argv.slice(2);
const { get_encoding } = createRequire(folder + '/package.json')('tiktoken');
const encoding = get_encoding(name);
const texts = fs.readFileSync(0);
const out = [];
for (let at = 0; at < texts.length;) {
  const size = texts.readUInt32LE(at);
  const ids = encoding.encode_ordinary(texts.toString('utf8', at + 4, at + 4 + size));
  out.push(Buffer.from(Uint32Array.of(ids.length).buffer), Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength));
  at += 4 + size;
}
fs.writeFileSync(1, Buffer.concat(out));
