"""OpenAI Responses requests drawn from a seed."""
from make_chat import BYTES, WORDS, extra, word

TEXT = {"user": "input_text", "system": "input_text", "developer": "input_text", "tool": "input_text", "assistant": "output_text"}


def text_part(rng, role):
    part = {"type": TEXT[role] if rng.random() < 0.9 else "input_text", "text": rng.choice(WORDS)}
    if part["type"] == "output_text":
        part["annotations"] = []
    return extra(rng, part, "logprobs", "prompt_cache_breakpoint")


def part(rng, role):
    kind = rng.choice(["text", "text", "image", "file", "odd"] if role in ("user", "tool") or rng.random() < 0.2 else
                      ["text", "refusal"])
    if kind == "text":
        return text_part(rng, role)
    if kind == "refusal":
        return {"type": "refusal", "refusal": word(rng)} if role == "assistant" else text_part(rng, role)
    if kind == "image":
        return extra(rng, rng.choice([
            {"type": "input_image", "image_url": f"data:image/png;base64,{BYTES}", "detail": "auto"},
            {"type": "input_image", "image_url": "https://h/a.webp"},
            {"type": "input_image", "file_id": "file-1", "detail": "low"},
            {"type": "input_image", "image_url": None}]))
    if kind == "file":
        return extra(rng, rng.choice([
            {"type": "input_file", "file_data": f"data:application/pdf;base64,{BYTES}", "filename": "a.pdf"},
            {"type": "input_file", "file_data": BYTES}, {"type": "input_file", "file_url": "https://h/a.pdf"},
            {"type": "input_file", "file_id": "file-2", "filename": None}]))
    return {"type": "input_audio", "input_audio": {"data": BYTES, "format": "wav"}}


def items(rng, steps):
    made = []
    number = 0
    for _ in range(steps):
        kind = rng.choice(["user", "user", "assistant", "assistant", "system", "calls", "calls", "odd", "reasoning", "output"])
        if kind in ("user", "assistant", "system"):
            item = {"role": kind, "content": rng.choice(WORDS) if rng.random() < 0.5 else
                    [part(rng, kind) for _ in range(rng.randrange(0, 4))]}
            if rng.random() < 0.5:
                item["type"] = rng.choice(["message", "message", None])
            made.append(extra(rng, item, "status", "phase", "id"))
        elif kind == "output":
            made.append({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
                         "content": [text_part(rng, "assistant")]})
        elif kind == "reasoning":
            made.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}],
                         "encrypted_content": "gAAAA"})
        elif kind == "odd":
            made.append(rng.choice([{"type": "web_search_call", "id": "ws_1", "status": "completed"},
                                    {"type": "item_reference", "id": "msg_7"}]))
        else:
            calls = []
            for i in range(rng.randrange(1, 4)):
                call_id = f"call_{number + i}"
                calls.append(call_id)
                made.append(extra(rng, {"type": "function_call", "call_id": call_id, "name": "f",
                                        "arguments": rng.choice(["{}", "", "{\"b\": 1, \"a\": 2}"])}, "id", "status"))
                if rng.random() < 0.2:
                    made[-1] = {"type": "custom_tool_call", "call_id": call_id, "name": "grep", "input": "{not"}
            number += len(calls)
            for call_id in calls:
                output = rng.choice(WORDS) if rng.random() < 0.5 else [part(rng, "tool") for _ in range(rng.randrange(0, 3))]
                made.append(extra(rng, {"type": rng.choice(["function_call_output", "custom_tool_call_output"]),
                                        "call_id": call_id, "output": output}, "id", "status"))
    return made


def tool(rng, name):
    if rng.random() < 0.2:
        return {"type": "web_search"}
    made = {"type": "function", "name": name, "parameters": {"type": "object"}, "strict": rng.choice([True, None])}
    if rng.random() < 0.3:
        del made[rng.choice(["parameters", "strict"])]
    return extra(rng, made, "description", "defer_loading")


def document(rng, steps=9):
    made = items(rng, rng.randrange(0, steps))
    if rng.random() < 0.3:
        return made
    body = {"input": made if rng.random() < 0.8 else rng.choice(WORDS)}
    if rng.random() < 0.7:
        body |= {"model": "gpt-x", "store": False}
    if rng.random() < 0.5:
        body["instructions"] = rng.choice(["Be brief.", "", None])
    if rng.random() < 0.5:
        body["tools"] = [tool(rng, f"t{i}") for i in range(rng.randrange(0, 4))]
    return extra(rng, body, "include", "reasoning", "metadata")


def rendered(document_):
    return {"input": document_} if isinstance(document_, list) else document_


BAD = [
    ([7], 0, "type"),
    ([{"content": "x"}], 0, "type"),
    ([{"role": "tool", "content": "x"}], 0, "role"),
    ([{"type": "message", "content": "x"}], 0, "role"),
    ([{"role": "user", "content": "x"}, {"role": "user"}], 1, "content"),
    ([{"role": "user", "content": 7}], 0, "content"),
    ([{"role": "user", "content": [{"text": "x"}]}], 0, "content[0].type"),
    ([{"role": "user", "content": [{"type": "input_text"}]}], 0, "content[0].text"),
    ([{"type": "function_call", "name": "f", "arguments": "{}"}], 0, "call_id"),
    ([{"type": "function_call", "call_id": "a", "arguments": "{}"}], 0, "name"),
    ([{"type": "function_call", "call_id": "a", "name": "f", "arguments": {}}], 0, "arguments"),
    ([{"type": "function_call", "call_id": "a", "name": "f", "arguments": "{"}], 0, "arguments"),
    ([{"type": "function_call_output", "output": "x"}], 0, "call_id"),
    ([{"type": "function_call_output", "call_id": "a"}], 0, "output"),
]
HUGE = ([{"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64," + "A" * (33 << 20)}]}],
        0, "content[0].image_url")
