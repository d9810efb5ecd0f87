import type { InstallProgress } from './install-model.ts';
import type { ModelEntry } from './model-files.ts';

/** Returns a listener that logs each source of a model, and each quarter that has arrived from it. */
export function progressLogger(
  { name }: Pick<ModelEntry, 'name'>,
  logger: { info(message: string): void } | undefined,
): (progress: InstallProgress) => void {
  let lastSource = '';
  let lastQuarter = 0;
  return ({ source, receivedBytes, totalBytes }) => {
    if (source !== lastSource) {
      logger?.info(`Fetching model ${name}: ${source}`);
      lastSource = source;
      lastQuarter = 0;
    }
    const quarter = Math.floor((4 * receivedBytes) / totalBytes);
    if (quarter > lastQuarter) {
      logger?.info(`Fetching model ${name}: ${quarter * 25} %`);
      lastQuarter = quarter;
    }
  };
}
