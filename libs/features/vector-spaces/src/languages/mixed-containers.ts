import { askedStream, LANGUAGE_SPACES } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import type { ViewsReader } from '#read-side/views';

/**
 * Which containers hold another language than English, or were asked in one: English documents in them are embedded in the space
 * of other languages too.
 */
export class MixedContainers {
  readonly #views: Pick<ViewsReader, 'heldSpaces'>;
  /** Streams of the containers that were asked. */
  readonly #asked = new Set<string>();
  /** What is known of tags, by their streams. False only for a moment: see `forget`. */
  readonly #known = new Map<string, boolean>();

  constructor(views: Pick<ViewsReader, 'heldSpaces'>) {
    this.#views = views;
  }

  /** A container was asked in another language. */
  asked(stream: string): void {
    this.#asked.add(stream);
    this.#known.delete(stream);
  }

  /** Documents with this tag have changed. */
  forget(organization: string, tag: string): void {
    const stream = askedStream(organization, tag);
    if (this.#known.get(stream) === false) this.#known.delete(stream);
  }

  async has(organization: string, tags: readonly string[]): Promise<boolean> {
    if (this.#asked.has(askedStream(organization, null))) return true;
    for (const tag of tags) if (await this.#has(organization, tag)) return true;
    return false;
  }

  async #has(organization: string, tag: string): Promise<boolean> {
    const stream = askedStream(organization, tag);
    if (this.#asked.has(stream)) return true;
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const scope = { organization: organization as OrganizationId, tags: [tag] };
    const held = await this.#views.heldSpaces(scope, LANGUAGE_SPACES);
    const isMixed = held.some(({ isOwn }) => isOwn);
    this.#known.set(stream, isMixed);
    return isMixed;
  }
}
