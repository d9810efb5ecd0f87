import { parseArgs } from 'node:util';
import { EventStoreDbServer } from './server.ts';

/**
 * The server as a process of its own: `node main.ts [--port N]`. Prints one line of JSON, `{ "port": 2113, "url": "esdb://…" }`,
 * and serves until its standard input ends or it is told to stop.
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
