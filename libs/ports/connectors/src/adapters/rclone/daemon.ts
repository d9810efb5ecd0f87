import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { randomSecret } from '#platform/kernel';
import { SourceLostError } from '../../errors.ts';
import type { Environment } from './program.ts';

const START_MS = 30_000;
const SERVING = /Serving remote control on (http:\/\/127\.0\.0\.1:\d+\/)/;
const USER = 'mneme';
/** Ends rclone with this process, also when it is killed: then the pipe of the shell's reader ends. */
const WITH_PARENT = '(cat <&3 >/dev/null; kill $$) 2>/dev/null & exec "$0" "$@" 3<&-';

export interface DaemonAddress {
  /** With a slash at its end. */
  readonly url: string;
  readonly authorization: string;
}

interface Running extends DaemonAddress {
  readonly child: ChildProcess;
}

/** One process of rclone, which serves its remotes on loopback while somebody uses it. */
export class RcloneDaemon {
  readonly #environment: Environment;
  #users = 0;
  #running: Promise<Running> | null = null;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Keeps the process, once it is started, until the returned function is called. */
  use(): () => Promise<void> {
    this.#users += 1;
    let isOver = false;
    return async () => {
      if (isOver) return;
      isOver = true;
      this.#users -= 1;
      if (this.#users === 0) await this.#stop();
    };
  }

  /** Starts the process if it does not run. @throws SourceLostError */
  async address(): Promise<DaemonAddress> {
    this.#running ??= this.#start();
    return this.#running;
  }

  async #start(): Promise<Running> {
    try {
      const running = await start(this.#environment);
      running.child.once('exit', () => {
        this.#running = null;
      });
      return running;
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }

  async #stop(): Promise<void> {
    const running = await this.#running?.catch(() => null);
    this.#running = null;
    if (running) await end(running.child);
  }
}

async function start(environment: Environment): Promise<Running> {
  const password = randomSecret();
  // On the command line, others on the machine could read it. Settings of this program are none of rclone.
  const kept = Object.entries(environment).filter(([name]) => !/^(MNEME_|RCLONE_RC)/.test(name));
  const env = { ...Object.fromEntries(kept), RCLONE_RC_USER: USER, RCLONE_RC_PASS: password };
  const options = ['rcd', '--rc-serve', '--rc-addr', '127.0.0.1:0', '--log-level', 'NOTICE'];
  const child = spawn('sh', ['-c', WITH_PARENT, 'rclone', ...options], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  try {
    const url = await Promise.race([failed, servedAt(child)]);
    // It ends with this process, and does not keep it.
    child.unref();
    for (const pipe of [child.stderr, child.stdio[3]]) (pipe as Readable & { unref?(): void }).unref?.();
    const authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
    return { child, url, authorization };
  } catch (error) {
    await end(child);
    throw new SourceLostError(`rclone cannot be started: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the address that the process tells. What it says later is read and forgotten. */
async function servedAt({ stderr }: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let last = 'it ended';
  const lines = createInterface({ input: stderr as Readable });
  lines.on('line', (line) => {
    last = line.slice(0, 300);
    const url = SERVING.exec(line)?.[1];
    if (url !== undefined) resolve(url);
  });
  lines.once('close', () => reject(new Error(last)));
  const timer = setTimeout(() => reject(new Error('it does not serve in time')), START_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  (child.stdio[3] as Readable | null)?.destroy();
}
