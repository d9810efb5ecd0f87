import type { Connection } from '../clients/connection.ts';
import type { OpenKey } from '../keys.ts';
import type { Expectations, ExpectedDocument } from '../model/expected.ts';
import type { Shown } from './states.ts';

/** Reads with one key, to compare with what is expected. */
export interface Reading {
  readonly key: OpenKey;
  readonly connection: Connection;
  readonly expectations: Expectations;
}

export interface Listed extends Shown {
  readonly id: string;
  readonly status: string;
}

const PAGE = 1_000;

/** The documents that a key can list. */
export class Listing {
  readonly records: readonly Listed[];
  readonly #byId: ReadonlyMap<string, Listed>;
  readonly #expectations: Expectations;

  /** @param selector fields of the request, such as `{ containerTags: ['home'] }`. Default: all documents. */
  static async read({ connection, expectations }: Reading, selector: object = {}): Promise<Listing> {
    const records: Listed[] = [];
    for (let page = 1; ; page += 1) {
      const body = { limit: PAGE, page, includeContent: true, sort: 'createdAt', order: 'asc', ...selector };
      const reply = await connection.send({ method: 'POST', path: '/v3/documents/list', body });
      if (reply?.status !== 200) throw new Error(`the list is answered with ${reply?.status}`);
      records.push(...(reply.body.memories as readonly Listed[]));
      if (reply.body.memories.length < PAGE) return new Listing(records, expectations);
    }
  }

  private constructor(records: readonly Listed[], expectations: Expectations) {
    this.records = records;
    this.#byId = new Map(records.map((record) => [record.id, record]));
    this.#expectations = expectations;
  }

  /** A document without an acknowledged add has no known id, so it is found by its text. */
  find({ id, markers }: ExpectedDocument): Listed | null {
    if (id !== null) return this.#byId.get(id) ?? null;
    const isIts = (record: Listed) =>
      this.#expectations.byId(record.id) === undefined && markers.some((marker) => record.content?.includes(marker));
    return this.records.find(isIts) ?? null;
  }

  /** Ids of the documents whose content has this word. */
  withWord(word: string): readonly string[] {
    return this.records.filter(({ content }) => content?.includes(word)).map(({ id }) => id);
  }
}
