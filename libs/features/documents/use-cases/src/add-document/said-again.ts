import { Inject, Injectable } from '@nestjs/common';
import { DocumentRepository, DocumentTexts, type Live, loadMemories, memoryIn } from '#features/documents';
import { cutSentences, hashedSentences, isActive, type Memory } from '#features/memories';
import { type AccessScope, CLOCK, type Clock, inTurns, ok, type Steps, systemScope } from '#platform/kernel';
import type { Cause } from '#ports/event-store';
import { isAssistant, partsOf } from '#processing/extraction';
import { CurrentViews } from '#read-side/views';
import type { ContentChange } from './decide.ts';
import { decideSaidAgain } from './decide-said-again.ts';

const NOTHING: ReadonlySet<string> = new Set();

/** Makes forgotten statements of a document known again that a text for it says again. */
@Injectable()
export class SaidAgain {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly views: CurrentViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Restores what the new part of a text says outside an assistant's turn; of a text that adds nothing, all that it says if nothing
   * else of the document is left. To be called before the change is recorded: what was acknowledged is then known, also after a
   * crash.
   * @param sent returns the text of the request, or null for a file; rarely called
   */
  async restore(
    { scope, cause }: { readonly scope: AccessScope; readonly cause: Cause },
    document: Live,
    change: ContentChange,
    sent: () => string | null | Promise<string>,
  ): Promise<void> {
    if (document.touched.length === 0) return;
    const known = await loadMemories(this.documents, scope.organization, document.touched);
    const now = this.clock.now();
    const forgotten = [...known.values()].map(({ memory }) => memory).filter((memory) => !isActive(memory, now));
    if (forgotten.length === 0) return;
    const said = await this.#saidIn(document, change, sent, forgotten);
    const concerned = forgotten.filter((memory) => decideSaidAgain(memory, said, now).length > 0);
    for (const { id } of concerned) {
      await this.documents.change(systemScope(scope.organization), id, cause, (state) => {
        const memory = memoryIn(state);
        return ok({ events: memory === null ? [] : decideSaidAgain(memory, said, now), tags: document.tags });
      });
    }
    // No stage follows that would wait until searches find it.
    if (concerned.length > 0 && change.kind === 'none') await this.views.read();
  }

  /** Returns the hashes of the sentences that count as said again. */
  async #saidIn(
    document: Live,
    change: ContentChange,
    sent: () => string | null | Promise<string>,
    forgotten: readonly Memory[],
  ): Promise<ReadonlySet<string>> {
    const isResent = change.kind === 'none' && !change.isRepeated;
    if (change.kind !== 'append' && !isResent) return NOTHING;
    const text = (await this.texts.content(document)) ?? (await this.texts.extracted(document)) ?? '';
    const { borders } = document;
    if (change.kind === 'append') {
      const whole = text + (await this.texts.read(change.text));
      const added = { from: text.length, borders: [...borders, ...change.borders.map((at) => at + text.length)] };
      return inTurns(sentencesIn(whole, added, (speaker) => !isAssistant(speaker)));
    }
    const all = await inTurns(sentencesIn(text, { from: 0, borders }, () => true));
    const hidden = new Set(forgotten.flatMap(cutSentences));
    if (![...all].every((sentence) => hidden.has(sentence))) return NOTHING;
    const resent = await sent();
    return resent === null || resent === text
      ? all
      : inTurns(sentencesIn(resent, { from: 0, borders: [] }, () => true));
  }
}

/** Returns the hashes of the sentences of a text behind a position, said by those that count. */
function* sentencesIn(
  text: string,
  { from, borders }: { readonly from: number; readonly borders: readonly number[] },
  counts: (speaker: string | null) => boolean,
): Steps<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const { blocks } of yield* partsOf(text, borders)) {
    for (const { start, end, speaker } of blocks) {
      if (end <= from || !counts(speaker)) continue;
      for (const { hash } of hashedSentences(text.slice(Math.max(start, from), end))) hashes.add(hash);
      yield;
    }
  }
  return hashes;
}
