"""What a person or a program reads of a result: one result, several ways to show it."""
