import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { EventStoreDbServer } from './server.ts';

/**
 * Runs the server: `node main.ts [--port N]`. Prints one line of JSON, `{ "port": 2113, "url": "esdb://…" }`,
 * and for each line of standard input one with the numbers of requests until then. Stops at the end of standard input or
 * on a signal.
 */
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const server = await EventStoreDbServer.start({ port: Number(values.port ?? 0) });
console.log(JSON.stringify({ port: server.port, url: server.url }));

const stop = () => {
  void server.stop().then(() => process.exit());
};
createInterface({ input: process.stdin })
  .on('line', () => console.log(JSON.stringify(server.requests)))
  .on('close', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
