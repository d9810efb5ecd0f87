import { type AccessScope, systemScope } from '#kernel';
import type { Unit, UnitKind } from '#views';
import type { FileRef } from './events.ts';
import { lossIn } from './loss.ts';
import type { DocumentRepository } from './repository.ts';
import type { Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';
import { unitsOf } from './units.ts';

/** The content of documents as callers see it: the text as sent, or what was read from the file. */
export class DocumentContents {
  readonly #documents: DocumentRepository;
  readonly #texts: DocumentTexts;

  constructor(documents: DocumentRepository, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /** Null if there is none yet, or if it is lost. */
  of(document: Live): Promise<string | null> {
    return unlessLost(() =>
      'parts' in document.content ? this.#texts.content(document) : this.#texts.extracted(document),
    );
  }

  /** The chunks or the memories of a document, in order. Empty as long as they are not formed, or if they are lost. */
  async units(document: Live, wanted: UnitKind): Promise<readonly Unit[]> {
    const units = await unlessLost(() => unitsOf(document, this.#texts));
    return units?.filter(({ kind }) => kind === wanted) ?? [];
  }

  /** For a row that a read within the scope has returned. Null also if the document was deleted since. */
  async ofRow({ organization, id }: { readonly organization: string; readonly id: string }): Promise<string | null> {
    const scope: AccessScope = { ...systemScope(organization), access: 'read' };
    const loaded = await unlessLost(() => this.#documents.load(scope, id));
    return loaded?.status === 'live' ? this.of(loaded) : null;
  }
}

/** The file that the document was uploaded as. Null: it is a text. */
export const fileOf = ({ content }: Live): FileRef | null => ('file' in content ? content.file : null);

/** The loss of one document must not fail a request for others, nor for what is left of this one. */
async function unlessLost<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return null;
  }
}
