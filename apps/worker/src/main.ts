import { connectionDocumentsOf } from '#composition/application/connections';
import { startWorker } from '#composition/startup';
import { loadConfig, readEnvironment } from '#platform/config';
import { runProcess } from '#platform/telemetry';

/** Equals the server's program with MNEME_ROLE=worker. */
await runProcess(async () => {
  const { config, warnings } = loadConfig({ ...readEnvironment(), MNEME_ROLE: 'worker' });
  for (const warning of warnings) console.error(`warning: ${warning}`);
  const worker = await startWorker(config, { connectionDocuments: connectionDocumentsOf });
  console.log(`Mneme worker listens on ${worker.url} for health checks`);
  return worker;
});
