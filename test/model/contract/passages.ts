import { isActive, latestOf, type ModelMemory } from './memories.ts';
import { withoutMarker } from './text.ts';

/** What callers did with memories that were formed from documents. */

/** A memory of a document. The text of its first version is part of the document. */
export interface ModelPassage extends Omit<ModelMemory, 'tag'> {
  readonly id: string;
  readonly documentId: string;
  /** A request has changed something. */
  isChanged: boolean;
  /** Sentences that were said again since a caller has decided about it. */
  saidAgain: readonly string[];
}

/** A memory of a document, as the document shows it: which parts of the text are memories is not predicted. */
export interface ShownPassage {
  readonly id: string;
  readonly text: string;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => withoutMarker(line) !== '');
/** A line of a text is a sentence. Who says it is not a part of it. */
const sentencesOf = (text: string): readonly string[] => linesOf(text).map(withoutMarker);
const folded = (sentence: string): string => (sentence.toLowerCase().match(/[a-z0-9]+/g) ?? []).join(' ');

export class Passages {
  /** Those of which callers changed something, or tried to. */
  readonly all: ModelPassage[] = [];

  of(documentId: string): readonly ModelPassage[] {
    return this.all.filter((one) => one.documentId === documentId);
  }

  /** Whether a text is part of another one, whatever their form. */
  isIn(text: string, whole: string): boolean {
    return folded(whole).includes(folded(text));
  }

  /** Returns the one with the id of a shown one. */
  touch(documentId: string, { id, text }: ShownPassage): ModelPassage {
    const known = this.all.find((one) => one.id === id);
    if (known !== undefined) return known;
    const first = { id, text, isStatic: false, metadata: {}, forgetAfter: null, forgetReason: null, at: 0 };
    const passage = { id, documentId, versions: [first], forgotten: null, isChanged: false, saidAgain: [] };
    this.all.push(passage);
    return passage;
  }

  /** @returns the ids of those that are erased with their document, and have a history */
  erase(documentId: string): readonly string[] {
    const gone = this.of(documentId);
    for (const one of gone) this.all.splice(this.all.indexOf(one), 1);
    return gone.filter(({ isChanged }) => isChanged).map(({ id }) => id);
  }

  /** What is left of a text of a document without every sentence that is forgotten or has expired there. */
  left(documentId: string, text: string): string {
    return sentencesOf(this.#shown(documentId, text)).join('\n');
  }

  /** The same, as a memory has it: a marker there is a part of what is said. */
  #shown(documentId: string, text: string): string {
    const hidden = this.#hidden(documentId);
    return linesOf(text)
      .filter((line) => !hidden.has(folded(withoutMarker(line))))
      .join('\n');
  }

  /**
   * A text says sentences of forgotten and expired memories of a document again.
   * @returns those of which all sentences are said again by now, as formed and as revised
   */
  sayAgain(documentId: string, text: string): readonly ModelPassage[] {
    const said = new Set(sentencesOf(text).map(folded));
    const inactive = this.of(documentId).filter((one) => !isActive(one));
    return inactive.filter((one) => {
      const texts = [one.versions[0]?.text ?? '', latestOf(one).text];
      const sentences = texts.flatMap(sentencesOf).map(folded);
      one.saidAgain = sentences.filter((sentence) => said.has(sentence) || one.saidAgain.includes(sentence));
      return one.saidAgain.length === sentences.length;
    });
  }

  /** Whether a text of a document is shown as it is. */
  isWhole(documentId: string, text: string): boolean {
    const hidden = this.#hidden(documentId);
    return !sentencesOf(text).some((sentence) => hidden.has(folded(sentence)));
  }

  /** The memories that are found of a document: their texts. */
  found(documentId: string, shown: readonly ShownPassage[]): readonly string[] {
    return shown
      .flatMap(({ id, text }) => {
        const passage = this.all.find((one) => one.id === id);
        if (passage === undefined || (isActive(passage) && passage.versions.length === 1)) {
          return this.#shown(documentId, text);
        }
        return isActive(passage) ? latestOf(passage).text : '';
      })
      .filter((text) => text !== '');
  }

  #hidden(documentId: string): ReadonlySet<string> {
    const inactive = this.of(documentId).filter((one) => !isActive(one));
    return new Set(
      inactive.flatMap(({ versions, saidAgain }) => {
        const sentences = sentencesOf(versions[0]?.text ?? '').map(folded);
        return sentences.filter((sentence) => !saidAgain.includes(sentence));
      }),
    );
  }
}
