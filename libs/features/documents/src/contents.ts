import { type AccessScope, systemScope } from '#platform/kernel';
import type { Unit, UnitKind } from '#read-side/views';
import { haveRoom } from './answer-room.ts';
import { lossIn } from './content-loss/loss.ts';
import type { FileRef, TextRef } from './events.ts';
import type { DocumentRepository } from './repository.ts';
import { extractedLength, textLength } from './size.ts';
import type { Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';
import { unitsAlong, unitsOf } from './units.ts';

/** A text of more characters is read in pieces, because many requests may read one at once. */
const LONG_CHARACTERS = 250_000;

/** Characters of content that are read before an answer begins; the rest is read while it is sent. */
const READ_AT_ONCE = 2_000_000;

/** A text that is read in pieces when it is asked for. Null: it is gone by then. */
export type LongText = () => Promise<AsyncIterable<string> | null>;

/** The content of a record of an answer. */
export interface RecordContent {
  /** Null: there is none yet, it is lost, or it is omitted. */
  readonly content: string | LongText | null;
  /** There is a content for which the answer has no room. */
  readonly contentOmitted?: true;
}

/** As `RecordContent`, of a document that is read in pieces. */
export interface LongContent {
  readonly pieces: AsyncIterable<string> | null;
  readonly contentOmitted?: true;
}

const OMITTED = { contentOmitted: true } as const;

interface RowId {
  readonly organization: string;
  readonly id: string;
}

/** The content of documents as callers see it: the text as sent, or what was read from the file or page; a URL until then. */
export class DocumentContents {
  readonly #documents: DocumentRepository;
  readonly #texts: DocumentTexts;

  constructor(documents: DocumentRepository, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /** Whether content and units are to be read with `long` and `eachUnit`. */
  isLong(document: Live): boolean {
    return Math.max(charactersOf(document), extractedLength(document)) > LONG_CHARACTERS;
  }

  /** Null if there is none yet, or if it is lost. */
  of(document: Live): Promise<string | null> {
    const { content } = document;
    return this.#unlessLost(document, async () => {
      if ('parts' in content) return this.#texts.content(document);
      return (await this.#texts.extracted(document)) ?? ('page' in content ? content.page : null);
    });
  }

  /** The same text in pieces, for an answer that holds no other content. Null if there is none yet, or if it is lost. */
  async long(document: Live): Promise<LongContent> {
    const parts = partsOf(document);
    const [hasRoom] = await haveRoom(this.#texts, [parts]);
    return hasRoom ? { pieces: await this.#open(document, parts) } : { pieces: null, ...OMITTED };
  }

  /** The chunks or the memories of a document, in order. Empty as long as they are not formed, or if they are lost. */
  async units(document: Live, wanted: UnitKind): Promise<readonly Unit[]> {
    return (await this.allUnits(document)).filter(({ kind }) => kind === wanted);
  }

  /** The chunks, then the memories. */
  async allUnits(document: Live): Promise<readonly Unit[]> {
    return (await this.#unlessLost(document, () => unitsOf(document, this.#texts))) ?? [];
  }

  /** The same units, one after the other. */
  async eachUnit(document: Live, wanted: UnitKind): Promise<AsyncIterable<Unit>> {
    return (await this.#unlessLost(document, () => unitsAlong(document, wanted, this.#texts))) ?? none();
  }

  /**
   * The contents of the records of one answer, in order.
   * @param rows as a read within the scope has returned them; the content of a document that was deleted since is null
   */
  async ofRecords(rows: readonly RowId[]): Promise<readonly RecordContent[]> {
    return this.ofDocuments(await Promise.all(rows.map((row) => this.#liveOf(row))));
  }

  /** The same of documents as they are, or were. @param documents null: no content */
  async ofDocuments(documents: readonly (Live | null)[]): Promise<readonly RecordContent[]> {
    const held = await haveRoom(
      this.#texts,
      documents.map((document) => document && partsOf(document)),
    );
    let left = READ_AT_ONCE;
    return Promise.all(
      documents.map(async (document, i): Promise<RecordContent> => {
        if (document === null) return { content: null };
        if (!held[i]) return { content: null, ...OMITTED };
        const characters = charactersOf(document);
        if (characters > left) return { content: this.#readLater(document) };
        left -= characters;
        return { content: await this.of(document) };
      }),
    );
  }

  /** Reads the text for which the answer has room, whatever the document has become since, unless it is deleted. */
  #readLater(document: Live): LongText {
    const { organization, id } = document;
    const parts = partsOf(document);
    return async () => (await this.#liveOf({ organization, id })) && this.#open(document, parts);
  }

  async #liveOf({ organization, id }: RowId): Promise<Live | null> {
    const scope: AccessScope = { ...systemScope(organization), access: 'read' };
    const loaded = await unlessLost(() => this.#documents.load(scope, id));
    return loaded?.status === 'live' ? loaded : null;
  }

  async #open(document: Live, parts: readonly TextRef[] | null): Promise<AsyncIterable<string> | null> {
    return parts && this.#unlessLost(document, () => this.#texts.pieces(parts));
  }

  #unlessLost<T>(document: Live, read: () => Promise<T>): Promise<T | null> {
    return unlessLost(() => this.#documents.reads.read(document, read));
  }
}

/** The file that the document was uploaded as. Null: it is a text. */
export const fileOf = ({ content }: Live): FileRef | null => ('file' in content ? content.file : null);

/** The content as callers see it. Null: it is not extracted yet. */
function partsOf({ content, extracted }: Live): readonly TextRef[] | null {
  if ('parts' in content) return content.parts;
  return extracted === null || extracted === 'content' ? null : [extracted];
}

const charactersOf = (document: Live): number =>
  (partsOf(document) ?? []).reduce((sum, part) => sum + textLength(part), 0);

async function* none(): AsyncGenerator<never> {}

/** The loss of one document must not fail a request for others, nor for what is left of this one. */
async function unlessLost<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return null;
  }
}
