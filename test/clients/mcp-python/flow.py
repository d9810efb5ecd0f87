"""Runs the official client through what an agent does, and prints what it saw as JSON: flow.py auto|legacy http|stdio TAG"""

import asyncio
import json
import os
import sys
import time

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

MODE, WAY, TAG = sys.argv[1:]
URL, KEY = os.environ["MCP_URL"], os.environ["MCP_KEY"]
TEXT = "Mara keeps the spare key under the blue flowerpot"


def transport():
    if WAY == "http":
        client = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=30)
        return streamable_http_client(URL, http_client=client)
    arguments = [os.environ["MNEME_BIN"], "mcp", "--url", URL.removesuffix("/mcp")]
    environment = {**os.environ, "MNEME_API_KEY": KEY}
    return stdio_client(StdioServerParameters(command=os.environ["NODE_BIN"], args=arguments, env=environment))


async def code_of(call):
    try:
        await call
    except MCPError as error:
        return error.error.code
    return None


async def main():
    async with Client(transport(), mode=MODE) as client:

        async def call(name, /, **arguments):
            return await client.call_tool(name, {"containerTag": TAG, **arguments})

        tools = (await client.list_tools()).tools
        saved = (await call("add_memory", content=f"{TEXT}.")).structured_content
        found = {"results": []}
        until = time.monotonic() + 30
        while not found["results"] and time.monotonic() < until:
            found = (await call("search_memory", query=TEXT)).structured_content
            await asyncio.sleep(0.05)
        refused = await call("search_memory", query="")
        prompt = await client.get_prompt("context", {"containerTag": TAG})
        report = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "saved": saved,
            "found": found,
            "context": (await call("get_context", query="spare key")).structured_content,
            "documents": (await call("listDocuments")).structured_content,
            "memories": (await call("listMemories")).structured_content,
            "spaces": (await client.call_tool("listSpaces", {})).structured_content,
            "refused": {"isError": refused.is_error, "content": [{"text": refused.content[0].text}]},
            "unknownTool": await code_of(client.call_tool("nothing", {})),
            "prompt": prompt.messages[0].content.text,
            "wrongPrompt": await code_of(client.get_prompt("context", {"includeRecent": "perhaps"})),
            "resources": [str(resource.uri) for resource in (await client.list_resources()).resources],
            "read": (await client.read_resource("supermemory://spaces")).contents[0].text,
            "unknownResource": await code_of(client.read_resource("supermemory://nothing")),
        }
    print(json.dumps(report))


asyncio.run(main())
