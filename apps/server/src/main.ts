import { loadConfig, readEnvironment } from '#config';
import { startServer } from './server.ts';

/** Failures of the start that a person can mend are told in a sentence, not as a stack. */
const EXPECTED = new Set(['ConfigError', 'DataFolderInUseError', 'NewerSchemaError']);

try {
  const { config, warnings } = loadConfig(readEnvironment());
  for (const warning of warnings) console.error(`warning: ${warning}`);
  const server = await startServer(config);
  console.log(greeting(server.url, server.ownerKey));
  let closing = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (closing) return;
      closing = true;
      server.close().then(
        () => process.exit(0),
        (error) => fail(error),
      );
    });
  }
} catch (error) {
  fail(error as Error);
}

function fail(error: Error & { code?: string }): never {
  if (error.code === 'EADDRINUSE')
    console.error(`Mneme cannot start: ${error.message}; set MNEME_PORT to another port`);
  else if (EXPECTED.has(error.name)) console.error(`Mneme cannot start: ${error.message}`);
  else console.error(error);
  process.exit(1);
}

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
