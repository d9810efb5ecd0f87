import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from '#platform/child-jobs';
import { DiskBlobStore } from '#ports/blobs';
import { removeViews } from '#read-side/views';
import { type CrashPlan, ProcessGone, type Reply, type Request, type Target } from '../target.ts';
import { type Durable, Life, lifeFolder } from './life.ts';
import { InProcessLog } from './log.ts';
import { InProcessVectors } from './vectors.ts';

/** How long what a crashed life left in memory may take to end. Milliseconds. */
const LEFT_MS = 10_000;

/** The server in this process: a crash throws away everything that is not durable. */
export class InProcessTarget implements Target {
  readonly patienceMs = 60_000;
  readonly #folder: string;
  readonly #log: InProcessLog;
  readonly #durable: Durable;
  readonly #leaving: Promise<unknown>[] = [];
  #again: CrashPlan | null = null;
  #life: Life | null = null;
  #lives = 0;

  static async start(pool: Pool): Promise<InProcessTarget> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-model-'));
    const log = new InProcessLog();
    const target = new InProcessTarget(folder, log, {
      attach: () => log.attach(),
      blobs: await DiskBlobStore.open(join(folder, 'blobs')),
      vectors: new InProcessVectors(),
      viewsPath: join(folder, 'views.db'),
      pool,
    });
    await target.recover();
    return target;
  }

  private constructor(folder: string, log: InProcessLog, durable: Durable) {
    this.#folder = folder;
    this.#log = log;
    this.#durable = durable;
  }

  get lives(): number {
    return this.#lives;
  }

  async send(request: Request): Promise<Reply> {
    const reply = await this.#life?.send(request);
    if (reply == null) throw new ProcessGone('the life has ended');
    return reply;
  }

  arm(crash: CrashPlan): void {
    this.#again = crash.again === null ? null : { ...crash, steps: crash.again, again: null };
    this.#life?.fuse.arm(crash);
  }

  /** Concurrent requests recover together. */
  recover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = null;
    });
    return this.#recovering;
  }
  #recovering: Promise<void> | null = null;

  async restart(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.stop();
    await this.recover();
  }

  async replay(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.stop();
    removeViews(this.#durable.viewsPath);
    await this.recover();
  }

  async close(): Promise<void> {
    const ended = Promise.all([this.#life?.stop(), ...this.#leaving]);
    await Promise.race([ended, pause(LEFT_MS, undefined, { ref: false })]);
    this.#log.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #recover(): Promise<void> {
    if (this.#life !== null) {
      if (!this.#life.fuse.isBlown) return;
      const { gone } = await this.#life.end();
      this.#leaving.push(gone);
      this.#life = null;
    }
    while (this.#life === null) {
      const plan = this.#again;
      this.#again = null;
      this.#lives += 1;
      try {
        this.#life = await Life.start(this.#durable, lifeFolder(this.#folder, this.#lives), (fuse) => {
          if (plan !== null) fuse.arm(plan);
        });
      } catch (error) {
        if ((error as { readonly code?: string }).code !== 'crashed') throw error;
      }
    }
  }
}
