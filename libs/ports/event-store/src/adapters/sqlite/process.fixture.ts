import { writeSync } from 'node:fs';
import { DataFolderInUseError, SqliteEventStore } from '#ports/event-store';
import { numbered } from '../../testing.ts';

/**
 * Runs in a process of its own: `append <path>` appends until it is killed and prints `<stream> <revision> <id>` for each
 * acknowledged append; `open <path>` opens the store and prints the outcome.
 */
const [task, path] = process.argv.slice(2) as [string, string];

/** Writes synchronously, so that the line has left this process before it is killed. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The pipe is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function appendForever(stream: string, store: SqliteEventStore): Promise<never> {
  for (;;) {
    const [event] = numbered(1);
    const result = await store.append(stream, [event!], { expected: 'any' });
    if (result.ok) print(`${stream} ${result.revision} ${event!.envelope.id}`);
  }
}

try {
  const store = await SqliteEventStore.open({ path });
  if (task === 'append') await Promise.all(Array.from({ length: 16 }, (_, i) => appendForever(`document-${i}`, store)));
  print('opened');
  await store.close();
} catch (error) {
  print(error instanceof DataFolderInUseError ? error.name : `${error}`);
}
