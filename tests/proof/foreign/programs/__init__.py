"""Small random programs that draw, compare, race and write in place, and their laws found without symbols."""
