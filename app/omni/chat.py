"""The chat template of MiniMind-O: messages to prompt text and ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.omni.config import OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.tokenizer import OmniTokenizer
from app.omni.turn import Exchange, ToolUse

_TOOLS_HEAD = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
_TOOLS_TAIL = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)


CALL_MARKERS = ("<tool_call>", "</tool_call>")
"""What the model writes around a call of a tool; only as tokens of their own do they mean anything."""

READ_ALOUD = "Read this aloud."
"""The question before a text that answers none: without any question the Talker mumbles."""


@dataclass(frozen=True)
class Message:
    """One message. `audio_rows` and `image_rows` placeholders follow the content of a user message."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    reasoning: str = ""
    audio_rows: int = 0
    image_rows: int = 0
    tool_calls: tuple[ToolUse, ...] = ()


def history_messages(history: Sequence[Exchange]) -> list[Message]:
    """Earlier exchanges as text messages: the calls of an exchange and then their results come before its answer."""
    messages: list[Message] = []
    for exchange in history:
        messages.append(Message("user", exchange.q))
        if exchange.tools:
            messages.append(Message("assistant", tool_calls=exchange.tools))
            messages += [Message("tool", use.result) for use in exchange.tools if use.result is not None]
        messages.append(Message("assistant", exchange.a))
    return messages


class ChatTemplate:
    """Renders messages for one tokenizer. Control tokens written inside a content are removed."""

    def __init__(self, tokenizer: OmniTokenizer, config: OmniConfig) -> None:
        """Raises DamagedModelError when tokenizer and config disagree about the placeholders."""
        self._tokenizer = tokenizer
        self._config = config
        for token, ids in (
            (config.audio_special_token, config.audio_ids),
            (config.image_special_token, config.image_ids),
        ):
            if ids and tokenizer.id_of(token) not in ids:
                raise DamagedModelError(
                    f"config.json and tokenizer.json disagree about {token}: download the model again."
                )

    def encode(
        self,
        messages: Sequence[Message],
        *,
        open_thinking: bool = False,
        tools: Sequence[dict[str, Any]] = (),
    ) -> list[int]:
        """Ids of the rendered messages with the head of the assistant's answer."""
        return self._tokenizer.encode(self.render(messages, open_thinking=open_thinking, tools=tools))

    def render(
        self,
        messages: Sequence[Message],
        *,
        open_thinking: bool = False,
        tools: Sequence[dict[str, Any]] = (),
        answer: bool = True,
    ) -> str:
        """Prompt text; with `answer` it ends where the assistant begins to answer.

        The answer starts behind an empty think block, or inside an open one with `open_thinking`.
        """
        out: list[str] = []
        rest = list(messages)
        system = rest.pop(0) if rest and rest[0].role == "system" else None
        if tools:
            intro = self._plain(system.content) + "\n\n" if system else ""
            listing = "".join("\n" + json.dumps(tool, ensure_ascii=False) for tool in tools)
            out.append(_block("system", intro + _TOOLS_HEAD + listing + _TOOLS_TAIL))
        elif system:
            out.append(_block("system", self._plain(system.content)))
        for index, message in enumerate(rest):
            if message.role == "assistant":
                out.append(self._assistant(message))
            elif message.role == "tool":
                opens = index == 0 or rest[index - 1].role != "tool"
                closes = index == len(rest) - 1 or rest[index + 1].role != "tool"
                out.append("<|im_start|>user" if opens else "")
                out.append(f"\n<tool_response>\n{self._plain(message.content)}\n</tool_response>")
                out.append("<|im_end|>\n" if closes else "")
            else:
                out.append(_block(message.role, self._with_media(message)))
        if answer:
            out.append("<|im_start|>assistant\n<think>\n" + ("" if open_thinking else "\n</think>\n\n"))
        return "".join(out)

    def _plain(self, text: str) -> str:
        return self._tokenizer.without_tags(text)

    def _with_media(self, message: Message) -> str:
        parts = [
            self._plain(message.content),
            self._config.audio_special_token * message.audio_rows,
            self._config.image_special_token * message.image_rows,
        ]
        return "\n\n".join(part for part in parts if part)

    def _assistant(self, message: Message) -> str:
        reasoning, content = message.reasoning, message.content
        if not reasoning and "</think>" in content:
            reasoning = content.split("</think>")[0].rstrip("\n").split("<think>")[-1].lstrip("\n")
            content = content.split("</think>")[-1]
        reasoning, content = self._plain(reasoning).strip("\n"), self._plain(content).lstrip("\n")
        calls = "\n".join(self._call(use) for use in message.tool_calls)
        gap = "\n" if content and calls else ""
        return _block("assistant", f"<think>\n{reasoning}\n</think>\n\n{content}{gap}{calls}")

    def _call(self, use: ToolUse) -> str:
        call = f'{{"name": "{use.name}", "arguments": {use.arguments}}}'
        return "\n".join((CALL_MARKERS[0], self._plain(call), CALL_MARKERS[1]))


def _block(role: str, content: str) -> str:
    return f"<|im_start|>{role}\n{content}<|im_end|>\n"
