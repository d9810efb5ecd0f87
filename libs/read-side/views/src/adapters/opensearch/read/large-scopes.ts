import type { UnitSearchQuery } from '../../../queries.ts';
import { rankedScope } from '../../../wanted.ts';
import { termOf } from '../term.ts';

/** Milliseconds. Afterwards the scope is measured again, because it may have shrunk. */
const REMEMBERED_MS = 600_000;
const MOST = 10_000;

/** Remembers scopes that were too large to scan. */
export class LargeScopes {
  readonly #until = new Map<string, number>();

  has(query: UnitSearchQuery): boolean {
    return (this.#until.get(keyOf(query)) ?? 0) > performance.now();
  }

  add(query: UnitSearchQuery): void {
    const key = keyOf(query);
    this.#until.delete(key);
    this.#until.set(key, performance.now() + REMEMBERED_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST && oldest !== undefined) this.#until.delete(oldest);
  }
}

function keyOf(query: UnitSearchQuery): string {
  const { organization, tags } = rankedScope(query);
  return termOf(organization, query.kind, ...(tags === 'all' ? [] : ['tags', ...new Set(tags)].sort()));
}
