"""Random language models small enough to be written, loaded and decoded in seconds: real files, real engines, no meaning.

What they write looks like noise, but it is a law all the same: every token depends on all tokens before it, and a fault of
an engine shows as it would with a large model.
"""

from draftproof.models.tiny_folder import write_tiny_folder
from draftproof.models.tiny_gguf import write_tiny_gguf
from draftproof.models.tiny_model import Near

__all__ = ["Near", "write_tiny_folder", "write_tiny_gguf"]
