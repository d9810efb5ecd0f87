import { keyShown } from '#access';
import { loadConfig, readEnvironment } from '#config';
import { type Application, startServer, startWorker } from '#runtime/start';
import { runProcess } from '#telemetry';
import { openEdge } from './edge.ts';
import { greeting } from './greeting.ts';

const application: Application = {
  openEdge,
  /** Operations are loaded when an operator asks for one. */
  async *operate(...call) {
    const { operate } = await import('#operations');
    yield* operate(...call);
  },
};

await runProcess(async () => {
  const { config, warnings } = loadConfig(readEnvironment());
  for (const warning of warnings) console.error(`warning: ${warning}`);
  // One program for every role, so that one image and one command are enough.
  if (config.role === 'worker') return runWorker();
  const server = await startServer(config, application);
  await keyShown(server.ownerKey);
  console.log(greeting(server.url, server.ownerKey));
  return server;

  async function runWorker() {
    const worker = await startWorker(config);
    console.log(`Mneme worker listens on ${worker.url} for health checks`);
    return worker;
  }
});
