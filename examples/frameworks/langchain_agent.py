"""LangChain: an agent saves memories by the tools of Mneme; a plain model gets them, because it is called through Mneme."""

import asyncio
import os

import httpx
from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

URL = os.environ.get("MNEME_URL", "http://127.0.0.1:6767")
KEY = os.environ["MNEME_API_KEY"]
USER = "langchain-python-mara"


async def show_memories(question):
    """Prints what is remembered of the user about a question. What was said is remembered in the background, so it waits."""
    async with httpx.AsyncClient(base_url=URL, headers={"authorization": f"Bearer {KEY}"}) as mneme:
        for _ in range(300):
            answer = await mneme.post("/v4/search", json={"q": question, "containerTag": USER, "threshold": 0})
            results = answer.raise_for_status().json()["results"]
            for result in results:
                print("remembered:", result["memory"])
            if results:
                return
            await asyncio.sleep(0.1)
    raise TimeoutError("Nothing was remembered within 30 seconds")


async def main():
    model = ChatOpenAI(
        model="gpt-5-mini",
        base_url=f"{URL}/proxy/openai/v1",  # the key of OpenAI comes from OPENAI_API_KEY
        default_headers={"x-supermemory-api-key": KEY, "x-sm-user-id": USER},
    )
    headers = {"authorization": f"Bearer {KEY}", "x-sm-project": USER}
    mneme = MultiServerMCPClient({"mneme": {"transport": "http", "url": f"{URL}/mcp", "headers": headers}})
    agent = create_agent(model, await mneme.get_tools())

    told = "Remember that I am allergic to walnuts."
    answer = await agent.ainvoke({"messages": [{"role": "user", "content": told}]})
    print(f"user: {told}\nmodel: {answer['messages'][-1].content}")
    await show_memories("walnuts")

    question = "What am I allergic to?"  # another conversation, without the first one and without tools
    print(f"user: {question}\nmodel: {(await model.ainvoke(question)).content}")


asyncio.run(main())
