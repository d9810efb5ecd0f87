import type { EarlierAppends, NewAppend } from './wire.ts';

/** Appends that were sent before the last message of their batch, of one client. */
export class AppendsAhead {
  readonly #kept = new Map<number, NewAppend[]>();

  keep(appends: readonly NewAppend[], id: number): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) this.#kept.set(id, [...appends]);
    else kept.push(...appends);
  }

  /**
   * Returns the appends of a batch. What was kept of it is not kept any longer.
   * @param last appends of the last message
   * @throws if some did not arrive: the others must not be recorded without them
   */
  whole(ahead: EarlierAppends | null, last: readonly NewAppend[]): readonly NewAppend[] {
    if (ahead === null) return last;
    const kept = this.#kept.get(ahead.id) ?? [];
    this.#kept.delete(ahead.id);
    if (kept.length === ahead.count) return withoutSome([...kept, ...last], ahead.without);
    throw new Error(`Of ${ahead.count} appends that were sent ahead, ${kept.length} arrived. Nothing was recorded.`);
  }
}

/** @param without numbers of appends, from 0 */
export function withoutSome(appends: readonly NewAppend[], without: readonly number[]): readonly NewAppend[] {
  if (without.length === 0) return appends;
  const left = new Set(without);
  return appends.filter((_, number) => !left.has(number));
}
