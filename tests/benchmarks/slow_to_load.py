"""A module that takes some seconds to load, for the tests of the harness."""

import os
import time

from ending_tasks import write_whole

write_whole(os.environ["LOADING"], f"{os.getpid()}")
time.sleep(3)
