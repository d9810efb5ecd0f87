import type { EventStore, Position } from '#ports/event-store';
import type { ViewsProgress } from '#read-side/views';
import { LateDocuments } from './late-documents.ts';
import { Waiters } from './waiters.ts';

type Units = Parameters<ViewsProgress['reached']>[2];

/** How far the views are behind the log, as a projection of this process reports it. */
export class ReportedProgress implements ViewsProgress {
  readonly #compare: EventStore['compare'];
  readonly #waiters = new Waiters<Position | null>();
  readonly #late = new LateDocuments();
  #position: Position | null;
  #interruption: Promise<unknown> | null = null;

  constructor(compare: EventStore['compare'], position: Position | null) {
    this.#compare = compare;
    this.#position = position;
  }

  report(position: Position | null): void {
    this.#position = position;
    this.#waiters.release((awaited) => this.#covers(awaited));
  }

  /** Where a projection begins: what another one had left over is before it, or comes again. */
  begin(position: Position | null): void {
    this.report(position);
    this.#late.clear();
  }

  /** To be called with true before the position of the batch that leaves out units of the document. */
  reportLate(organization: string, id: string, isLate: boolean): void {
    this.#late.report(`${organization} ${id}`, isLate);
  }

  /** Nothing follows the log until `ended` settles: the time of waits counts from then on. */
  interrupted(ended: Promise<unknown>): void {
    this.#interruption = ended;
  }

  /** Ends all waits with false. */
  close(): void {
    this.#waiters.end();
    this.#late.end();
  }

  async reached(position: Position | null, timeoutMs: number, units?: Units): Promise<boolean> {
    if (timeoutMs === 0) return this.#holds(position, units);
    for (;;) {
      const before = this.#interruption;
      await before?.catch(() => undefined);
      if (await this.arrives(position, timeoutMs, units)) return true;
      if (this.#interruption === before) return false;
    }
  }

  /** As `reached`, also during an interruption. */
  async arrives(position: Position | null, timeoutMs: number, units?: Units): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    const left = () => Math.max(1, until - performance.now());
    if (!this.#covers(position) && !(await this.#waiters.wait(position, timeoutMs))) return false;
    // Another projection may have begun behind the position meanwhile.
    while (!this.#holds(position, units)) {
      const isThere = this.#covers(position)
        ? await this.#late.wait(keyOf(units), left())
        : await this.#waiters.wait(position, left());
      if (!isThere) return false;
    }
    return true;
  }

  #holds(position: Position | null, units: Units): boolean {
    return this.#covers(position) && (units === undefined || !this.#late.has(keyOf(units)));
  }

  #covers(position: Position | null): boolean {
    return position === null || (this.#position !== null && this.#compare(this.#position, position) >= 0);
  }
}

/** Null: of all documents. */
const keyOf = (units: Units): string | null =>
  units === undefined || units === 'all' ? null : `${units.organization} ${units.id}`;
