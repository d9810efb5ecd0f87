import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Mneme } from '../../../support/mneme.ts';
import { type CrashPlan, ProcessGone, type Reply, type Request, type Target } from '../target.ts';
import { evidenceOf, STAND_IN, sendTo } from './server.ts';

/** For each step of a plan. Milliseconds. */
const STEP_MS = 8;

/** The real server on embedded engines; a crash is kill -9. */
export class KilledTarget implements Target {
  readonly patienceMs = 30_000;
  readonly #folder: string;
  #server: Mneme | null = null;
  #lives = 0;
  #again: CrashPlan | null = null;
  #timer: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | null = null;

  static async start(): Promise<KilledTarget> {
    const target = new KilledTarget(await mkdtemp(join(tmpdir(), 'mneme-model-')));
    await target.recover();
    return target;
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  get lives(): number {
    return this.#lives;
  }

  async send(request: Request): Promise<Reply> {
    if (this.#server === null) throw new ProcessGone('no process runs');
    return sendTo(this.#server, request);
  }

  arm(plan: CrashPlan): void {
    clearTimeout(this.#timer);
    this.#again = plan.again === null ? null : { ...plan, steps: plan.again, again: null };
    this.#timer = setTimeout(() => void this.#server?.kill('SIGKILL'), plan.steps * STEP_MS);
  }

  recover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = null;
    });
    return this.#recovering;
  }

  async restart(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.kill('SIGTERM');
    await this.recover();
  }

  /** By the operator's command, beside the views that serve. */
  async replay(): Promise<void> {
    const { lives } = this;
    const failure = await new Promise<string | null>((done) => {
      const program = resolve(import.meta.dirname, '../../../../bin/mneme.js');
      const env = { PATH: process.env.PATH, MNEME_DATA: this.#folder, ...STAND_IN };
      execFile(process.execPath, [program, 'replay'], { env }, (error, out, err) => done(error && `${out}${err}`));
    });
    if (failure !== null && this.#server?.running === true && lives === this.lives) {
      throw new Error(`mneme replay failed: ${failure}`);
    }
    if (this.#server?.running !== true) await this.recover();
  }

  evidence(): Promise<string> {
    return evidenceOf(this.#server ? [this.#server] : []);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#server?.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #recover(): Promise<void> {
    if (this.#server?.running === true) return;
    const plan = this.#again;
    this.#again = null;
    this.#server = await Mneme.start({ folder: this.#folder, env: STAND_IN });
    this.#lives += 1;
    if (plan !== null) this.arm(plan);
  }
}
