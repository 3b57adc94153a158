// Versioned trees and selectors of npm, on the workload of pactdb_compare. Prints {"who","what","value"} a line, in
// nanoseconds and bytes.
//
// usage: node trees.mjs loro|automerge|css-select|unist-util-select TURNS.jsonl
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const TIMED = 100;
const REPEATS = 9;
const [who, file] = process.argv.slice(2);
const turns = fs.readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
// The packages lie beside the workload, not beside this script.
const require = createRequire(path.resolve(path.dirname(file), "..", "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));

const print = (what, value) => console.log(JSON.stringify({ who: names[who], what, value }));
const now = () => Number(process.hrtime.bigint());
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
function timed(work) {
  const start = now();
  work();
  return now() - start;
}
const repeat = (times, work) => median(Array.from({ length: times }, () => timed(work)));
const names = { loro: "Loro", automerge: "Automerge", "css-select": "css-select", "unist-util-select": "unist-util-select" };

function node(type, id, extra = {}) {
  return { nodeType: type, id, offset: 0, priority: 0, ...extra };
}

async function loro() {
  const { LoroDoc } = await load("loro-crdt");
  const doc = new LoroDoc();
  const tree = doc.getTree("tree");
  const seq = tree.createNode();
  const frontiers = [];
  const set = (made, fields) => Object.entries(fields).forEach(([name, value]) => made.data.set(name, value));
  const steps = turns.map((turn, i) =>
    timed(() => {
      const seg = seq.createNode();
      set(seg, node("seg", `seg:${i + 1}`));
      const core = seg.createNode();
      set(core, node("cont", `cont:${i + 1}.0`));
      turn.forEach(([role, kind, content], k) =>
        set(core.createNode(), node("block", `block:${i + 1}.${k + 1}`, { role, kind, content })));
      doc.commit();
      frontiers.push(doc.frontiers());
    }));
  print("step", median(steps.slice(-TIMED)));
  const last = frontiers.length - 1;
  print("diff", repeat(REPEATS, () => doc.diff(frontiers[last - 1], frontiers[last])));
  print("bytes", doc.export({ mode: "snapshot" }).length / turns.length);
  const middle = frontiers[Math.floor(turns.length / 2) - 1];
  print("read", repeat(3, () => {
    doc.checkout(middle);
    doc.getTree("tree").toJSON();
    doc.checkoutToLatest();
  }));
}

async function automerge() {
  const A = await load("@automerge/automerge");
  let doc = A.from({ turns: [] });
  const heads = [];
  const steps = turns.map((turn, i) =>
    timed(() => {
      doc = A.change(doc, (draft) => {
        const blocks = turn.map(([role, kind, content], k) =>
          node("block", `block:${i + 1}.${k + 1}`, { role, kind, content: new A.ImmutableString(content) }));
        draft.turns.push(node("seg", `seg:${i + 1}`, { core: node("cont", `cont:${i + 1}.0`, { blocks }) }));
      });
      heads.push(A.getHeads(doc));
    }));
  print("step", median(steps.slice(-TIMED)));
  const last = heads.length - 1;
  // A pair that was asked for is cached, so every question is a new one.
  let at = last;
  print("diff", repeat(3, () => A.diff(doc, heads[at - 1], heads[at--])));
  print("bytes", A.save(doc).length / turns.length);
  print("read", repeat(1, () => JSON.stringify(A.view(doc, heads[Math.floor(turns.length / 2) - 1]).turns.length)));
}

function questions(id) {
  const recent = (n) => `:nth-last-child(-n+${n})`;
  return [
    ["A", `[id='${id}']`, 1],
    ["B", "block[role='user']", 3 * turns.length],
    ["C", `seq > seg${recent(3)} block[role='user']`, 9],
    ["D", "seq seg cont > block[role='assistant']", null],
  ];
}

function ask(run) {
  const id = `block:${Math.floor(turns.length / 2)}.3`;
  for (const [what, selector, wanted] of questions(id)) {
    const { hits, work } = run(selector);
    if (wanted !== null && hits !== wanted) throw new Error(`${what}: ${hits} hits, not ${wanted}`);
    print(`${what} hits`, hits);
    work();
    print(what, repeat(REPEATS, work));
  }
}

async function cssSelect() {
  const { Element } = await load("domhandler");
  const CSS = await load("css-select");
  const link = (parent, children) => {
    parent.children = children;
    children.forEach((child, i) => {
      child.parent = parent;
      child.prev = children[i - 1] ?? null;
      child.next = children[i + 1] ?? null;
    });
    return parent;
  };
  const text = (fields) => Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, String(v)]));
  const element = (type, id, children, extra) => link(new Element(type, text(node(type, id, extra)), []), children);
  const segs = turns.map((turn, i) => element("seg", `seg:${i + 1}`, [element("cont", `cont:${i + 1}.0`,
    turn.map(([role, kind], k) => element("block", `block:${i + 1}.${k + 1}`, [], { role, kind })))]));
  const root = element("root", "root", [element("sys", "sys", []), element("seq", "seq", segs), element("ah", "ah", [])]);
  ask((selector) => {
    const compiled = CSS.compile(selector, { xmlMode: true });
    const work = () => CSS.selectAll(compiled, root, { xmlMode: true }).length;
    return { hits: work(), work };
  });
}

async function unist() {
  const { selectAll } = await load("unist-util-select");
  const element = (type, id, children, extra) => ({ type, ...node(type, id, extra), children });
  const segs = turns.map((turn, i) => element("seg", `seg:${i + 1}`, [element("cont", `cont:${i + 1}.0`,
    turn.map(([role, kind], k) => element("block", `block:${i + 1}.${k + 1}`, [], { role, kind })))]));
  const root = element("root", "root", [element("sys", "sys", []), element("seq", "seq", segs), element("ah", "ah", [])]);
  ask((selector) => {
    const work = () => selectAll(selector, root).length;
    return { hits: work(), work };
  });
}

await { loro, automerge, "css-select": cssSelect, "unist-util-select": unist }[who]();
