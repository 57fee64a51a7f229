"""Everything that knows MediaWiki: dumps, bzip2, wikitext, SQL tables, CirrusSearch."""
