import { writeSync } from 'node:fs';
import { DataFolderInUseError, SqliteEventStore } from '#event-store';
import { numbered } from '../../testing.ts';

/**
 * A process of its own for the specs: `append <path>` appends until it is killed and writes a line
 * `<stream> <revision> <id>` for each append that was acknowledged; `open <path>` opens and tells what came of it.
 */
const [task, path] = process.argv.slice(2) as [string, string];

/** Synchronous, so that what was acknowledged has left this process before it is killed. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The pipe is full because the reader is slower.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function appendForever(stream: string, store: SqliteEventStore): Promise<never> {
  for (;;) {
    const [event] = numbered(1);
    const result = await store.append(stream, [event!], { expected: 'any' });
    if (result.ok) say(`${stream} ${result.revision} ${event!.envelope.id}`);
  }
}

try {
  const store = await SqliteEventStore.open({ path });
  if (task === 'append') await Promise.all(Array.from({ length: 16 }, (_, i) => appendForever(`document-${i}`, store)));
  say('opened');
  await store.close();
} catch (error) {
  say(error instanceof DataFolderInUseError ? error.name : `${error}`);
}
