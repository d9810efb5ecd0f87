import { setTimeout as pause } from 'node:timers/promises';
import { type Cause, StreamQueues, SYSTEM } from '#event-store';
import { type OrganizationId, systemScope } from '#kernel';
import type { Member } from '#views';
import { decideCarried } from './decide.ts';
import { decidePassage, decideTouched, passageOf } from './passage.ts';
import { isLeaving, type Leaving, type Succession, type SuccessionSources, successionsOf } from './successions.ts';

export interface CarriedIdsOptions extends SuccessionSources {
  readonly logger: { warn(message: string): void };
}

/** How long the work waits for the views. Milliseconds. */
const VIEWS_WAIT_MS = 5_000;

/**
 * Carries on the ids of memories that leave others which say the same. One of these gets the ids, so requests with them go on
 * to concern what the memories said. It is recorded before the memories leave: a process that ends in between loses nothing.
 */
export class CarriedIds {
  readonly #options: CarriedIdsOptions;
  /** Memories that leave now. None of them gets the ids of another one. */
  readonly #leaving = new Set<Leaving>();
  /** One request of an organization at a time sees which memories leave, and what was carried on to them. */
  readonly #turns = new StreamQueues();

  constructor(options: CarriedIdsOptions) {
    this.#options = options;
  }

  /**
   * Carries on the ids of memories, then runs the work with which they leave. The work also runs if the ids could not be
   * carried on, for example while the views cannot be read.
   * @param correlationId of the request that causes it
   */
  async leave<T>(leaving: Leaving, correlationId: string, work: () => Promise<T>): Promise<T> {
    this.#leaving.add(leaving);
    try {
      await this.#carry(leaving, { actor: SYSTEM, correlationId, causationId: null });
      return await work();
    } finally {
      this.#leaving.delete(leaving);
    }
  }

  async #carry(leaving: Leaving, cause: Cause): Promise<void> {
    try {
      const found = await inTime(this.#successions(leaving));
      // Of most documents, nothing is said elsewhere.
      if (found.length === 0) return;
      await this.#turns.run([leaving.organization], async () => {
        for (const one of await this.#successions(leaving)) await this.#record(leaving.organization, one, cause);
      });
    } catch (error) {
      const which = [...leaving.documentIds].slice(0, 1).join();
      const more = leaving.documentIds.size > 1 ? ` and ${leaving.documentIds.size - 1} more documents` : '';
      this.#options.logger.warn(
        `ids of memories of the document ${which}${more} were not carried on to memories that say the same: ${String(error)}`,
      );
    }
  }

  #successions(leaving: Leaving): Promise<readonly Succession[]> {
    const isGone = (member: Member) => [...this.#leaving].some((one) => isLeaving(one, member));
    return successionsOf(this.#options, leaving, isGone);
  }

  /** The views may show memories that are gone, so the next one gets the ids then. */
  async #record(organization: OrganizationId, { ids, successors }: Succession, cause: Cause): Promise<void> {
    for (const successor of successors) if (await this.#append(organization, successor, ids, cause)) return;
  }

  /** @returns false: the memory is gone */
  async #append(
    organization: OrganizationId,
    { id, passage }: Member,
    ids: readonly string[],
    cause: Cause,
  ): Promise<boolean> {
    const { documents } = this.#options;
    const scope = systemScope(organization);
    if (passage === null) return (await documents.change(scope, id, cause, (state) => decideCarried(state, ids))).ok;
    const origin = passageOf(passage);
    const begun = await documents.change(scope, origin.documentId, cause, (state) => decideTouched(state, [id]));
    if (!begun.ok) return false;
    const decide = (state: Parameters<typeof decideCarried>[0]) => decideCarried(state, ids);
    return (await documents.change(scope, id, cause, (state) => decidePassage(state, origin, decide))).ok;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const late = async (): Promise<never> => {
    await pause(VIEWS_WAIT_MS, undefined, { signal: waiting.signal, ref: false });
    throw new Error(`the views have not answered within ${VIEWS_WAIT_MS} ms`);
  };
  const timeout = late();
  // Aborted when the work is done first.
  timeout.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    waiting.abort();
  }
}
