import { loadConfig, readEnvironment } from '#config';
import { runProcess } from '#telemetry';
import { startServer } from './server.ts';

await runProcess(async () => {
  const { config, warnings } = loadConfig(readEnvironment());
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config.role === 'worker') {
    // One program for every role, so that one image and one command do.
    const { startWorkerProcess } = await import('../../worker/src/worker.ts');
    return startWorkerProcess(config);
  }
  const server = await startServer(config);
  console.log(greeting(server.url, server.ownerKey));
  return server;
});

function greeting(url: string, ownerKey: string | null): string {
  const key = ownerKey ?? '$MNEME_KEY';
  const lines = [`Mneme listens on ${url}`];
  if (ownerKey !== null) lines.push(`Owner key (shown once, kept in owner.key of the data folder): ${ownerKey}`);
  lines.push(
    '',
    'A first request:',
    `  curl ${url}/v3/documents -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' -d '{"content": "The kettle is in the blue cupboard."}'`,
    '',
    'Ask for it:',
    `  curl ${url}/v4/search -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' -d '{"q": "where is the kettle?"}'`,
    '',
    `The API, to read and to try: ${url}/v3/docs`,
  );
  return lines.join('\n');
}
