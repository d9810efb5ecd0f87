import { hasCode, systemScope } from '#platform/kernel';
import type { Incomplete } from '../read-model.ts';
import type { ProjectionOptions } from './options.ts';

/** How often what is missing is looked for, within three seconds: a store that was restored or moved may be late. */
const LOOKS = 6;

/** Documents of a batch lack something that their events name. */
class IncompleteError extends Error {
  override readonly name = 'IncompleteError';

  constructor(lacking: readonly Incomplete[]) {
    const reasons = lacking.map(
      ({ organization, id, reason }) => `document ${id} of organization ${organization}: ${reason}`,
    );
    super(`something is missing that the log names; ${reasons.join('; ')}`);
  }
}

/**
 * The documents of a batch that lack something. After several looks they end as failed before the views get any further,
 * and are shown without their units, so that they block no others. If there are too many, the views stop instead.
 */
export class BatchLosses {
  readonly #documents: ProjectionOptions['documents'];
  readonly #admitted = new Set<string>();
  readonly #suspension: { isOpen: boolean };
  #looks = 0;

  constructor({ documents, suspension = { isOpen: false } }: ProjectionOptions) {
    this.#documents = documents;
    this.#suspension = suspension;
  }

  /**
   * Records what a batch lacks. Call it each time that the batch was projected.
   * @throws IncompleteError, ContentLossSuspendedError: project it again
   */
  async settle(incomplete: readonly Incomplete[]): Promise<void> {
    if (incomplete.length === 0) {
      if (this.#suspension.isOpen) await this.#documents.losses.end('views');
      this.#suspension.isOpen = false;
      return;
    }
    this.#looks += 1;
    if (this.#looks < LOOKS) throw new IncompleteError(incomplete);
    await this.#admit(incomplete.map(({ organization, id }) => `${organization} ${id}`));
    for (const { organization, id, contentVersion, reason } of incomplete) {
      await this.#documents.lost.record(systemScope(organization), id, contentVersion, reason);
    }
    this.#suspension.isOpen = false;
  }

  async #admit(names: readonly string[]): Promise<void> {
    const further = names.filter((name) => !this.#admitted.has(name));
    if (further.length === 0) return;
    try {
      await this.#documents.losses.admit(further.length, 'views');
    } catch (error) {
      this.#suspension.isOpen ||= hasCode(error, 'content_loss_suspended');
      throw error;
    }
    for (const name of further) this.#admitted.add(name);
  }
}
