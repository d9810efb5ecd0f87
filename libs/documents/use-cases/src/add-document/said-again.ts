import { Inject, Injectable } from '@nestjs/common';
import {
  type DocumentEvent,
  DocumentRepository,
  DocumentTexts,
  decideRestored,
  hashedSentences,
  isActive,
  type Live,
  type LiveMemory,
  latestVersion,
  loadMemories,
} from '#documents';
import type { Cause } from '#event-store';
import { isAssistant, partsOf } from '#extraction';
import { type AccessScope, CLOCK, type Clock, inTurns, ok, type Steps, systemScope } from '#kernel';
import type { ContentChange } from './decide.ts';

/** Makes forgotten statements of a document known again that a text for it says again. */
@Injectable()
export class SaidAgain {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Restores what a delta says outside an assistant's turn; of a text that changes nothing, all that it says if nothing else of the
   * document is left. To be called before the change is recorded: what was acknowledged is then known, also after a crash.
   */
  async restore(
    { scope, cause }: { readonly scope: AccessScope; readonly cause: Cause },
    document: Live,
    change: ContentChange,
  ): Promise<void> {
    if (document.touched.length === 0) return;
    const known = await loadMemories(this.documents, scope.organization, document.touched);
    const now = this.clock.now();
    const forgotten = [...known.values()].filter(({ memory }) => !isActive(memory, now));
    if (forgotten.length === 0) return;
    const said = await this.#saidIn(document, change, forgotten);
    for (const { id } of forgotten.filter((one) => sentencesOf(one).every((sentence) => said.has(sentence)))) {
      await this.documents.change(systemScope(scope.organization), id, cause, (state) => {
        const restored = decideRestored(state, now);
        return restored.ok ? ok({ events: restored.value as readonly DocumentEvent[], tags: document.tags }) : restored;
      });
    }
  }

  /** Hashes of the sentences that count as said again. */
  async #saidIn(document: Live, change: ContentChange, forgotten: readonly LiveMemory[]): Promise<ReadonlySet<string>> {
    if (change.kind === 'append' && change.borders.length > 0) {
      const { text, borders } = change;
      return inTurns(sentencesIn(await this.texts.read(text), borders, (speaker) => !isAssistant(speaker)));
    }
    if (change.kind !== 'none' || change.isRepeated) return new Set();
    const text = (await this.texts.content(document)) ?? (await this.texts.extracted(document));
    if (text === null) return new Set();
    const all = await inTurns(sentencesIn(text, document.borders, () => true));
    const hidden = new Set(forgotten.flatMap((one) => one.memory.passage?.sentences ?? []));
    return [...all].every((sentence) => hidden.has(sentence)) ? all : new Set();
  }
}

/** Hashes of the sentences of a memory, as its document has it and as a caller has revised it. */
const sentencesOf = ({ memory }: LiveMemory): readonly string[] => [
  ...(memory.passage?.sentences ?? []),
  ...hashedSentences(latestVersion(memory).text).map(({ hash }) => hash),
];

function* sentencesIn(
  text: string,
  borders: readonly number[],
  counts: (speaker: string | null) => boolean,
): Steps<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const { blocks } of yield* partsOf(text, borders)) {
    for (const { start, end, speaker } of blocks) {
      if (counts(speaker)) for (const { hash } of hashedSentences(text.slice(start, end))) hashes.add(hash);
      yield;
    }
  }
  return hashes;
}
