import { relative, sep } from 'node:path';

/** More would take much memory; scans find what changes in larger folders. */
const MAX_WATCHED = 20_000;
/** A change is seldom alone. Milliseconds. */
const PAUSE_MS = 500;

export interface Watching {
  readonly changed: () => void;
  readonly signal: AbortSignal;
  readonly warn: (message: string, cause?: unknown) => void;
}

/** Tells when something in a folder has changed, until the signal aborts, or not at all where it is too large to be watched. */
export async function watchFolder(root: string, { changed, signal, warn }: Watching): Promise<void> {
  const { watch } = await import('chokidar');
  const seen = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  const ended = Promise.withResolvers<void>();
  const giveUp = (reason: string, cause?: unknown) => {
    warn(`The folder ${root} is no longer watched: ${reason}. Its changes are found by the next scan.`, cause);
    ended.resolve();
  };
  const watcher = watch(root, {
    ...{ ignoreInitial: true, followSymlinks: false, persistent: true },
    ignored: (path, status) => {
      if (isHidden(relative(root, path)) || (status !== undefined && !status.isFile() && !status.isDirectory()))
        return true;
      if (seen.size <= MAX_WATCHED && seen.add(path).size > MAX_WATCHED) giveUp(`it has over ${MAX_WATCHED} entries`);
      return seen.size > MAX_WATCHED;
    },
  });
  watcher.on('all', () => {
    timer ??= setTimeout(() => {
      timer = null;
      changed();
    }, PAUSE_MS);
  });
  watcher.on('error', (error) => giveUp('watching failed', error));
  const end = () => ended.resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(timer ?? undefined);
    await watcher.close();
  }
}

/** A file of rules is hidden, and changes what is taken. */
const isHidden = (path: string): boolean =>
  path.split(sep).some((name) => name.startsWith('.') && name !== '.gitignore' && name !== '.mnemeignore');
