import type { Scope } from '#platform/kernel';
import type { LanguageTotals } from '../../../queries.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { termOf } from '../term.ts';
import { languageTotals } from './languages.ts';

/** Scopes whose languages are remembered. */
const MOST = 10_000;

/** The languages of scopes, as they were read last. */
export class ScopeLanguages {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #last = new Map<string, readonly string[]>();

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  async totals(scope: Scope): Promise<readonly LanguageTotals[]> {
    if (scope.tags.length === 0) return [];
    return languageTotals(this.#connection, this.#aliases.of('documents'), scope);
  }

  /**
   * Searches with the languages that the scope had when it was last searched, reads at the same time which it has, and
   * searches again if these are others. So the languages cost no round trip of their own while they stay the same.
   */
  async search<T>(scope: Scope, find: (languages: readonly string[]) => Promise<T>): Promise<T> {
    const key = termOf(scope.organization, ...(scope.tags === 'all' ? [] : ['tags', ...new Set(scope.tags)].sort()));
    const before = this.#last.get(key) ?? [];
    const [found, totals] = await Promise.all([find(before), this.totals(scope)]);
    const languages = totals.map(({ language }) => language);
    if (before.join() === languages.join()) return found;
    this.#remember(key, languages);
    return find(languages);
  }

  #remember(key: string, languages: readonly string[]): void {
    this.#last.delete(key);
    this.#last.set(key, languages);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST && oldest !== undefined) this.#last.delete(oldest);
  }
}
