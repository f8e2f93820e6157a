"""The code-execution interface of mcp-memory-service, over Hippo."""

from hippo_memory import CompactMemory, CompactSearchResult, CompactStorageInfo, __api_version__, close, delete
from hippo_memory import expand_memory, health, recall, search, search_by_tag, search_iter, store, update

__all__ = [
    "CompactMemory", "CompactSearchResult", "CompactStorageInfo", "__api_version__", "close", "delete", "expand_memory",
    "health", "recall", "search", "search_by_tag", "search_iter", "store", "update",
]  # fmt: skip
