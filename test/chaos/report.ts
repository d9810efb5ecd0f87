/** Most violations that are kept with their text. */
const KEPT = 100;

/** Counts what happened, and keeps what was wrong. */
export class Report {
  readonly violations: string[] = [];
  readonly #counts = new Map<string, number>();

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  violation(text: string): void {
    this.count('VIOLATIONS');
    if (this.violations.length < KEPT) this.violations.push(text);
  }

  /** Adds to each violation that names a request what the processes logged of it. */
  explain(loggedOf: (requestId: string) => readonly string[]): void {
    for (const [i, text] of this.violations.entries()) {
      const requestId = /"requestId":"(\w+)"/.exec(text)?.[1];
      if (requestId !== undefined) this.violations[i] = [text, ...loggedOf(requestId)].join('\n    ');
    }
  }

  /** One line for each count, ordered by name. */
  get totals(): readonly string[] {
    const ordered = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return ordered.map(([what, count]) => `${String(count).padStart(8)}  ${what}`);
  }
}
