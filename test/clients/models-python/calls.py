"""Calls models by the packages of OpenAI and Anthropic, and prints what they said as JSON."""

import json
import os

import anthropic
import openai

URL = os.environ["MNEME_URL"]
KEY = os.environ["MNEME_KEY"]
HEADERS = {"x-sm-user-id": os.environ["MNEME_USER"]}
SAYS = [{"role": "user", "content": "Where is the boat?"}]

client = openai.OpenAI(base_url=f"{URL}/proxy/openai/v1", api_key=KEY, default_headers=HEADERS, max_retries=0)
claude = anthropic.Anthropic(base_url=f"{URL}/proxy/anthropic", api_key=KEY, default_headers=HEADERS, max_retries=0)

said = {}
said["chat"] = client.chat.completions.create(model="m", messages=SAYS).choices[0].message.content
stream = client.chat.completions.create(model="m", messages=SAYS, stream=True)
said["chat stream"] = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
said["responses"] = client.responses.create(model="m", input="Where is the boat?").output_text
events = client.responses.create(model="m", input="Where is the boat?", stream=True)
said["responses stream"] = "".join(one.delta for one in events if one.type == "response.output_text.delta")
said["messages"] = claude.messages.create(model="m", max_tokens=9, messages=SAYS).content[0].text
with claude.messages.stream(model="m", max_tokens=9, messages=SAYS) as text:
    said["messages stream"] = "".join(text.text_stream)
print(json.dumps(said))
