"""Chat Completions conversations drawn from a seed: everything the format can say, and what it cannot."""
import json

WORDS = ["", "Hello", "2+2?", "Grüße 𝄞", "line\nline", "\u007f\u2028", " ", "{\"a\":1}", "ok"]
BYTES = "iVBORw0KGgoAAAANSUhEUg=="


def word(rng):
    return rng.choice(WORDS[1:])


def extra(rng, into, *names):
    """Members no one knows, now and then."""
    if rng.random() < 0.15:
        into[rng.choice(names or ("x_trace", "cache_control", "metadata"))] = rng.choice(
            [{"type": "ephemeral"}, None, True, 1, 1.5, [], "v", {"a": {"b": [1, {"c": None}]}}])
    return into


def part(rng, role):
    kinds = ["text", "text"]
    if role == "user" or rng.random() < 0.2:
        kinds += ["image", "image_url", "audio", "file", "file_id", "odd"]
    if role == "assistant" or rng.random() < 0.1:
        kinds += ["refusal"]
    kind = rng.choice(kinds)
    if kind == "text":
        return extra(rng, {"type": "text", "text": rng.choice(WORDS)})
    if kind == "refusal":
        return extra(rng, {"type": "refusal", "refusal": word(rng)})
    if kind == "image":
        url = rng.choice([f"data:image/png;base64,{BYTES}", f"data:image/PNG;base64,{BYTES}", "data:,x",
                          f"data:image/webp;charset=x;base64,{BYTES}"])
        return extra(rng, {"type": "image_url", "image_url": extra(rng, {"url": url}, "detail")})
    if kind == "image_url":
        url = rng.choice(["https://example.com/a.png", "https://example.com/A.JPG?x=1.gif", "http://h/x", "x"])
        return {"type": "image_url", "image_url": {"url": url, "detail": rng.choice(["auto", "low"])}}
    if kind == "audio":
        return extra(rng, {"type": "input_audio", "input_audio": extra(
            rng, {"data": BYTES, "format": rng.choice(["wav", "mp3", "flac", "strange"])})})
    if kind == "file":
        return extra(rng, {"type": "file", "file": extra(
            rng, {"file_data": rng.choice([f"data:application/pdf;base64,{BYTES}", BYTES, "https://h/a.pdf", ""]),
                  "filename": rng.choice(["a.pdf", "a"])})})
    if kind == "file_id":
        return {"type": "file", "file": extra(rng, {"file_id": "file-1"}, "filename")}
    return extra(rng, {"type": rng.choice(["video_url", "image_url", "file"]), "deep": {"a": [None]}})


def content(rng, role, parts=True):
    if parts and rng.random() < 0.4:
        return [part(rng, role) for _ in range(rng.randrange(0, 4))]
    return rng.choice(WORDS)


def call(rng, number):
    arguments = rng.choice(["{}", "", "{\"b\": 1, \"a\": [1.0, \"é\"]}", "{\"q\":\"x\\n\"}", "[]"])
    made = {"id": f"call_{number}", "type": "function",
            "function": extra(rng, {"name": rng.choice(["search", "get_weather"]), "arguments": arguments})}
    choice = rng.random()
    if choice < 0.1:
        made = {"id": made["id"], "type": "custom", "custom": {"name": "grep", "input": "not {json"}}
    elif choice < 0.15:
        made = {"id": made["id"], "type": "telepathy", "thought": "x"}
    elif choice < 0.2:
        del made["type"]
    return extra(rng, made, "index", "extra_content")


