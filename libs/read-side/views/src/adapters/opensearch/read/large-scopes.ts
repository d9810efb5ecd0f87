import { LRUCache } from 'lru-cache';
import type { UnitSearchQuery } from '../../../queries.ts';
import { rankedScope } from '../../../wanted.ts';
import { termOf } from '../term.ts';

/** Milliseconds. Afterwards the scope is measured again, because it may have shrunk. */
const REMEMBERED_MS = 600_000;
const MOST = 10_000;

/** Remembers scopes that were too large to scan. */
export class LargeScopes {
  readonly #keys = new LRUCache<string, true>({ max: MOST, ttl: REMEMBERED_MS });

  has(query: UnitSearchQuery): boolean {
    return this.#keys.has(keyOf(query));
  }

  add(query: UnitSearchQuery): void {
    this.#keys.set(keyOf(query), true);
  }
}

function keyOf(query: UnitSearchQuery): string {
  const { organization, tags } = rankedScope(query);
  return termOf(organization, query.kind, ...(tags === 'all' ? [] : ['tags', ...new Set(tags)].sort()));
}
