// The whole answers of one session: every member of each, in its order. What they mean is said by
// the conformance cases.
#include <gtest/gtest.h>
#include <pactdb/exec.h>

#include <string_view>

namespace pactdb {
namespace {

struct Step {
  std::string_view request;
  std::string_view answer;
};

// clang-format off
constexpr Step kSession[] = {
    {R"J({"op":"configure","clock":{"start_ns":1000,"step_ns":1},"encoding":"estimate","policy":{)J"
     R"J("max_turns":3}})J",
     R"J({"ok":true,"result":{"dialect":"canonical","clock":{"start_ns":1000,"step_ns":1},"ids":")J"
     R"J(counter","policy":{"max_nodes":null,"max_turns":3,"max_tokens":null,"protect_recent_turn)J"
     R"J(s":0,"prune_regions":["seq"],"regions":{},"strict":false},"authorize_sys":true,"odi":"de)J"
     R"J(mote","durability":"full","journal":"off","encoding":"estimate"}})J"},
    {R"J({"op":"add","parent":"^sys","node":{"id":"s","role":"system","content":"Be brief. It is )J"
     R"J(2026-11-15."}})J",
     R"J({"ok":true,"result":{"id":"s","cycle":1}})J"},
    {R"J({"op":"add","parent":"^sys","node":"block:text { key='hero', content='named' } +a +b"})J",
     R"J({"ok":true,"result":{"id":"block:1.1","cycle":1}})J"},
    {R"J({"op":"add","node":{"id":"u1","role":"user","content":"Weather?","data_n":[1,{"b":null}])J"
     R"J(},"tag":7})J",
     R"J({"ok":true,"result":{"id":"u1","cycle":1},"tag":7})J"},
    {R"J({"op":"add","node":{"id":"c1","role":"assistant","kind":"call","data_call_id":"k","data_)J"
     R"J(name":"look","content":{"at":"Oslo"}}})J",
     R"J({"ok":true,"result":{"id":"c1","cycle":1}})J"},
    {R"J({"op":"add","node":{"id":"r1","role":"tool","kind":"result","data_call_id":"k","content")J"
     R"J(:"rain"}})J",
     R"J({"ok":true,"result":{"id":"r1","cycle":1}})J"},
    {R"J({"op":"add","parent":"^ah","node":{"id":"g","nodeType":"cont","offset":1,"ttl":1,"priori)J"
     R"J(ty":2}})J",
     R"J({"ok":true,"result":{"id":"g","cycle":1}})J"},
    {R"J({"op":"add","parent":"g","node":{"id":"in","content":"x","removable":true}})J",
     R"J({"ok":true,"result":{"id":"in","cycle":1}})J"},
    {R"J({"op":"add","at":"(d0, cont[offset=0], end)","node":{"id":"last","content":"l"}})J",
     R"J({"ok":true,"result":{"id":"last","cycle":1}})J"},
    {R"J({"op":"update","id":"u1","set":{"content":"Weather in Oslo?","tags":["t"]}})J",
     R"J({"ok":true,"result":{"id":"u1"}})J"},
    {R"J({"op":"replace","id":"last","node":{"id":"last2","content":"m"}})J",
     R"J({"ok":true,"result":{"id":"last2","replaced":"last"}})J"},
    {R"J({"op":"pin","id":"r1"})J",
     R"J({"ok":true,"result":{"id":"r1","pinned":true}})J"},
    {R"J({"op":"unpin","id":"r1"})J",
     R"J({"ok":true,"result":{"id":"r1","pinned":false}})J"},
    {R"J({"op":"move","id":"last2","offset":2})J",
     R"J({"ok":true,"result":{"id":"last2"}})J"},
    {R"J({"op":"get","id":"u1"})J",
     R"J({"ok":true,"result":{"id":"u1","nodeType":"block","parent_id":"cont:1.2","depth":0,"offs)J"
     R"J(et":0,"ttl":null,"priority":0,"cycle":1,"created_at_ns":1003,"created_at_iso":"1970-01-0)J"
     R"J(1T00:00:00.000001003Z","creation_index":3,"role":"user","content":"Weather in Oslo?","da)J"
     R"J(ta_n":[1,{"b":null}],"tags":["t"],"content_hash":"188de00787e8109fea0a9261d761a205254b6b)J"
     R"J(f31a351a14313b882c0cce79ad"}})J"},
    {R"J({"op":"get","id":"nobody"})J",
     R"J({"ok":false,"error":{"code":"E_NODE_NOT_FOUND","message":"there is no node 'nobody' in t)J"
     R"J(he working state","details":{"id":"nobody"}}})J"},
    {R"J({"op":"commit","idempotency_key":"first"})J",
     R"J({"ok":true,"result":{"cycle":1,"sealed":"seg:1","durable":false,"expired":[],"cascaded":)J"
     R"J([],"pruned":[],"deferred":[],"materialized":[],"thread_sha256":"ac675a7f23c57256272c1da1)J"
     R"J(8f965f29e66f3640a85eb2c901dbea42e9d76b8f","tree_sha256":"63daaee90d2fe05ea21a46b37e41b42)J"
     R"J(2184c7567b4271d95f856ddccdb4c453a"}})J"},
    {R"J({"op":"commit","idempotency_key":"first"})J",
     R"J({"ok":true,"result":{"cycle":1,"sealed":"seg:1","durable":false,"expired":[],"cascaded":)J"
     R"J([],"pruned":[],"deferred":[],"materialized":[],"thread_sha256":"ac675a7f23c57256272c1da1)J"
     R"J(8f965f29e66f3640a85eb2c901dbea42e9d76b8f","tree_sha256":"63daaee90d2fe05ea21a46b37e41b42)J"
     R"J(2184c7567b4271d95f856ddccdb4c453a"}})J"},
    {R"J({"op":"commit","expect_cycle":1})J",
     R"J({"ok":false,"error":{"code":"E_CONFLICT","message":"the open cycle is 2, not 1","details)J"
     R"J(":{"expected":1,"open":2}}})J"},
    {R"J({"op":"add","node":{"id":"u2","role":"user","content":"Thanks"}})J",
     R"J({"ok":true,"result":{"id":"u2","cycle":2}})J"},
    {R"J({"op":"update","id":"s","set":{"content":"Be brief. It is 2026-11-16."}})J",
     R"J({"ok":true,"result":{"id":"s"}})J"},
    {R"J({"op":"commit","expect_cycle":2})J",
     R"J({"ok":true,"result":{"cycle":2,"sealed":"seg:2","durable":false,"expired":["g","in"],"ca)J"
     R"J(scaded":[],"pruned":[],"deferred":[],"materialized":[],"thread_sha256":"213669cf7396761b)J"
     R"J(325bde89259b70e44bba816d98d0877be25c61b1e1125668","tree_sha256":"3f5f6eafd0fd0b2706f9811)J"
     R"J(f3ed73f5aacccba494358e1abef71a153f6b3b948"}})J"},
    {R"J({"op":"add","node":{"id":"u3","role":"user","content":"Bye"}})J",
     R"J({"ok":true,"result":{"id":"u3","cycle":3}})J"},
    {R"J({"op":"add","parent":"seg:2","node":{"id":"late","offset":1,"content":"p"}})J",
     R"J({"ok":true,"result":{"id":"late","cycle":3}})J"},
    {R"J({"op":"remove","selector":"#last2"})J",
     R"J({"ok":false,"error":{"code":"E_SEALED","message":"'last2' is or lies in a sealed core",")J"
     R"J(details":{"id":"last2"}}})J"},
    {R"J({"op":"commit","hashes":false})J",
     R"J({"ok":true,"result":{"cycle":3,"sealed":"seg:3","durable":false,"expired":[],"cascaded":)J"
     R"J([],"pruned":[],"deferred":[],"materialized":[],"tree_sha256":"dd2f477a65c2117a6e7adbaab9)J"
     R"J(48927fd364d9d2098fddf2a0aa19957edff6fb"}})J"},
    {R"J({"op":"get","id":"u1","at":"@c1"})J",
     R"J({"ok":true,"result":{"id":"u1","nodeType":"block","parent_id":"cont:1.2","depth":1,"offs)J"
     R"J(et":0,"ttl":null,"priority":0,"cycle":1,"created_at_ns":1003,"created_at_iso":"1970-01-0)J"
     R"J(1T00:00:00.000001003Z","creation_index":3,"role":"user","content":"Weather in Oslo?","da)J"
     R"J(ta_n":[1,{"b":null}],"tags":["t"],"content_hash":"188de00787e8109fea0a9261d761a205254b6b)J"
     R"J(f31a351a14313b882c0cce79ad"}})J"},
    {R"J({"op":"get","id":"g","at":"@c1"})J",
     R"J({"ok":true,"result":{"id":"g","nodeType":"cont","parent_id":"seg:1","depth":1,"offset":1)J"
     R"J(,"ttl":0,"priority":2,"cycle":1,"created_at_ns":1006,"created_at_iso":"1970-01-01T00:00:)J"
     R"J(00.000001006Z","creation_index":6,"content_hash":"3d81012112ce288f5f9061f4973ab485bbe28d)J"
     R"J(04ce7989ab351215f75d5a2058"}})J"},
    {R"J({"op":"log"})J",
     R"J({"ok":true,"result":[{"cycle":3,"committed_at_iso":"1970-01-01T00:00:00.000001017Z","add)J"
     R"J(ed":4,"removed":0,"changed":0,"nodes":15,"tokens":null,"tags":[]},{"cycle":2,"committed_)J"
     R"J(at_iso":"1970-01-01T00:00:00.000001013Z","added":3,"removed":2,"changed":1,"nodes":11,"t)J"
     R"J(okens":null,"tags":[]},{"cycle":1,"committed_at_iso":"1970-01-01T00:00:00.000001010Z","a)J"
     R"J(dded":10,"removed":0,"changed":0,"nodes":10,"tokens":null,"tags":[]}]})J"},
    {R"J({"op":"log","limit":1,"hashes":true,"tokens":true})J",
     R"J({"ok":true,"result":[{"cycle":3,"committed_at_iso":"1970-01-01T00:00:00.000001017Z","add)J"
     R"J(ed":4,"removed":0,"changed":0,"nodes":15,"tokens":73,"tags":[],"thread_sha256":"51c2b2df)J"
     R"J(d0efbb8c54f0996a5440fd1ab4c52cfaca786b0ca834862735faf36a"}]})J"},
    {R"J({"op":"log","limit":1,"cursor":3})J",
     R"J({"ok":true,"result":[{"cycle":2,"committed_at_iso":"1970-01-01T00:00:00.000001013Z","add)J"
     R"J(ed":3,"removed":2,"changed":1,"nodes":11,"tokens":null,"tags":[]}]})J"},
    {R"J({"op":"life","id":"g"})J",
     R"J({"ok":true,"result":[{"cycle":1,"event":"born","fields":[],"why":"added"},{"cycle":1,"ev)J"
     R"J(ent":"sealed","fields":[],"why":"in seg:1"},{"cycle":2,"event":"expired","fields":[],"wh)J"
     R"J(y":"its ttl ended"}]})J"},
    {R"J({"op":"life","id":"s"})J",
     R"J({"ok":true,"result":[{"cycle":1,"event":"born","fields":[],"why":"added"},{"cycle":2,"ev)J"
     R"J(ent":"changed","fields":["content_hash"],"why":"by hand"}]})J"},
    {R"J({"op":"life","id":"nobody"})J",
     R"J({"ok":false,"error":{"code":"E_NODE_NOT_FOUND","message":"no snapshot and not the workin)J"
     R"J(g state had a node 'nobody'","details":{"id":"nobody"}}})J"},
    {R"J({"op":"select","selector":"@t0 .block"})J",
     R"J({"ok":true,"result":["s","block:1.1","u3","u2","late","u1","c1","r1","last2"]})J"},
    {R"J({"op":"select","selector":"@t0 .block","skip":1,"limit":2})J",
     R"J({"ok":true,"result":["block:1.1","u3"]})J"},
    {R"J({"op":"select","selector":"@t0 .block","where":"^sys"})J",
     R"J({"ok":true,"result":["s","block:1.1"]})J"},
    {R"J({"op":"select","selector":"@c1..@c3 .block"})J",
     R"J({"ok":true,"result":{"query":"@c1..@c3 .block","snapshots":[{"kind":"c","value":3,"label)J"
     R"J(":"@c3","cycle":3},{"kind":"c","value":2,"label":"@c2","cycle":2},{"kind":"c","value":1,)J"
     R"J("label":"@c1","cycle":1}],"diffs":[{"from":{"kind":"c","value":3,"label":"@c3","cycle":3)J"
     R"J(},"to":{"kind":"c","value":2,"label":"@c2","cycle":2},"added_ids":["u3","late"],"removed)J"
     R"J(_ids":[],"changed":[],"stats":{"added":2,"removed":0,"changed":0}},{"from":{"kind":"c",")J"
     R"J(value":2,"label":"@c2","cycle":2},"to":{"kind":"c","value":1,"label":"@c1","cycle":1},"a)J"
     R"J(dded_ids":["u2"],"removed_ids":["in"],"changed":[{"id":"s","fields":["content_hash"],"de)J"
     R"J(lta":{"content_hash":{"from":"584dac0ff2266935433c994be1fcedd2f4891129a9ccc47306dcc9c728)J"
     R"J(72f7b5","to":"a0ab1e5dcac1f11a33730c0bd1e4de366da3739181f8379e6267de3392186371"}}}],"sta)J"
     R"J(ts":{"added":1,"removed":1,"changed":1}}],"mode":"pairwise"}})J"},
    {R"J({"op":"select","selector":"@c1..@c3 .block","includeContent":true,"materialize":["conten)J"
     R"J(t"],"maxSnapshots":2,"maxChangesPerSnapshot":1})J",
     R"J({"ok":true,"result":{"query":"@c1..@c3 .block","snapshots":[{"kind":"c","value":3,"label)J"
     R"J(":"@c3","cycle":3},{"kind":"c","value":2,"label":"@c2","cycle":2}],"diffs":[{"from":{"ki)J"
     R"J(nd":"c","value":3,"label":"@c3","cycle":3},"to":{"kind":"c","value":2,"label":"@c2","cyc)J"
     R"J(le":2},"added_ids":["u3"],"removed_ids":[],"changed":[],"stats":{"added":2,"removed":0,")J"
     R"J(changed":0}}],"mode":"pairwise","limits":{"maxSnapshots":2,"maxChangesPerSnapshot":1,"tr)J"
     R"J(uncated":true},"errors":[{"code":"E_SNAPSHOT_RANGE_LIMIT","message":"the range spans mor)J"
     R"J(e snapshots than maxSnapshots","fatal":false}]}})J"},
    {R"J({"op":"select","selector":"@c1..@c2 #s","includeContent":tru)J"
     R"J(e,"materialize":["content"]})J",
     R"J({"ok":true,"result":{"query":"@c1..@c2 #s","snapshots":[{"kind":"c","value":2,"label":"@)J"
     R"J(c2","cycle":2},{"kind":"c","value":1,"label":"@c1","cycle":1}],"diffs":[{"from":{"kind":)J"
     R"J("c","value":2,"label":"@c2","cycle":2},"to":{"kind":"c","value":1,"label":"@c1","cycle":)J"
     R"J(1},"added_ids":[],"removed_ids":[],"changed":[{"id":"s","fields":["content_hash"],"delta)J"
     R"J(":{"content_hash":{"from":"584dac0ff2266935433c994be1fcedd2f4891129a9ccc47306dcc9c72872f)J"
     R"J(7b5","to":"a0ab1e5dcac1f11a33730c0bd1e4de366da3739181f8379e6267de3392186371"}},"content_)J"
     R"J(diff":{"mode":"unified","summary":{"bytesNewer":27,"bytesOlder":27,"identical":false,"tr)J"
     R"J(uncated":false},"diff":"--- older(@c1)/s\n+++ newer(@c2)/s\n@@ -1 +1 @@\n-Be brief. It i)J"
     R"J(s 2026-11-15.\n\\ No newline at end of file\n+Be brief. It is 2026-11-16.\n\\ No newline)J"
     R"J( at end of file\n"},"materialized":{"from":{"content":"Be brief. It is 2026-11-16."},"to)J"
     R"J(":{"content":"Be brief. It is 2026-11-15."}}}],"stats":{"added":0,"removed":0,"changed":)J"
     R"J(1}}],"mode":"pairwise"}})J"},
    {R"J({"op":"explain","selector":"@t0 ^seq .seg:depth(1-2) .block[role=user]"})J",
     R"J({"ok":true,"result":{"tokens":[{"kind":"time","text":"@t0","pos":0},{"kind":"root","text)J"
     R"J(":"^seq","pos":4},{"kind":"type","text":".seg","pos":9},{"kind":"pseudo","text":":depth")J"
     R"J(,"pos":13},{"kind":"punctuation","text":"(","pos":19},{"kind":"number","text":"1","pos":)J"
     R"J(20},{"kind":"operator","text":"-","pos":21},{"kind":"number","text":"2","pos":22},{"kind)J"
     R"J(":"punctuation","text":")","pos":23},{"kind":"type","text":".block","pos":25},{"kind":"p)J"
     R"J(unctuation","text":"[","pos":31},{"kind":"word","text":"role","pos":32},{"kind":"operato)J"
     R"J(r","text":"=","pos":36},{"kind":"word","text":"user","pos":37},{"kind":"punctuation","te)J"
     R"J(xt":"]","pos":41}],"ast":{"dialect":"canonical","time":"@t0","groups":[{"form":"chain",")J"
     R"J(steps":[{"relation":"anywhere","parts":["region=seq"]},{"relation":"descendant","parts":)J"
     R"J(["type=seg","in=depth(1..2)"]},{"relation":"descendant","parts":["type=block","role='use)J"
     R"J(r'"]}]}],"controls":""},"canonical":"@t0 ^seq .seg:depth(1..2) .block[role='user']","pla)J"
     R"J(n":[["fixed","window depth(1..2)","scan"]],"cost":{"looks_at":["reach"]}}})J"},
    {R"J({"op":"diff","from":"@c1","to":"@c2"})J",
     R"J({"ok":true,"result":{"added":["seg:2","cont:2.0","u2"],"removed":["g","in"],"changed":[{)J"
     R"J("id":"s","fields":["content_hash"]}]}})J"},
    {R"J({"op":"diff","from":"@c2","to":"@c3","detail":true,"selector":"#late"})J",
     R"J({"ok":true,"result":{"added":["late"],"removed":[],"changed":[],"components_added":[{"po)J"
     R"J(sition":1,"leaf":true,"node":{"id":"late","nodeType":"block","parent_id":"seg:2","depth")J"
     R"J(:2,"offset":1,"ttl":null,"priority":0,"cycle":3,"created_at_ns":1016,"created_at_iso":"1)J"
     R"J(970-01-01T00:00:00.000001016Z","creation_index":2,"content":"p","content_hash":"d1a20119)J"
     R"J(037aed753bec6c8a6be7f77f426bafa4d17d825d62d0f668d1ce735e"}}],"components_removed":[],"co)J"
     R"J(mponents_modified":[],"children":[{"id":"seg:2","children_added":["late"],"children_remo)J"
     R"J(ved":[]}]}})J"},
    {R"J({"op":"diff","from":"@c1","to":"@c3","moves":true,"selector":".block"})J",
     R"J({"ok":true,"result":{"added":["u3","u2","late"],"removed":["in"],"changed":[{"id":"s","f)J"
     R"J(ields":["content_hash"]}],"moves":[]}})J"},
    {R"J({"op":"tag","name":"good","at":"@c2"})J",
     R"J({"ok":true,"result":{"name":"good","cycle":2}})J"},
    {R"J({"op":"fork","at":"good","name":"other"})J",
     R"J({"ok":true,"result":{"context":"other","cycle":2,"shared_prefix_bytes":405}})J"},
    {R"J({"op":"contexts","action":"list"})J",
     R"J({"ok":true,"result":[{"name":"main","cycle":3,"snapshots":3,"nodes":15,"bytes":0},{"name)J"
     R"J(":"other","cycle":2,"snapshots":2,"nodes":11,"bytes":0}]})J"},
    {R"J({"op":"contexts","action":"rename","name":"other","to":"third"})J",
     R"J({"ok":true,"result":[{"name":"main","cycle":3,"snapshots":3,"nodes":15,"bytes":0},{"name)J"
     R"J(":"third","cycle":2,"snapshots":2,"nodes":11,"bytes":0}]})J"},
    {R"J({"op":"diff","from":"@c3","to":"third@t0"})J",
     R"J({"ok":true,"result":{"added":[],"removed":["seg:3","cont:3.0","u3","late"],"changed":[]})J"
     R"J(})J"},
    {R"J({"op":"contexts","action":"delete","name":"third"})J",
     R"J({"ok":true,"result":[{"name":"main","cycle":3,"snapshots":3,"nodes":15,"bytes":0}]})J"},
    {R"J({"op":"contexts","action":"keep"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"action must be list, rename o)J"
     R"J(r delete","details":{"argument":"action"}}})J"},
    {R"J({"op":"contexts","action":"list","name":"x"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"contexts list takes no 'name')J"
     R"J(","details":{"argument":"name"}}})J"},
    {R"J({"op":"contexts","action":"rename","name":"x"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"missing argument 'to'","detai)J"
     R"J(ls":{"argument":"to"}}})J"},
    {R"J({"op":"tag","name":"good"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"missing argument 'at'","detai)J"
     R"J(ls":{"argument":"at"}}})J"},
    {R"J({"op":"tag","name":"good","delete":true})J",
     R"J({"ok":true,"result":{"name":"good","cycle":2}})J"},
    {R"J({"op":"render"})J",
     R"J({"ok":true,"result":{"format":"thread","body":"[{\"id\":\"s\",\"role\":\"system\",\"cont)J"
     R"J(ent\":\"Be brief. It is 2026-11-16.\"},{\"id\":\"block:1.1\",\"role\":\"system\",\"kind\)J"
     R"J(":\"text\",\"content\":\"named\"},{\"id\":\"u2\",\"role\":\"user\",\"content\":\"Thanks\)J"
     R"J("},{\"id\":\"late\",\"role\":\"user\",\"content\":\"p\"},{\"id\":\"u3\",\"role\":\"user\)J"
     R"J(",\"content\":\"Bye\"}]","sha256":"7fad9d3a5302a00166cc5ca120ad5eb9b363076414bab243d66be)J"
     R"J(50366711d59","bytes":264}})J"},
    {R"J({"op":"tokens"})J",
     R"J({"ok":true,"result":{"encoding":"estimate","by_region":{"sys":27,"seq":46,"ah":0},"total)J"
     R"J(":73,"exact":false,"estimated_nodes":9,"message_tokens":4}})J"},
    {R"J({"op":"tokens","at":"@c1","selector":".block[role=user]"})J",
     R"J({"ok":true,"result":{"encoding":"estimate","by_node":{"u1":8},"total":8,"exact":false,"e)J"
     R"J(stimated_nodes":1,"message_tokens":4}})J"},
    {R"J({"op":"simulate","cycles":2,"growth":9})J",
     R"J({"ok":true,"result":{"growth":9,"cycles":[{"cycle":4,"added":"block:4.1","nodes":14,"tok)J"
     R"J(ens":55,"expired":[],"cascaded":[],"pruned":["u1","c1","r1","last2"],"deferred":[],"mate)J"
     R"J(rialized":[]},{"cycle":5,"added":"block:5.1","nodes":15,"tokens":53,"expired":[],"cascad)J"
     R"J(ed":[],"pruned":["u2","late"],"deferred":[],"materialized":[]}],"broken":null}})J"},
    {R"J({"op":"check"})J",
     R"J({"ok":true,"result":{"ok":true,"findings":[]}})J"},
    {R"J({"op":"cache"})J",
     R"J({"ok":true,"result":{"format":"thread","from":"@c2","to":"@c3","common_prefix_bytes":405)J"
     R"J(,"common_prefix_tokens":125,"total_bytes":490,"total_tokens":151,"exact":false,"from_byt)J"
     R"J(es":406,"appended":true,"lost_tokens":0,"first_difference":{"byte":405,"id":"late","reas)J"
     R"J(on":"added"},"anthropic":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":)J"
     R"J(151,"cost":151},"openai":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":)J"
     R"J(151,"cost":151},"pairs":[{"from":"@c2","to":"@c3","common_prefix_bytes":405,"common_pref)J"
     R"J(ix_tokens":125,"total_bytes":490,"total_tokens":151,"exact":false,"from_bytes":406,"appe)J"
     R"J(nded":true,"lost_tokens":0,"first_difference":{"byte":405,"id":"late","reason":"added"},)J"
     R"J("anthropic":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":151,"cost":15)J"
     R"J(1},"openai":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":151,"cost":15)J"
     R"J(1}},{"from":"@c1","to":"@c2","common_prefix_bytes":63,"common_prefix_tokens":25,"total_b)J"
     R"J(ytes":406,"total_tokens":126,"exact":false,"from_bytes":401,"appended":false,"lost_token)J"
     R"J(s":100,"first_difference":{"byte":63,"id":"s","reason":"changed","fields":["content_hash)J"
     R"J("]},"anthropic":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":126,"cost)J"
     R"J(":126},"openai":{"family":"any","minimum":1024,"read":0,"written":0,"uncached":126,"cost)J"
     R"J(":126}}],"sum":{"anthropic":{"tokens":277,"read":0,"written":0,"uncached":277,"cost":277)J"
     R"J(},"openai":{"tokens":277,"read":0,"written":0,"uncached":277,"cost":277}}}})J"},
    {R"J({"op":"lint"})J",
     R"J({"ok":true,"result":{"ok":false,"findings":[{"rule":"volatile_content","id":"s","problem)J"
     R"J(":"^sys says a date (2026-11-16): when it changes, all that is behind it is sent anew",")J"
     R"J(fix":"say it in ^ah at an offset above 0, with ttl 1: there it stands last and breaks no)J"
     R"J(thing before it"}]}})J"},
    {R"J({"op":"hash","node":{"content":"x"}})J",
     R"J({"ok":true,"result":{"content_hash":"165f71ecdcef00e24e34e2948dd90707e4d008c05f2150f23f7)J"
     R"J(e28a62a917b1a"}})J"},
    {R"J({"op":"attempt","action":"start","provider":"p","model":"m","params":{"b":1,"a":2}})J",
     R"J({"ok":true,"result":{"attempt_id":"attempt:4.1","cycle_id":4,"status":"running","started)J"
     R"J(_at":"1970-01-01T00:00:00.000001018Z","ended_at":null,"provider":"p","model":"m","params)J"
     R"J(_hash":"d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772","token_in":nul)J"
     R"J(l,"token_out":null}})J"},
    {R"J({"op":"attempt","action":"finish","attempt_id":"attempt:4.1","status":"error","token_in")J"
     R"J(:5,"token_out":6,"error":{"why":"x"}})J",
     R"J({"ok":true,"result":{"attempt_id":"attempt:4.1","cycle_id":4,"status":"error","started_a)J"
     R"J(t":"1970-01-01T00:00:00.000001018Z","ended_at":"1970-01-01T00:00:00.000001018Z","provide)J"
     R"J(r":"p","model":"m","params_hash":"d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415)J"
     R"J(c76af7a772","token_in":5,"token_out":6,"error":{"why":"x"}}})J"},
    {R"J({"op":"attempt","action":"list"})J",
     R"J({"ok":true,"result":{"attempts":[{"attempt_id":"attempt:4.1","cycle_id":4,"status":"erro)J"
     R"J(r","started_at":"1970-01-01T00:00:00.000001018Z","ended_at":"1970-01-01T00:00:00.0000010)J"
     R"J(18Z","provider":"p","model":"m","params_hash":"d3626ac30a87e6f7a6428233b3c68299976865fa5)J"
     R"J(508e4267c5415c76af7a772","token_in":5,"token_out":6,"error":{"why":"x"}}]}})J"},
    {R"J({"op":"attempt","action":"list","cycle":9})J",
     R"J({"ok":true,"result":{"attempts":[]}})J"},
    {R"J({"op":"attempt","action":"stop"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"action must be start, finish )J"
     R"J(or list","details":{"argument":"action"}}})J"},
    {R"J({"op":"attempt","action":"finish","status":"completed"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"missing argument 'attempt_id')J"
     R"J(","details":{"argument":"attempt_id"}}})J"},
    {R"J({"op":"attempt","action":"finish","attempt_id":"a","status":"done"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"status must be completed, can)J"
     R"J(celed or error","details":{"argument":"status"}}})J"},
    {R"J({"op":"attempt","action":"start","params":1,"params_hash":"h"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"give params or params_hash, n)J"
     R"J(ot both","details":{"argument":"params_hash"}}})J"},
    {R"J({"op":"attempt","action":"start","cycle":1})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"attempt start takes no 'cycle)J"
     R"J('","details":{"argument":"cycle"}}})J"},
    {R"J({"op":"move","id":"u3"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"move needs a parent, an offse)J"
     R"J(t or a place","details":{"argument":"parent"}}})J"},
    {R"J({"op":"remove"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"remove takes either an id or )J"
     R"J(a selector","details":{"argument":"id"}}})J"},
    {R"J({"op":"import","log":[{"role":"user","content":"Hi","id":"hi"}],"continue":true})J",
     R"J({"ok":true,"result":{"cycle":4,"nodes":1,"warnings":[],"skipped":0}})J"},
    {R"J({"op":"import","snapshot":{"root":{}},"log":[]})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"import takes one of a snapsho)J"
     R"J(t, a log or a thread","details":{"argument":"snapshot"}}})J"},
    {R"J({"op":"verify"})J",
     R"J({"ok":true,"result":{"ok":true,"problems":[]}})J"},
    {R"J({"op":"gc"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"retention needs a file; this )J"
     R"J(database is in memory","details":{}}})J"},
    {R"J({"op":"gc","keep_tagged":true})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"say what stays: keep_last, ol)J"
     R"J(der_than or both","details":{}}})J"},
    {R"J({"op":"nothing"})J",
     R"J({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"unknown operation 'nothing'",)J"
     R"J("details":{"argument":"op"}}})J"},
    {R"J({"op":"configure","policy":{"max_nodes":1}})J",
     R"J({"ok":true,"result":{"dialect":"canonical","clock":{"start_ns":1000,"step_ns":1},"ids":")J"
     R"J(counter","policy":{"max_nodes":1,"max_turns":null,"max_tokens":null,"protect_recent_turn)J"
     R"J(s":0,"prune_regions":["seq"],"regions":{},"strict":false},"authorize_sys":true,"odi":"de)J"
     R"J(mote","durability":"full","journal":"off","encoding":"estimate"}})J"},
    {R"J({"op":"commit","hashes":false})J",
     R"J({"ok":true,"result":{"cycle":4,"sealed":"seg:4","durable":false,"expired":[],"cascaded":)J"
     R"J([],"pruned":["u1","c1","r1","last2","u2","u3","late"],"deferred":[],"materialized":[],"t)J"
     R"J(ree_sha256":"2b8d26c68f19eedf3272ebb9cc456aae3a7b8717f5c7605848536fb91ba66634","over_lim)J"
     R"J(it":[{"limit":"max_nodes","max":1,"actual":10}]}})J"}};
// clang-format on

TEST(Answers, HaveAllTheirMembersInOrder) {
  Exec exec;
  for (const Step& step : kSession)
    ASSERT_EQ(exec.Answer(step.request), step.answer) << step.request;
}

}  // namespace
}  // namespace pactdb
