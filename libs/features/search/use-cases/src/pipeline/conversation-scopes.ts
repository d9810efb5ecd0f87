import { LRUCache } from 'lru-cache';
import { contentHash, type Scope } from '#platform/kernel';
import type { UnitHit } from '#read-side/views';

/** Milliseconds. Afterwards a scope is checked again, because its conversations may be gone. */
const REMEMBERED_MS = 600_000;
const MOST_SCOPES = 10_000;

/**
 * Scopes that hold dated conversations: units with a speaker, a vector and the date of their document. The ranker orders
 * these by the question's core, which is embedded for such scopes only.
 */
export class ConversationScopes {
  readonly #scopes = new LRUCache<string, true>({ max: MOST_SCOPES, ttl: REMEMBERED_MS });

  has(scope: Scope): boolean {
    return this.#scopes.has(keyOf(scope));
  }

  /** Remembers the scope and returns true if one of its hits is of a dated conversation. */
  observe(scope: Scope, hits: readonly UnitHit[]): boolean {
    const isConversation = hits.some(isRanked);
    if (isConversation) this.#scopes.set(keyOf(scope), true);
    return isConversation;
  }
}

const isRanked = ({ unit, document, evidence }: UnitHit): boolean =>
  unit.speaker !== null && document.documentDate !== null && evidence.cosineBare !== null;

/** A hash, because the tags of a scope may be long and many. */
const keyOf = ({ organization, tags }: Scope): string =>
  contentHash(organization, JSON.stringify(tags === 'all' ? null : [...new Set(tags)].sort()));
