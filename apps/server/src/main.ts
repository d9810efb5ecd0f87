import { loadConfig, readEnvironment } from '#config';
import { type Application, startServer, startWorker } from '#runtime/start';
import { runProcess } from '#telemetry';
import { openEdge } from './edge.ts';

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
  console.log(greeting(server.url, server.ownerKey));
  return server;

  async function runWorker() {
    const worker = await startWorker(config);
    console.log(`Mneme worker listens on ${worker.url} for health checks`);
    return worker;
  }
});

function greeting(url: string, ownerKey: string | null): string {
  const key = ownerKey ?? '$OWNER_KEY';
  const lines = [`Mneme listens on ${url}`];
  if (ownerKey !== null) lines.push(`Owner key (shown once, kept in owner.key of the data folder): ${ownerKey}`);
  lines.push(
    '',
    'A first request:',
    `  curl ${url}/v3/documents -H "Authorization: Bearer ${key}" \\`,
    `    -H 'Content-Type: application/json' -d '{"content": "The kettle is in the blue cupboard."}'`,
    '',
    'Ask for it:',
    `  curl ${url}/v4/search -H "Authorization: Bearer ${key}" \\`,
    `    -H 'Content-Type: application/json' -d '{"q": "where is the kettle?"}'`,
    '',
    `The API, to read and to try: ${url}/v3/docs`,
  );
  return lines.join('\n');
}
