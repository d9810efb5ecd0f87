import { loadConfig, readEnvironment } from '#config';
import { runProcess } from '#telemetry';
import { startWorkerProcess } from './worker.ts';

/** The same as the server's program with MNEME_ROLE=worker. */
await runProcess(async () => {
  const { config, warnings } = loadConfig({ ...readEnvironment(), MNEME_ROLE: 'worker' });
  for (const warning of warnings) console.error(`warning: ${warning}`);
  return startWorkerProcess(config);
});
