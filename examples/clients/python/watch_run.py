"""
Prints the timeline of a run until the run has ended, through connections that break.

    WINDIE_RUNS_KEY=… python watch_run.py RUN
"""

import json
import os
import sys

from windie import Windie

with Windie(runs_key=os.environ["WINDIE_RUNS_KEY"]) as windie:
    for event in windie.runs.follow(sys.argv[1]):
        print(event["seq"], event["event_type"], json.dumps(event["payload"]))
    print(windie.runs.get(sys.argv[1])["status"])
