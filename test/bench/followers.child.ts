/**
 * Opens event streams and reads them. The arguments are the URL, the key and the number of streams. Sends a message when all
 * are open; any message asks for the number of bytes that were read.
 */
import { Agent, get } from 'node:http';

export type FromFollowers = 'open' | { readonly bytes: number; readonly ended: number };

const [url = '', key = '', count = '0'] = process.argv.slice(2);
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

let opened = 0;
let bytes = 0;
let ended = 0;

for (let i = 0; i < Number(count); i += 1) {
  get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
    if (response.statusCode !== 200) throw new Error(`an event stream returned ${response.statusCode}`);
    opened += 1;
    if (opened === Number(count)) process.send?.('open' satisfies FromFollowers);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    response.on('close', () => {
      ended += 1;
    });
  });
}

process.on('message', () => process.send?.({ bytes, ended } satisfies FromFollowers));
process.on('disconnect', () => process.exit(0));
