import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../kernel/src/testing/eventually.ts';

const PORT_TAKEN_MS = 10_000;
const RETRY_MS = 200;

/** A server that belongs to one test, which may kill it. */
export interface NatsServer {
  readonly url: string;
  /** Folder of its files. */
  readonly folder: string;
  /** Ends it like a crash. The data of JetStream stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Stops its process (SIGSTOP) until `thaw`: connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Removes the data of JetStream, after `kill`. */
  wipe(): Promise<void>;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}

/** Returns the address of the server that tests share. @throws Error if the variable is not set */
export function testNatsUrl(): string {
  const url = process.env.MNEME_TEST_NATS_URL;
  if (!url)
    throw new Error('This test needs a NATS server with JetStream: set MNEME_TEST_NATS_URL=nats://127.0.0.1:PORT');
  return url;
}

/**
 * Starts a server on a free port.
 * @param parent folder in which the folder of its files is created
 * @param program Default: the one that MNEME_TEST_NATS_SERVER names, or `nats-server` of the PATH
 */
export async function startNatsServer(
  args: readonly string[] = ['-js'],
  parent = tmpdir(),
  program = process.env.MNEME_TEST_NATS_SERVER || 'nats-server',
): Promise<NatsServer> {
  const folder = await mkdtemp(join(parent, 'mneme-nats-'));
  let port = -1;
  let child: ChildProcess | null = null;

  /** A connection of another test may use one of its ports for a moment, with which the server ends at once. */
  async function start(): Promise<void> {
    for (const end = Date.now() + PORT_TAKEN_MS; ; await pause(RETRY_MS)) {
      try {
        return await startOnce();
      } catch (error) {
        if (child?.exitCode == null || Date.now() > end) throw error;
      }
    }
  }

  async function startOnce(): Promise<void> {
    const fixed = ['-sd', join(folder, 'data'), '-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder];
    const started = spawn(program, [...args, ...fixed], { stdio: 'ignore' });
    await once(started, 'spawn').catch((error) => {
      throw new Error(`${program} does not start; name a NATS server with MNEME_TEST_NATS_SERVER`, { cause: error });
    });
    child = started;
    port = await portOf(folder, started);
  }

  async function kill(): Promise<void> {
    if (child === null) return;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
    child = null;
  }

  await start();
  return {
    get url() {
      return `nats://127.0.0.1:${port}`;
    },
    folder,
    kill,
    restart: start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    wipe: () => rm(join(folder, 'data'), { recursive: true, force: true }),
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function portOf(folder: string, child: ChildProcess): Promise<number> {
  const ports = await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`the NATS server ended with code ${child.exitCode}`);
      const name = (await readdir(folder)).find((file) => file.endsWith(`_${child.pid}.ports`));
      return name === undefined ? '' : readFile(join(folder, name), 'utf8');
    },
    (text) => text.trimEnd().endsWith('}'),
  );
  return Number(new URL(JSON.parse(ports).nats[0]).port);
}
