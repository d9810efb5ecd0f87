import { type AccessScope, type OrganizationId, ok, permits } from '#platform/kernel';
import { type CommandHandler, type Position, systemCause } from '#ports/event-store';
import { decideRemoval } from './deletion/decide.ts';
import { DOCUMENT } from './model.ts';
import { recordEvents } from './recording.ts';
import type { DocumentState } from './state.ts';
import { documentStream } from './streams.ts';

/** Documents whose streams an operator removed with the tools of the log's engine. */
export class RemovedDocuments {
  readonly #handler: CommandHandler;
  readonly #idsOf: (scope: AccessScope, idOrCustomId: string) => AsyncIterable<string>;

  /** @param idsOf returns the possible ids of a document */
  constructor(handler: CommandHandler, idsOf: (scope: AccessScope, idOrCustomId: string) => AsyncIterable<string>) {
    this.#handler = handler;
    this.#idsOf = idsOf;
  }

  /**
   * Returns the id of a removed document that no caller has deleted since, by internal id, else by customId; null: none, or
   * none that the scope permits.
   */
  async find(scope: AccessScope, idOrCustomId: string): Promise<string | null> {
    for await (const id of this.#idsOf(scope, idOrCustomId)) {
      const { state } = await this.#handler.load(documentStream(scope.organization, id), DOCUMENT);
      if (state.status === 'absent') continue;
      const isRemoved = state.status === 'deleted' && state.removal !== undefined;
      return isRemoved && permits(scope, state.tags) ? id : null;
    }
    return null;
  }

  /**
   * Records that the stream of a document was removed.
   * @param known what the document was, as far as it is known
   * @returns the position of its deletion; null: it is recorded already
   */
  async record(
    organization: OrganizationId,
    id: string,
    known: { readonly tags: readonly string[]; readonly isMemory: boolean },
  ): Promise<Position | null> {
    const cause = systemCause();
    const recorded = await this.#handler.execute<DocumentState, never>({
      stream: documentStream(organization, id),
      model: DOCUMENT,
      decide: (state, _revision, now) => {
        const events = recordEvents(decideRemoval(state), { organization, cause, now, ...known });
        return ok(events.length > 0 ? { events, erase: true as const } : events);
      },
    });
    return recorded.ok ? recorded.value.position : null;
  }
}
