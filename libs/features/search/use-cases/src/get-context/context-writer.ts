import type { CountTokens } from '#platform/tokens';
import { codePoints, shortened } from '#processing/languages';
import { inReadingOrder, type Statement } from './statement.ts';

/** In the order of the text. */
const SECTIONS = { static: '# Lasting facts\n', dynamic: '# Recent activity\n', memories: '# Memories\n' };
export type Section = keyof typeof SECTIONS;

/** Statements that are counted at a time. */
const AT_ONCE = 32;
/** Statements of a section that do not fit, after which no others are tried. */
const MOST_TOO_LONG = 20;
/** Tokens in which no further statement fits, and of which the beginning of a statement has at least as many. */
const LEAST = 8;

/**
 * Writes the text of a context within a number of tokens. The lines of the text are counted one by one; none begins with what
 * could share a token with the end of the line before, so their counts add up.
 */
export class ContextWriter {
  readonly #count: CountTokens;
  readonly #maxTokens: number;
  readonly #statements: Record<Section, Statement[]> = { static: [], dynamic: [], memories: [] };
  readonly #headings = new Set<string>();
  readonly #keys = new Set<string>();
  #tokens = 0;

  constructor(count: CountTokens, maxTokens: number) {
    this.#count = count;
    this.#maxTokens = maxTokens;
  }

  /** Those that have been added, in the order of the text. */
  statements(section: Section): readonly Statement[] {
    const added = this.#statements[section];
    return section === 'memories' ? inReadingOrder(added) : added;
  }

  /**
   * Adds the first ones that fit, without those that the text already says. What is too long is left out; if nothing fits, the
   * beginning of the first one is added.
   * @param share tokens of the section at most
   */
  async add(section: Section, statements: readonly Statement[], share: number): Promise<void> {
    const added = this.#statements[section];
    const limit = Math.min(this.#tokens + share, this.#maxTokens);
    const wanted = statements.filter(({ key, text }) => text !== '' && !this.#keys.has(key));
    let tooLong = 0;
    for (let i = 0; i < wanted.length && tooLong < MOST_TOO_LONG && limit - this.#tokens >= LEAST; i += AT_ONCE) {
      const batch = wanted.slice(i, i + AT_ONCE);
      const costs = await this.#costs(section, batch, limit - this.#tokens);
      for (const statement of batch) {
        const lines = this.#newLines(section, statement);
        const cost = lines.reduce((sum, line) => sum + (costs.get(line) as number), 0);
        if (this.#tokens + cost > limit) tooLong += 1;
        else this.#place(section, statement, cost);
      }
    }
    const [first] = wanted;
    if (added.length === 0 && first !== undefined) await this.#addBeginning(section, first, limit);
  }

  /** Returns the text with the tokens that it has as a whole. */
  async finish(): Promise<{ readonly text: string; readonly tokens: number }> {
    for (;;) {
      const text = this.#text();
      const [tokens = 0] = await this.#count([text]);
      if (tokens <= this.#maxTokens) return { text, tokens };
      // Lines without a break between words can cost a token more together.
      const last = (['memories', 'dynamic', 'static'] as const).find((section) => this.#statements[section].length > 0);
      this.#statements[last as Section].pop();
    }
  }

  async #costs(section: Section, statements: readonly Statement[], most: number): Promise<ReadonlyMap<string, number>> {
    const lines = [...new Set(statements.flatMap((statement) => this.#newLines(section, statement)))];
    const counts = await this.#count(lines, most);
    return new Map(lines.map((line, i) => [line, counts[i] as number]));
  }

  /** Returns the lines that a statement adds to the text. */
  #newLines(section: Section, statement: Statement): readonly string[] {
    const heading = headingOf(statement);
    return [
      ...(this.#statements[section].length === 0 ? [SECTIONS[section]] : []),
      ...(this.#headings.has(section + heading) ? [] : [heading]),
      lineOf(statement),
    ];
  }

  #place(section: Section, statement: Statement, cost: number): void {
    if (this.#keys.has(statement.key)) return;
    this.#keys.add(statement.key);
    this.#headings.add(section + headingOf(statement));
    this.#statements[section].push(statement);
    this.#tokens += cost;
  }

  /** Looks for the longest beginning that fits. */
  async #addBeginning(section: Section, statement: Statement, limit: number): Promise<void> {
    const room = limit - this.#tokens;
    const withText = async (length: number) => {
      const cut = { ...statement, text: shortened(statement.text, length) };
      const counts = await this.#count(this.#newLines(section, cut), room);
      return { cut, cost: counts.reduce((sum, count) => sum + count, 0) };
    };
    let [fits, tooLong] = [LEAST, codePoints(statement.text)];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if ((await withText(middle)).cost > room) tooLong = middle;
      else fits = middle;
    }
    const { cut, cost } = await withText(fits);
    if (cost <= room) this.#place(section, cut, cost);
  }

  #text(): string {
    const lines = (Object.keys(SECTIONS) as Section[]).flatMap((section) => {
      const byHeading = Map.groupBy(this.statements(section), headingOf);
      if (byHeading.size === 0) return [];
      return [SECTIONS[section], ...[...byHeading].flatMap(([heading, own]) => [heading, ...own.map(lineOf)])];
    });
    return lines.join('').trimEnd();
  }
}

/** Of statements of one day and source. */
const headingOf = ({ date, source }: Statement): string =>
  source === null ? `${date.slice(0, 10)}\n` : `${date.slice(0, 10)}, ${source}\n`;

const lineOf = ({ text }: Statement): string => `- ${text}\n`;
