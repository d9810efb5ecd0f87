import { type AccessScope, systemScope } from '#kernel';
import type { Unit, UnitKind } from '#views';
import { lossIn } from './content-loss/loss.ts';
import type { FileRef, TextRef } from './events.ts';
import type { DocumentRepository } from './repository.ts';
import { contentSize, extractedLength } from './size.ts';
import type { Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';
import { unitsAlong, unitsOf } from './units.ts';

/** A text of more characters is read in pieces, because many requests may read one at once. */
const LONG_CHARACTERS = 250_000;

/** A text that is read in pieces when it is asked for. Null: it is gone by then. */
export type LongText = () => Promise<AsyncIterable<string> | null>;

interface RowId {
  readonly organization: string;
  readonly id: string;
}

/** The content of documents as callers see it: the text as sent, or what was read from the file. */
export class DocumentContents {
  readonly #documents: DocumentRepository;
  readonly #texts: DocumentTexts;

  constructor(documents: DocumentRepository, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /** Whether content and units are to be read with `pieces` and `eachUnit`. */
  isLong(document: Live): boolean {
    return Math.max(charactersOf(document), extractedLength(document)) > LONG_CHARACTERS;
  }

  /** Null if there is none yet, or if it is lost. */
  of(document: Live): Promise<string | null> {
    return unlessLost(() =>
      'parts' in document.content ? this.#texts.content(document) : this.#texts.extracted(document),
    );
  }

  /** The same text in pieces. Null if there is none yet, or if it is lost. */
  pieces(document: Live): Promise<AsyncIterable<string> | null> {
    const { content } = document;
    return this.#open('parts' in content ? content.parts : extractedParts(document));
  }

  /** The chunks or the memories of a document, in order. Empty as long as they are not formed, or if they are lost. */
  async units(document: Live, wanted: UnitKind): Promise<readonly Unit[]> {
    const units = await unlessLost(() => unitsOf(document, this.#texts));
    return units?.filter(({ kind }) => kind === wanted) ?? [];
  }

  /** The same units, one after the other. */
  async eachUnit(document: Live, wanted: UnitKind): Promise<AsyncIterable<Unit>> {
    return (await unlessLost(() => unitsAlong(document, wanted, this.#texts))) ?? none();
  }

  /** For a row that a read within the scope has returned. Null also if the document was deleted since. */
  async ofRow(row: RowId): Promise<string | null> {
    const document = await this.#liveOf(row);
    return document && this.of(document);
  }

  /**
   * As `ofRow`, for a row among others.
   * @param room characters that may be read at once, from which a text that is read is subtracted
   */
  async ofListedRow(row: RowId, room: { left: number }): Promise<string | LongText | null> {
    const document = await this.#liveOf(row);
    if (document === null) return null;
    const characters = charactersOf(document);
    if (characters > room.left) {
      return async () => {
        const present = await this.#liveOf(row);
        return present && this.pieces(present);
      };
    }
    room.left -= characters;
    return this.of(document);
  }

  async #liveOf({ organization, id }: RowId): Promise<Live | null> {
    const scope: AccessScope = { ...systemScope(organization), access: 'read' };
    const loaded = await unlessLost(() => this.#documents.load(scope, id));
    return loaded?.status === 'live' ? loaded : null;
  }

  async #open(parts: readonly TextRef[] | null): Promise<AsyncIterable<string> | null> {
    return parts && unlessLost(() => this.#texts.pieces(parts));
  }
}

/** The file that the document was uploaded as. Null: it is a text. */
export const fileOf = ({ content }: Live): FileRef | null => ('file' in content ? content.file : null);

/** Of the content as callers see it. */
const charactersOf = (document: Live): number =>
  'parts' in document.content ? contentSize(document) : extractedLength(document);

/** Null: it is not extracted yet. */
const extractedParts = ({ extracted }: Live): readonly TextRef[] | null =>
  extracted === null || extracted === 'content' ? null : [extracted];

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
