"""Servers on the loopback interface that play a model: each request is answered with the next step of a script.

Four wire formats, one per kind of client. Every request body is kept, so that a test can read there what a hook put
in front of the model. Nothing here is clever: a step is a tool call, and after the last one comes a closing text.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = "All done."
Step = tuple[str, Any]
"""Tool name and its arguments."""


@dataclass
class Script:
    """The steps of one session and the requests that came in."""

    steps: Sequence[Step]
    requests: list[dict[str, Any]] = field(default_factory=list)

    def next(self, results: int, tools: bool) -> Step | None:
        """The step after ``results`` tool results; ``None`` for the closing text. Side requests offer no tools."""
        return self.steps[results] if tools and results < len(self.steps) else None

    def seen(self, text: str) -> bool:
        """Whether any request held this text."""
        return any(text in json.dumps(request, ensure_ascii=False) for request in self.requests)


class Handler(BaseHTTPRequestHandler):
    """What the four wire formats have in common."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_HEAD(self) -> None:
        self.send_body(b"")

    def do_GET(self) -> None:
        self.send_body(b'{"object":"list","data":[],"models":[]}')

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        self.script.requests.append(body)
        self.reply(body)

    def reply(self, body: dict[str, Any]) -> None:
        raise NotImplementedError

    def send_body(self, body: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_events(self, events: Sequence[tuple[str, Any]]) -> None:
        """A stream of server-sent events, each with a name (or none) and a JSON value (or raw text)."""
        out = []
        for name, value in events:
            data = value if isinstance(value, str) else json.dumps(value)
            out.append((f"event: {name}\n" if name else "") + f"data: {data}\n\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write("".join(out).encode())
        self.close_connection = True


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


class Anthropic(Handler):
    """The Messages API (Claude Code)."""

    def reply(self, body: dict[str, Any]) -> None:
        if "count_tokens" in self.path:
            self.send_body(b'{"input_tokens":100}')
            return
        contents = [m["content"] for m in body.get("messages", []) if isinstance(m.get("content"), list)]
        results = sum(block.get("type") == "tool_result" for content in contents for block in content)
        step = self.script.next(results, bool(body.get("tools")))
        if step is None:
            block, stop = {"type": "text", "text": DONE}, "end_turn"
        else:
            block, stop = {"type": "tool_use", "id": _id("toolu_"), "name": step[0], "input": step[1]}, "tool_use"
        usage = {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        }
        message = {"id": _id("msg_"), "type": "message", "role": "assistant", "model": body.get("model", "m")}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            self.send_body(json.dumps(message | {"content": [block], "stop_reason": stop}).encode())
            return
        if step is None:
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": DONE}
        else:
            empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(step[1])}
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": 5},
            },
            {"type": "message_stop"},
        ]
        self.send_events([(str(event["type"]), event) for event in events])


class Responses(Handler):
    """The Responses API (Codex)."""

    def reply(self, body: dict[str, Any]) -> None:
        results = sum(str(item.get("type", "")).endswith("_call_output") for item in body.get("input", []))
        step = self.script.next(results, bool(body.get("tools")))
        if step is None:
            text = {"type": "output_text", "text": DONE}
            item: dict[str, Any] = {"type": "message", "role": "assistant", "id": _id("msg_"), "content": [text]}
        elif isinstance(step[1], str):
            item = {"type": "custom_tool_call", "id": _id("ctc_"), "call_id": _id("call_"), "status": "completed"}
            item |= {"name": step[0], "input": step[1]}
        else:
            item = {"type": "function_call", "id": _id("fc_"), "call_id": _id("call_")}
            item |= {"name": step[0], "arguments": json.dumps(step[1])}
        usage = {"input_tokens": 10, "input_tokens_details": None}
        usage |= {"output_tokens": 5, "output_tokens_details": None, "total_tokens": 15}
        own = _id("resp_")
        events = [
            {"type": "response.created", "response": {"id": own}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": own, "usage": usage}},
        ]
        self.send_events([(str(event["type"]), event) for event in events])


class Gemini(Handler):
    """The Gemini API (Gemini CLI)."""

    def reply(self, body: dict[str, Any]) -> None:
        if "countTokens" in self.path:
            self.send_body(b'{"totalTokens":10}')
            return
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        results = sum("functionResponse" in part for part in parts)
        step = self.script.next(results, bool(body.get("tools")))
        settings = body.get("generationConfig", {})
        if settings.get("responseMimeType") == "application/json" or settings.get("responseJsonSchema"):
            verdict = {"reasoning": "x", "next_speaker": "user", "complexity_reasoning": "x", "complexity_score": 1}
            part: dict[str, Any] = {"text": json.dumps(verdict | {"model_choice": "flash"})}
        elif step is None:
            part = {"text": DONE}
        else:
            part = {"functionCall": {"name": step[0], "args": step[1]}}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        out = json.dumps({"candidates": [candidate], "usageMetadata": usage})
        if "stream" in self.path:
            self.send_body(f"data: {out}\n\n".encode(), "text/event-stream")
        else:
            self.send_body(out.encode())


class Chat(Handler):
    """The chat completions API (OpenCode, Copilot CLI)."""

    def reply(self, body: dict[str, Any]) -> None:
        results = sum(message.get("role") == "tool" for message in body.get("messages", []))
        step = self.script.next(results, bool(body.get("tools")))
        delta: dict[str, Any] = {"role": "assistant", "content": DONE}
        if step is not None:
            function = {"name": step[0], "arguments": json.dumps(step[1])}
            call = {"index": 0, "id": _id("call_"), "type": "function", "function": function}
            delta = {"role": "assistant", "tool_calls": [call]}
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m1"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        stop = "stop" if step is None else "tool_calls"
        first = base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        last = base | {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage}
        self.send_events([("", first), ("", last), ("", "[DONE]")])


@contextmanager
def playing(format: type[Handler], script: Script) -> Iterator[int]:
    """The port of a server that plays the script while the block runs."""
    handler = type("Playing", (format,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
