import type { Ahead, NewAppend } from './wire.ts';

/** Appends that were sent before the last message of their batch, of one client. */
export class AppendsAhead {
  readonly #kept = new Map<number, NewAppend[]>();

  keep(appends: readonly NewAppend[], id: number): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) this.#kept.set(id, [...appends]);
    else kept.push(...appends);
  }

  /**
   * Takes those of a batch, which are not kept any longer.
   * @throws if some did not arrive: the others must not be recorded without them
   */
  take(ahead: Ahead | null): readonly NewAppend[] {
    if (ahead === null) return [];
    const kept = this.#kept.get(ahead.id) ?? [];
    this.#kept.delete(ahead.id);
    if (kept.length === ahead.count) return kept;
    throw new Error(`Of ${ahead.count} appends that were sent ahead, ${kept.length} arrived. Nothing was recorded.`);
  }
}
