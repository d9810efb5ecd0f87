import { Cluster } from '../../../support/cluster.ts';
import type { Mneme } from '../../../support/mneme.ts';
import { type CrashPlan, ProcessGone, type Reply, type Request, type Target } from '../target.ts';
import { evidenceOf, STAND_IN, sendTo } from './server.ts';

/** For each step of a plan. Milliseconds. */
const STEP_MS = 40;
const EVENTS_SHOWN = 200;
const TICKS_PER_MS = 10_000n;

const ROLES = ['api', 'worker'] as const;
type Role = (typeof ROLES)[number];

const timeOf = (ticks: string) => new Date(Number(BigInt(ticks) / TICKS_PER_MS)).toISOString();

/** An API process and a worker on distributed engines; a crash is kill -9 of one of them. */
export class ClusterTarget implements Target {
  readonly patienceMs = 90_000;
  readonly #cluster: Cluster;
  readonly #processes = new Map<Role, Mneme>();
  #lives = 0;
  #again: CrashPlan | null = null;
  #timer: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | null = null;
  #closed = false;

  static async start(): Promise<ClusterTarget> {
    const target = new ClusterTarget(await Cluster.start({ env: STAND_IN }));
    await target.recover();
    return target;
  }

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  get lives(): number {
    return this.#lives;
  }

  async send(request: Request): Promise<Reply> {
    const api = this.#processes.get('api');
    if (api === undefined) throw new ProcessGone('no process runs');
    return sendTo(api, request);
  }

  arm(plan: CrashPlan): void {
    clearTimeout(this.#timer);
    this.#again = plan.again === null ? null : { ...plan, steps: plan.again, again: null };
    const role: Role = plan.side === 'before' ? 'api' : 'worker';
    this.#timer = setTimeout(() => void this.#kill(role), plan.steps * STEP_MS);
  }

  recover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = null;
    });
    return this.#recovering;
  }

  async restart(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((one) => one.kill('SIGTERM')));
    await this.recover();
  }

  async replay(): Promise<void> {
    const { lives } = this;
    const { code, out, err } = await this.#cluster.cli('replay');
    const areRunning = [...this.#processes.values()].every((one) => one.running);
    if (code !== 0 && areRunning && lives === this.lives) throw new Error(`mneme replay failed: ${out}${err}`);
  }

  async evidence(): Promise<string> {
    const { log, processes } = this.#cluster;
    const events = log.log.all.slice(-EVENTS_SHOWN);
    const end = events.map(({ created, stream, revision, type }) => `${timeOf(created)} ${stream} ${revision} ${type}`);
    return `${await evidenceOf(processes)}\nthe log ends with:\n${end.join('\n')}`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#recovering;
    await this.#cluster.stop();
  }

  /** No request tells that a worker is gone, so what was killed is started again at once. */
  async #kill(role: Role): Promise<void> {
    await this.#processes.get(role)?.kill('SIGKILL');
    if (!this.#closed) await this.recover();
  }

  async #recover(): Promise<void> {
    // One of them may end while the other is started.
    for (let missing = this.#missing(); missing.length > 0; missing = this.#missing()) {
      const plan = this.#again;
      this.#again = null;
      await Promise.all(missing.map(async (role) => this.#processes.set(role, await this.#cluster.start(role))));
      this.#lives += 1;
      if (plan !== null) this.arm(plan);
    }
  }

  #missing(): readonly Role[] {
    return ROLES.filter((role) => this.#processes.get(role)?.running !== true);
  }
}
