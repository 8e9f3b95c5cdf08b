// Prints the timeline of a run until the run has ended, through connections that break.
//
//	WINDIE_RUNS_KEY=… node watch-run.mjs RUN
import { Windie } from '@windie/sdk';

const windie = new Windie({ runsKey: process.env.WINDIE_RUNS_KEY });
for await (const event of windie.runs.follow(process.argv[2])) console.log(event.seq, event.event_type, JSON.stringify(event.payload));
console.log((await windie.runs.get(process.argv[2])).status);
