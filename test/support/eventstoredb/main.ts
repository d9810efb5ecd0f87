import { parseArgs } from 'node:util';
import { EventStoreDbServer } from './server.ts';

/**
 * Runs the server: `node main.ts [--port N]`. Prints one line of JSON, `{ "port": 2113, "url": "esdb://…" }`,
 * and stops at the end of standard input or on a signal.
 */
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const server = await EventStoreDbServer.start({ port: Number(values.port ?? 0) });
console.log(JSON.stringify({ port: server.port, url: server.url }));

const stop = () => {
  void server.stop().then(() => process.exit());
};
process.stdin.resume().on('end', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
