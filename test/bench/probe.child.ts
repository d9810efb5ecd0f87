/**
 * Sends `GET /` at a fixed interval, without waiting for earlier answers, until the parent disconnects. The arguments are the
 * URL and the interval in milliseconds. Any message asks for the latencies.
 */
import { Agent, get } from 'node:http';

/** Latencies of the requests that were sent since the last message, in milliseconds, when all of them are answered. */
export interface FromProbe {
  readonly latencies: readonly number[];
}

const [url = '', every = '20'] = process.argv.slice(2);
/** Requests that wait for a blocked server must not wait for each other here. */
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

let sent: Promise<number>[] = [];

const send = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`GET / returned ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - begun));
    }).on('error', reject);
  });

setInterval(() => sent.push(send()), Number(every));

process.on('message', async () => {
  const latencies = Promise.all(sent);
  sent = [];
  process.send?.({ latencies: await latencies } satisfies FromProbe);
});
process.on('disconnect', () => process.exit(0));
