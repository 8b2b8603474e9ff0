"""`python -m draftproof` is `draftproof`."""

import sys

from draftproof.cli import main

sys.exit(main())
