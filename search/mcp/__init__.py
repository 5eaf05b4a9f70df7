"""What assistants may call of the library, over MCP."""

from search.mcp.find import FIND
from search.mcp.items import FETCH, GET_ITEM, ITEM, SEARCH

TOOLS = (FIND, GET_ITEM, SEARCH, FETCH)
DOCUMENTS = (ITEM,)
