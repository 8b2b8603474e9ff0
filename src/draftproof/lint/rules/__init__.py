"""The rules, one engine a file, each a table."""