def messages(rng, steps):
    made = []
    number = 0
    for _ in range(rng.randrange(0, 3)):
        made.append(extra(rng, {"role": rng.choice(["system", "developer"]), "content": content(rng, "system")}, "name"))
    for _ in range(steps):
        kind = rng.choice(["user", "user", "assistant", "calls", "calls", "system", "function", "bare", "user"])
        if kind in ("user", "system"):
            made.append(extra(rng, {"role": kind, "content": content(rng, kind)}, "name", "x_id"))
        elif kind == "assistant":
            made.append(extra(rng, {"role": kind, "content": content(rng, kind)}, "refusal", "audio", "name", "tool_calls",
                              "annotations"))
            if "tool_calls" in made[-1]:
                made[-1]["tool_calls"] = rng.choice([[], None])
        elif kind == "bare":
            made.append(rng.choice([{"role": "assistant"}, {"role": "assistant", "content": None},
                                    {"role": "assistant", "audio": {"id": "a1"}},
                                    {"role": "assistant", "content": rng.choice([None, "", [], "x"]), "refusal": word(rng)}]))
        elif kind == "function":
            made.append({"role": "assistant", "content": rng.choice([None, ""]),
                         "function_call": {"name": "f", "arguments": "{}"}})
            made.append(extra(rng, {"role": "function", "name": "f", "content": rng.choice(["x", None])}))
        else:
            calls = [call(rng, number + i) for i in range(rng.randrange(1, 4))]
            number += len(calls)
            said = {"role": "assistant", "content": rng.choice([None, "", "Let me see.", content(rng, "assistant")]),
                    "tool_calls": calls}
            if rng.random() < 0.2:
                del said["content"]
            made.append(extra(rng, said, "refusal", "name"))
            for each in calls:
                if rng.random() < 0.9:
                    made.append(extra(rng, {"role": "tool", "tool_call_id": each["id"],
                                            "content": content(rng, "tool")}, "name"))
    return made


def tool(rng, name):
    if rng.random() < 0.15:
        return {"type": "custom", "custom": {"name": name, "format": {"type": "text"}}}
    return extra(rng, {"type": "function", "function": extra(rng, {
        "name": name, "description": "Finds.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
        "strict": rng.choice([True, False, None])})})


def document(rng, steps=8):
    """A body or a list of messages."""
    made = messages(rng, rng.randrange(0, steps))
    if rng.random() < 0.4:
        return made
    body = {"messages": made}
    if rng.random() < 0.7:
        body |= {"model": "gpt-x", "temperature": rng.choice([0, 0.5, 1.0]), "stop": ["\n"]}
    if rng.random() < 0.5:
        body["tools"] = [tool(rng, f"t{i}") for i in range(rng.randrange(0, 4))]
    return extra(rng, body, "functions", "tool_choice", "x")


def rendered(document_):
    """What rendering it has to give: always a body."""
    return {"messages": document_} if isinstance(document_, list) else document_


# What is wrong, the index, the field.
BAD = [
    ([7], 0, "role"),
    ([{"content": "x"}], 0, "role"),
    ([{"role": "user", "content": "x"}, {"role": "critic", "content": "x"}], 1, "role"),
    ([{"role": "user"}], 0, "content"),
    ([{"role": "user", "content": 7}], 0, "content"),
    ([{"role": "user", "content": None}], 0, "content"),
    ([{"role": "user", "content": ["x"]}], 0, "content[0].type"),
    ([{"role": "user", "content": [{"type": "text"}]}], 0, "content[0].text"),
    ([{"role": "tool", "content": "x"}], 0, "tool_call_id"),
    ([{"role": "tool", "tool_call_id": 7, "content": "x"}], 0, "tool_call_id"),
    ([{"role": "function", "content": "x"}], 0, "name"),
    ([{"role": "assistant", "tool_calls": {}}], 0, "tool_calls"),
    ([{"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]}], 0,
     "tool_calls[0].id"),
    ([{"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"arguments": "{}"}}]}], 0,
     "tool_calls[0].function.name"),
    ([{"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}]}],
     0, "tool_calls[0].function.arguments"),
    ([{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"a\":"}}]}], 1,
     "tool_calls[0].function.arguments"),
    ([{"role": "assistant", "function_call": {"name": "f"}}], 0, "function_call.arguments"),
]
# Too long to write down here: an image over the limit of one content.
HUGE = ([{"role": "user", "content": [{"type": "image_url", "image_url": {
    "url": "data:image/png;base64," + "A" * (33 << 20)}}]}], 0, "content[0].image_url.url")


def load(path):
    with open(path, encoding="utf-8") as file:
        return [task["traj"] for task in json.load(file)]
