import { type AccessScope, err, ok, permits, type Result } from '#platform/kernel';
import { type Cause, type CommandHandler, type Position, type RecordedEvent, systemCause } from '#ports/event-store';
import { type AccessRefusal, accessRefusal, type ChangeDocument } from '../document-change.ts';
import { envelopesOf } from '../envelopes.ts';
import type { DocumentDeleted } from '../events.ts';
import { decideLoss, failed } from '../processing/decide.ts';
import { recordEvents } from '../recording.ts';
import { documentStream } from '../streams.ts';
import { isLossEvent, lossFailure, lossIn } from './loss.ts';

/** A document that cannot be read, and what is still known of it. */
export interface LostDocument {
  readonly id: string;
  /** At least one, without payloads. */
  readonly events: readonly RecordedEvent[];
}

/** Documents whose content, or all of them, cannot be read. */
export class LostDocuments {
  readonly #handler: CommandHandler;
  readonly #change: ChangeDocument;
  readonly #idsOf: (scope: AccessScope, idOrCustomId: string) => AsyncIterable<string>;

  /** @param idsOf returns the possible ids of a document */
  constructor(
    handler: CommandHandler,
    change: ChangeDocument,
    idsOf: (scope: AccessScope, idOrCustomId: string) => AsyncIterable<string>,
  ) {
    this.#handler = handler;
    this.#change = change;
    this.#idsOf = idsOf;
  }

  /**
   * Records that the content of a version, done or not, is lost: the document fails, and is processed once more when it is
   * retried. Also for a stream that cannot be read because its key is lost. Callers ask `ContentLosses` first.
   * @param reason as returned by `lossIn`; shown to callers
   */
  async record(scope: AccessScope, id: string, contentVersion: number, reason: string): Promise<void> {
    const { organization } = scope;
    const cause = systemCause();
    const failure = lossFailure(reason);
    try {
      await this.#change(scope, id, cause, (state) => decideLoss(state, contentVersion, failure));
    } catch (error) {
      if (lossIn(error) === null) throw error;
      const stream = documentStream(organization, id);
      const last = (await this.#handler.read(stream)).events.at(-1)?.envelope;
      if (last === undefined || isLossEvent(last) || !permits(scope, last.tags)) return;
      const events = [failed(contentVersion, 'indexing', failure)];
      await this.#handler.record(stream, (now) =>
        recordEvents(events, { organization, cause, tags: last.tags, now, isMemory: isOfMemory(last) }),
      );
    }
  }

  /**
   * A live document that cannot be read because its key is lost, by internal id, else by customId: its id and the envelopes
   * of its events.
   */
  async find(scope: AccessScope, idOrCustomId: string): Promise<Result<LostDocument, AccessRefusal>> {
    for await (const id of this.#idsOf(scope, idOrCustomId)) {
      const events = await envelopesOf(this.#handler, scope.organization, id);
      const last = events.at(-1);
      if (last === undefined) continue;
      if (last.envelope.type === 'DocumentDeleted') break;
      const refusal = accessRefusal(scope, last.envelope.tags, id === idOrCustomId);
      return refusal === null ? ok({ id, events }) : err(refusal);
    }
    return err('not_found');
  }

  /** Erases a document that `find` returned. @returns the position of its deletion; null if its stream is gone */
  async delete(scope: AccessScope, { id, events }: LostDocument, cause: Cause): Promise<Position | null> {
    const { organization } = scope;
    const last = events.at(-1)?.envelope;
    const { tags = [] } = last ?? {};
    if (!permits(scope, tags)) return null;
    const isMemory = last !== undefined && isOfMemory(last);
    const deleted: DocumentDeleted = { type: 'DocumentDeleted', payload: null };
    const eventsAt = (now: number) => recordEvents([deleted], { organization, cause, tags, now, isMemory });
    return this.#handler.record(documentStream(organization, id), eventsAt, { erase: true });
  }
}

const isOfMemory = ({ category }: RecordedEvent['envelope']): boolean => category === 'memory';
