// Prints the timeline of a run until the run has ended, through connections that break.
//
//	WINDIE_RUNS_KEY=… node watch-run.mjs RUN
import { Windie } from '@windie/sdk';

const run = process.argv[2];
const runsKey = process.env.WINDIE_RUNS_KEY;
if (!run || !runsKey) {
  console.error('usage: WINDIE_RUNS_KEY=… node watch-run.mjs RUN, where RUN is the id of a run');
  process.exit(2);
}
const windie = new Windie({ runsKey });
for await (const event of windie.runs.follow(run)) console.log(event.seq, event.event_type, JSON.stringify(event.payload));
console.log((await windie.runs.get(run)).status);
