"""The import path of the code-execution interface of mcp-memory-service, over Hippo."""
