"""Anthropic Messages requests drawn from a seed."""
from make_chat import BYTES, WORDS, extra, word

CACHE = {"type": "ephemeral"}


def marked(rng, block):
    if rng.random() < 0.2:
        block["cache_control"] = CACHE if rng.random() < 0.7 else {"type": "ephemeral", "ttl": "1h"}
    return block


def text_block(rng):
    return marked(rng, extra(rng, {"type": "text", "text": rng.choice(WORDS)}, "citations"))


def source(rng, document):
    sources = [{"type": "base64", "media_type": "application/pdf" if document else "image/png", "data": BYTES},
               {"type": "url", "url": rng.choice(["https://h/a.png", "https://h/b"])},
               {"type": "file", "file_id": "file_1"},
               {"type": "telepathy", "thought": "x"}]
    if document:
        sources += [{"type": "text", "media_type": "text/plain", "data": "https://is.text/x"},
                    {"type": "content", "content": "words"}]
    return extra(rng, rng.choice(sources), "x_hint")


def media(rng):
    if rng.random() < 0.5:
        return marked(rng, {"type": "image", "source": source(rng, False)})
    return marked(rng, extra(rng, {"type": "document", "source": source(rng, True)}, "title", "context", "citations"))


def search_result(rng):
    """Nobody else knows it; with marks outside and inside."""
    return marked(rng, {"type": "search_result", "content": [marked(rng, {"type": "text", "text": "x"})
                                                            for _ in range(rng.randrange(1, 3))]})


def result(rng, call_id):
    made = {"type": "tool_result", "tool_use_id": call_id}
    choice = rng.random()
    if choice < 0.5:
        made["content"] = rng.choice(WORDS)
    elif choice < 0.9:
        made["content"] = [rng.choice([text_block, media, search_result])(rng)
                           for _ in range(rng.randrange(0, 3))]
    if rng.random() < 0.3:
        made["is_error"] = rng.random() < 0.5
    return marked(rng, extra(rng, made, "x_more"))


def thinking(rng):
    return rng.choice([
        {"type": "thinking", "thinking": "Hm. " + word(rng), "signature": "Eo8CCkYIChgC+/=="},
        {"type": "thinking", "thinking": "", "signature": "EqQB"},
        {"type": "thinking", "thinking": "unsigned"},
        {"type": "thinking", "thinking": "x", "signature": None, "data": "d"},
        {"type": "redacted_thinking", "data": "EuoBCo"},
        {"type": "redacted_thinking", "data": "EuoBCo", "signature": rng.choice([None, "s"]), "thinking": "x"}])


def messages(rng, steps):
    made = []
    number = 0
    for _ in range(steps):
        kind = rng.choice(["user", "user", "blocks", "assistant", "step", "step", "said", "again"])
        if kind == "user":
            made.append(extra(rng, {"role": "user", "content": rng.choice(WORDS)}))
        elif kind == "blocks":
            made.append({"role": "user", "content": [rng.choice([text_block, media, search_result])(rng)
                                                     for _ in range(rng.randrange(0, 4))]})
        elif kind == "assistant":
            made.append(extra(rng, {"role": "assistant", "content": rng.choice(WORDS)}))
        elif kind == "said":
            made.append({"role": "assistant", "content": [rng.choice([text_block, text_block, thinking, thinking, media])(rng)
                                                          for _ in range(rng.randrange(0, 4))]})
        else:
            calls = [{"type": "tool_use", "id": f"toolu_{number + i}", "name": rng.choice(["read", "bash"]),
                      "input": rng.choice([{}, {"path": "a/é", "n": 1.0}, {"b": None, "a": [1]}])}
                     for i in range(rng.randrange(1, 4))]
            number += len(calls)
            blocks = [rng.choice([text_block, thinking])(rng) for _ in range(rng.randrange(0, 3))]
            blocks += [marked(rng, extra(rng, dict(call), "caller")) for call in calls]
            if rng.random() < 0.2:
                blocks.append(text_block(rng))
            if rng.random() < 0.1:
                blocks.append({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": "x"}})
            made.append(extra(rng, {"role": "assistant", "content": blocks}))
            results = [result(rng, call["id"]) for call in calls if rng.random() < 0.9]
            if rng.random() < 0.1 and results:
                results.append(result(rng, results[-1]["tool_use_id"]))
            if rng.random() < 0.3:
                results.insert(rng.choice([0, len(results)]), text_block(rng))
            if kind == "again":
                made += [{"role": "user", "content": [each]} for each in results]
            else:
                made.append({"role": "user", "content": results})
    return made


def tool(rng, name):
    if rng.random() < 0.2:
        return marked(rng, {"type": "bash_20250124", "name": name})
    made = {"name": name, "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}
    if rng.random() < 0.8:
        made["description"] = "Finds."
    return marked(rng, extra(rng, made, "type", "strict", "description", "input_examples"))


def document(rng, steps=8):
    made = messages(rng, rng.randrange(0, steps))
    if rng.random() < 0.3:
        return made
    body = {"messages": made}
    if rng.random() < 0.8:
        body |= {"model": "claude-x", "max_tokens": 1024}
    if rng.random() < 0.7:
        body["system"] = rng.choice(["Be brief.", "", [], [text_block(rng)], [text_block(rng), text_block(rng)]])
    if rng.random() < 0.5:
        body["tools"] = [tool(rng, f"t{i}") for i in range(rng.randrange(0, 4))]
    if rng.random() < 0.3:
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if rng.random() < 0.1:
        marked(rng, body)
    return extra(rng, body, "metadata", "tool_choice", "stop_sequences")


def rendered(document_):
    return {"messages": document_} if isinstance(document_, list) else document_


def assistant(*blocks):
    return {"role": "assistant", "content": list(blocks)}


BAD = [
    ([7], 0, "role"),
    ([{"role": "system", "content": "x"}], 0, "role"),
    ([{"role": "user"}], 0, "content"),
    ([{"role": "user", "content": None}], 0, "content"),
    ([{"role": "user", "content": [7]}], 0, "content[0].type"),
    ([{"role": "user", "content": "x"}, assistant({"type": "text", "text": 7})], 1, "content[0].text"),
    ([assistant({"type": "tool_use", "name": "f", "input": {}})], 0, "content[0].id"),
    ([assistant({"type": "tool_use", "id": "a", "input": {}})], 0, "content[0].name"),
    ([assistant({"type": "tool_use", "id": "a", "name": "f", "input": "{}"})], 0, "content[0].input"),
    ([assistant({"type": "thinking", "signature": "x"})], 0, "content[0].thinking"),
    ([{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}], 0, "content[0].tool_use_id"),
    ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": 7}]}], 0, "content[0].content"),
    ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text"}]}]}], 0,
     "content[0].content[0].text"),
]
HUGE = ([{"role": "user", "content": [{"type": "image", "source": {
    "type": "base64", "media_type": "image/png", "data": "A" * (33 << 20)}}]}], 0, "content[0].source.data")
