import { LRUCache } from 'lru-cache';
import type { TagSelection } from '#platform/kernel';
import type { LanguageTotals } from '../../../queries.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { termOf } from '../term.ts';
import { languageTotals, type RankedScope } from './languages.ts';

/** Scopes whose languages are remembered. */
const MOST = 10_000;

/** The languages of scopes, as they were read last. */
export class ScopeLanguages {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #last = new LRUCache<string, readonly string[]>({ max: MOST });

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  async totals(ranked: RankedScope): Promise<readonly LanguageTotals[]> {
    if (ranked.scope.tags.length === 0) return [];
    return languageTotals(this.#connection, this.#aliases.of('documents'), ranked);
  }

  /**
   * Searches with the languages that the scope had when it was last searched, reads at the same time which it has, and
   * searches again if these are others. So the languages cost no round trip of their own while they stay the same.
   */
  async search<T>(ranked: RankedScope, find: (languages: readonly string[]) => Promise<T>): Promise<T> {
    const key = keyOf(ranked);
    const before = this.#last.get(key) ?? [];
    const [found, totals] = await Promise.all([find(before), this.totals(ranked)]);
    const languages = totals.map(({ language }) => language);
    if (before.join() === languages.join()) return found;
    this.#last.set(key, languages);
    return find(languages);
  }
}

/** One key for all past times: documents rarely change their tags, so the languages of most times are the same. */
const keyOf = ({ scope, asOf, tagsThen = 'all' }: RankedScope): string =>
  termOf(scope.organization, ...tagsOf(scope.tags), ...(asOf === undefined ? [] : ['then', ...tagsOf(tagsThen)]));

const tagsOf = (tags: TagSelection): string[] => (tags === 'all' ? [] : ['tags', ...new Set(tags)].sort());
