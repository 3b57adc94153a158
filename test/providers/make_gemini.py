"""Gemini generateContent requests drawn from a seed."""
from make_chat import BYTES, WORDS, extra, word


def part(rng, role):
    kind = rng.choice(["text", "text", "inline", "file", "odd"] if role == "user" else ["text", "text", "thought", "inline", "code"])
    if kind == "text":
        return extra(rng, {"text": rng.choice(WORDS)}, "thoughtSignature", "partMetadata")
    if kind == "thought":
        return rng.choice([{"text": word(rng), "thought": True, "thoughtSignature": "CiQB"}, {"text": "x", "thought": True},
                           {"text": "x", "thought": False}])
    if kind == "inline":
        return extra(rng, {"inlineData": extra(rng, {
            "mimeType": rng.choice(["image/png", "audio/wav", "video/mp4", "application/pdf"]), "data": BYTES}, "displayName")},
            "videoMetadata")
    if kind == "file":
        return {"fileData": {"mimeType": rng.choice(["image/png", "video/mp4"]), "fileUri": "gs://b/x"}}
    if kind == "code":
        return {"executableCode": {"language": "PYTHON", "code": "1"}}
    return rng.choice([{"fileData": {"fileUri": "gs://b/x"}}, {}, {"x": 1}])


def call(rng, name, call_id):
    made = {"name": name, "args": rng.choice([{}, {"q": "é", "n": 1.0}])}
    if call_id:
        made["id"] = call_id
    if rng.random() < 0.1:
        del made["args"]
    return extra(rng, {"functionCall": extra(rng, made)}, "thoughtSignature")


def response(rng, name, call_id):
    made = {"name": name, "response": rng.choice([{"output": "rain"}, {}, {"a": [1, {"b": None}]}])}
    if call_id:
        made["id"] = call_id
    return extra(rng, {"functionResponse": extra(rng, made, "willContinue", "parts")})


def contents(rng, steps):
    made = []
    number = 0
    for _ in range(steps):
        kind = rng.choice(["user", "user", "model", "calls", "calls"])
        if kind in ("user", "model"):
            made.append(extra(rng, {"role": kind, "parts": [part(rng, kind) for _ in range(rng.randrange(0, 4))]}))
            if kind == "user" and rng.random() < 0.1:
                del made[-1]["role"]
        else:
            with_ids = rng.random() < 0.5
            calls = [(rng.choice(["f", "g"]), f"id_{number + i}" if with_ids else None) for i in range(rng.randrange(1, 4))]
            number += len(calls)
            made.append({"role": "model", "parts": [part(rng, "model") for _ in range(rng.randrange(0, 2))] +
                         [call(rng, *each) for each in calls]})
            results = [response(rng, *each) for each in calls if rng.random() < 0.9]
            if results and rng.random() < 0.1:
                results.append(dict(results[-1]))
            if rng.random() < 0.2:
                results.append(part(rng, "user"))
            made.append({"role": rng.choice(["user", "user", "function"]), "parts": results})
    return made


def declaration(rng, name):
    made = {"name": name, "description": "Finds."}
    if rng.random() < 0.8:
        made[rng.choice(["parameters", "parametersJsonSchema"])] = {"type": "object", "properties": {}}
    return extra(rng, made, "response", "behavior")


def document(rng, steps=8):
    made = contents(rng, rng.randrange(0, steps))
    if rng.random() < 0.3:
        return made
    body = {"contents": made}
    if rng.random() < 0.6:
        body[rng.choice(["systemInstruction", "system_instruction"])] = extra(
            rng, {"parts": [{"text": rng.choice(WORDS)} for _ in range(rng.randrange(0, 3))]}, "role")
    if rng.random() < 0.5:
        body["tools"] = [rng.choice([
            {"functionDeclarations": [declaration(rng, f"t{i}{j}") for j in range(rng.randrange(0, 3))]},
            {"googleSearch": {}}]) for i in range(rng.randrange(0, 4))]
    if rng.random() < 0.5:
        body["generationConfig"] = {"temperature": 0.5}
    return extra(rng, body, "toolConfig", "safetySettings")


def rendered(document_):
    return {"contents": document_} if isinstance(document_, list) else document_


BAD = [
    ([7], 0, "parts"),
    ([{"role": "user"}], 0, "parts"),
    ([{"role": "assistant", "parts": []}], 0, "role"),
    ([{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": {}}], 1, "parts"),
    ([{"role": "user", "parts": ["x"]}], 0, "parts[0]"),
    ([{"role": "user", "parts": [{"text": 7}]}], 0, "parts[0].text"),
    ([{"role": "model", "parts": [{"functionCall": {"args": {}}}]}], 0, "parts[0].functionCall.name"),
    ([{"role": "model", "parts": [{"functionCall": {"name": "f", "args": "{}"}}]}], 0, "parts[0].functionCall.args"),
    ([{"role": "user", "parts": [{"functionResponse": {"response": {}}}]}], 0, "parts[0].functionResponse.name"),
    ([{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "x"}}]}], 0,
     "parts[0].functionResponse.response"),
    ({"contents": [], "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "f"}, {"description": "x"}]}]}, 1,
     "tools[1].functionDeclarations[1].name"),
    ({"contents": [], "systemInstruction": {"parts": [{"text": "x"}, "y"]}}, 0, "systemInstruction.parts[1]"),
    ({"contents": [], "system_instruction": {"parts": [{"text": 7}]}}, 0, "system_instruction.parts[0].text"),
]
HUGE = ([{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "A" * (33 << 20)}}]}], 0,
        "parts[0].inlineData.data")
