// What JSON.parse and JSON.stringify do with recorded conversations: nanoseconds to read the messages of all of them, then to
// write them.
//
// usage: node json_reference.mjs FILE   (a JSON array of objects with `traj`)
import { readFileSync } from "node:fs";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8")).map((one) => JSON.stringify(one.traj));
const began = process.hrtime.bigint();
const values = texts.map((text) => JSON.parse(text));
const read = process.hrtime.bigint();
let size = 0;
for (const value of values) size += JSON.stringify(value).length;
const written = process.hrtime.bigint();
if (size === 0) process.exit(1);
console.log(String(read - began), String(written - read));
