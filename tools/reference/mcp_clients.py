"""Tries a server with the SDKs that agents are built on.

    python mcp_clients.py PATH_OF_HIPPO

Each lists the tools, converts them to what its provider takes, records an insight and finds it.
"""

import asyncio
import json
import sys
import warnings

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SERVER = StdioServerParameters(command=sys.argv[1], args=["serve", "--store", "memory:"])
RECORD = {"content": "Retries need jitter", "situation": ["debugging outages"], "importance": 0.6}


def check(name, found, tools):
    assert "Retries need jitter" in found, (name, found)
    print(f"{name}: {tools} tools, recorded and found")


async def official():
    async with stdio_client(SERVER) as (r, w), ClientSession(r, w) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        await session.call_tool("hippo_record_insight", RECORD)
        result = await session.call_tool("hippo_search_insights", {"query": "jitter"})
        assert result.structuredContent is None and not result.isError
        check("mcp", result.content[0].text, len(tools))
        result = await session.call_tool("hippo_search_insights", {"query": "jitter", "format": "json"})
        assert result.structuredContent["results"] and json.loads(result.content[0].text) == result.structuredContent


async def google():
    from google.genai import _mcp_utils
    async with stdio_client(SERVER) as (r, w), ClientSession(r, w) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        converted = _mcp_utils.mcp_to_gemini_tools(tools)
        # The API refuses formats that it does not know; the SDK fails on a schema that is a boolean.
        schemas = json.dumps([t.inputSchema for t in tools])
        assert '"format"' not in schemas and "additionalProperties" not in schemas
        await session.call_tool("hippo_record_insight", RECORD)
        result = await session.call_tool("hippo_search_insights", {"query": "jitter"})
        check("google-genai", result.content[0].text, len(converted))


async def openai():
    from agents.mcp import MCPServerStdio, MCPUtil
    async with MCPServerStdio({"command": SERVER.command, "args": SERVER.args}) as server:
        for strict in (False, True):
            tools = [MCPUtil.to_function_tool(t, server, convert_schemas_to_strict=strict) for t in await server.list_tools()]
        await server.call_tool("hippo_record_insight", RECORD)
        result = await server.call_tool("hippo_search_insights", {"query": "jitter"})
        check("openai-agents", result.content[0].text, len(tools))


async def langchain():
    from langchain_mcp_adapters.client import MultiServerMCPClient
    client = MultiServerMCPClient({"hippo": {"command": SERVER.command, "args": SERVER.args, "transport": "stdio"}})
    async with client.session("hippo") as session:
        from langchain_mcp_adapters.tools import load_mcp_tools
        tools = {t.name: t for t in await load_mcp_tools(session)}
        await tools["hippo_record_insight"].ainvoke(RECORD)
        check("langchain", str(await tools["hippo_search_insights"].ainvoke({"query": "jitter"})), len(tools))


async def main():
    for client in (official, google, openai, langchain):
        await client()


warnings.simplefilter("ignore")
asyncio.run(main())
