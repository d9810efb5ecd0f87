import { connectionDocumentsOf } from '#composition/application/connections';
import { type Application, startServer, startWorker } from '#composition/startup';
import { keyShown } from '#features/access';
import { loadConfig, readEnvironment } from '#platform/config';
import { runProcess } from '#platform/telemetry';
import { openEdge } from './edge.ts';
import { greeting } from './greeting.ts';

const application: Application = {
  openEdge,
  connectionDocuments: connectionDocumentsOf,
  /** Operations are loaded when an operator asks for one. */
  async *operate(...call) {
    const { operate } = await import('#composition/operations');
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
    const worker = await startWorker(config, application);
    console.log(`Mneme worker listens on ${worker.url} for health checks`);
    return worker;
  }
});
