import { createLogger } from './logger.ts';

/** A process of its own for the specs: logs many lines at once, says that it goes on, and ends. */
const logger = createLogger('info');
for (let i = 0; i < 20_000; i += 1) logger.info(`line ${i} ${'x'.repeat(200)}`);
setTimeout(() => process.send?.('goes on', () => process.exit(0)), 200);
