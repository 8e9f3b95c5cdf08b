import { APIError, ConnectionError, TimeoutError } from './errors.js';
import { passes, pauseOf, sleep } from './http.js';
const maxSilence = 45_000;
const maxBreaks = 10;
const maxSeen = 1000;
export async function* readEvents(body, alive = () => { }) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    let event = '';
    let data = [];
    let id;
    try {
        for (;;) {
            const { done, value } = await reader.read();
            alive();
            text += decoder.decode(value, { stream: !done });
            for (;;) {
                const end = (done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/).exec(text);
                if (!end)
                    break;
                const line = text.slice(0, end.index);
                text = text.slice(end.index + end[0].length);
                if (line === '') {
                    if (data.length > 0)
                        yield { id, event: event || 'message', data: data.join('\n') };
                    event = '';
                    data = [];
                    continue;
                }
                const colon = line.indexOf(':');
                const field = colon < 0 ? line : line.slice(0, colon);
                const rest = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
                if (field === 'data')
                    data.push(rest);
                else if (field === 'event')
                    event = rest;
                else if (field === 'id')
                    id = rest;
            }
            if (done)
                return;
        }
    }
    finally {
        await reader.cancel().catch(() => { });
    }
}
export async function* follow(f) {
    let { after } = f;
    let opened = false;
    const seen = new Set();
    for (let breaks = 0;; breaks++) {
        const left = new AbortController();
        const signal = f.signal ? AbortSignal.any([f.signal, left.signal]) : left.signal;
        let silent = false;
        let timer;
        const alive = () => {
            clearTimeout(timer);
            timer = setTimeout(() => {
                silent = true;
                left.abort();
            }, f.timeout ?? maxSilence);
        };
        let failure;
        try {
            alive();
            const response = await f.open(after, signal);
            opened = true;
            if (!response.body)
                throw new ConnectionError('the answer has no body');
            for await (const raw of readEvents(response.body, alive)) {
                if (raw.id !== undefined) {
                    if (seen.has(raw.id))
                        continue;
                    seen.add(raw.id);
                    if (seen.size > maxSeen)
                        seen.delete(seen.values().next().value);
                }
                const event = f.read(raw);
                after = raw.id ?? after;
                breaks = 0;
                if (event === undefined)
                    continue;
                f.signal?.throwIfAborted();
                yield event;
                if (f.last(event))
                    return;
            }
            failure = new ConnectionError('the stream ended early');
        }
        catch (error) {
            if (f.signal?.aborted)
                throw f.signal.reason;
            if (error instanceof APIError && !(opened && passes(error)))
                throw error;
            failure = silent ? new TimeoutError('the stream was silent for too long', { cause: error }) : error;
        }
        finally {
            clearTimeout(timer);
            left.abort();
        }
        if (breaks >= maxBreaks || (after === undefined && !f.again))
            throw failure;
        f.transport.log({ event: 'reconnect', attempt: breaks, message: String(failure) });
        await sleep(pauseOf(breaks), f.signal);
    }
}
