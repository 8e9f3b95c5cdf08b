"""
Prints the timeline of a run until the run has ended, through connections that break.

    WINDIE_RUNS_KEY=… python watch_run.py RUN
"""

import json
import os
import sys

from windie import Windie

key = os.environ.get("WINDIE_RUNS_KEY")
if len(sys.argv) != 2 or not key:
    print("usage: WINDIE_RUNS_KEY=… python watch_run.py RUN, where RUN is the id of a run", file=sys.stderr)
    sys.exit(2)
with Windie(runs_key=key) as windie:
    for event in windie.runs.follow(sys.argv[1]):
        print(event["seq"], event["event_type"], json.dumps(event["payload"]))
    print(windie.runs.get(sys.argv[1])["status"])
