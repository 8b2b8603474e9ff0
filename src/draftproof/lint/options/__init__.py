"""The options of the engines, one engine a file. A name that is missing here is reported as unknown, so these lists are whole."""
