"""For programs that ask in words: the verbs of the command line as tools of the Model Context Protocol (MCP)."""
