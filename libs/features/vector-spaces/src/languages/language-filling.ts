import { setTimeout as pause } from 'node:timers/promises';
import { ASKED_CATEGORY, askedStream, isOtherLanguage, LANGUAGE_SPACES } from '#features/vector-spaces/model';
import { giveWayToRequests, hasCode, isTransient, type OrganizationId } from '#platform/kernel';
import { type RecordedEvent, readPages } from '#ports/event-store';
import type { UnfinishedDocument } from '#read-side/views';
import type { DocumentName } from '../change/each-document.ts';
import { namedIn } from '../change/named-documents.ts';
import type { SpaceEmbedders } from '../space-embedders.ts';
import type { ChangedDocuments, Container } from './changed-containers.ts';
import { embedInLanguages } from './embed-in-languages.ts';
import type { KeepLanguagesOptions, KeepLanguagesSources } from './languages-sources.ts';
import { MixedContainers } from './mixed-containers.ts';

const PAGE = 500;
/** How long the next document waits for those in work. Milliseconds. */
const YIELDS_MS = 2_000;
const LOOK_EVERY_MS = 100;

/** Tag null: all documents of the organization. */
type AskedContainer = Container | { readonly organization: string; readonly tag: null };

/** Embeds documents in the space of other languages, one at a time. */
export class LanguageFilling {
  readonly #sources: KeepLanguagesSources;
  readonly #embedders: Pick<SpaceEmbedders, 'forLanguages'>;
  readonly #signal: AbortSignal;
  readonly #mixed: MixedContainers;
  readonly #onSkipped: (name: DocumentName, error: unknown) => void;
  /** Containers of which all documents were looked at. */
  readonly #listed = new Set<string>();
  /** Streams of the containers that were asked since, with their organizations. */
  readonly #newlyAsked = new Map<string, string>();
  wasAsked = false;

  constructor(
    sources: KeepLanguagesSources,
    embedders: Pick<SpaceEmbedders, 'forLanguages'>,
    { logger, signal }: KeepLanguagesOptions,
  ) {
    this.#sources = sources;
    this.#embedders = embedders;
    this.#signal = signal;
    this.#mixed = new MixedContainers(sources.views.reader);
    this.#onSkipped = namedIn(logger, 'is not embedded in the space of other languages');
  }

  /** A container was asked in another language. */
  asked({ stream, envelope: { organization } }: RecordedEvent): void {
    this.wasAsked = true;
    this.#mixed.asked(stream);
    this.#newlyAsked.set(stream, organization);
  }

  /** Looks at all documents as the views show them. @throws transient errors, and those of the model */
  async begin(): Promise<void> {
    const filter = { categories: [ASKED_CATEGORY] };
    for await (const { events } of readPages(this.#sources.store, { after: null, limit: PAGE, filter })) {
      for (const event of events) this.asked(event);
      if (this.#signal.aborted) return;
    }
    this.#newlyAsked.clear();
    const { reader } = this.#sources.views;
    for (let after: UnfinishedDocument | null = null; !this.#signal.aborted; ) {
      const page: readonly UnfinishedDocument[] = await reader.withoutVectors({
        ...{ spaces: LANGUAGE_SPACES, after, limit: PAGE },
      });
      for (const document of page) {
        const { organization, tags, language = null, hasSecondSpace } = document;
        if (isOtherLanguage(language) || (!hasSecondSpace && (await this.#mixed.has(organization, tags))))
          await this.#embed(document);
        if (this.#signal.aborted) return;
      }
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return;
    }
  }

  /** Looks at what has changed. @throws as `begin` */
  async round(
    changed: readonly { readonly container: Container; readonly documents: ChangedDocuments }[],
  ): Promise<void> {
    for (const container of await this.#askedContainers()) await this.#list(container);
    for (const { container, documents } of changed) {
      const { organization, tag } = container;
      if (this.#signal.aborted) return;
      this.#mixed.forget(organization, tag);
      if (!(await this.#mixed.has(organization, [tag]))) continue;
      if (documents === null || !this.#listed.has(askedStream(organization, tag))) await this.#list(container);
      else for (const name of documents.values()) await this.#embed(name);
    }
  }

  /** The containers that were asked since the last round. Only hashes of their tags are recorded. */
  async #askedContainers(): Promise<readonly AskedContainer[]> {
    const streams = new Map(this.#newlyAsked);
    this.#newlyAsked.clear();
    const containers: AskedContainer[] = [];
    for (const organization of new Set(streams.values())) {
      if (streams.has(askedStream(organization, null))) containers.push({ organization, tag: null });
      const scope = { organization: organization as OrganizationId, tags: 'all' } as const;
      const tags = await this.#sources.views.reader.tags(scope, Date.now());
      for (const { tag } of tags)
        if (streams.has(askedStream(organization, tag))) containers.push({ organization, tag });
    }
    return containers;
  }

  async #list({ organization, tag }: AskedContainer): Promise<void> {
    const { reader } = this.#sources.views;
    const scope = { organization: organization as OrganizationId, tags: tag === null ? ('all' as const) : [tag] };
    for (let offset = 0; !this.#signal.aborted; offset += PAGE) {
      const { rows } = await reader.list({
        ...{ scope, filter: null, filepath: null, stages: ['done'], holds: 'both' },
        ...{ sort: 'createdAt', order: 'asc', offset, limit: PAGE },
      });
      for (const { id, vectorSpaces } of rows) {
        if (vectorSpaces.length === 1 && !LANGUAGE_SPACES.includes(vectorSpaces[0] as string))
          await this.#embed({ organization, id });
        if (this.#signal.aborted) return;
      }
      if (rows.length < PAGE) break;
    }
    this.#listed.add(askedStream(organization, tag));
  }

  async #embed({ organization, id }: DocumentName): Promise<void> {
    await this.#yield();
    // While the space changes, this is the new one.
    const space = this.#embedders.forLanguages().at(-1);
    if (space === undefined || this.#signal.aborted) return;
    try {
      await embedInLanguages(this.#sources, space, { organization, id }, ({ tags }) =>
        this.#mixed.has(organization, tags),
      );
    } catch (error) {
      if (isTransient(error) || hasCode(error, 'model_unavailable')) throw error;
      this.#onSkipped({ organization, id }, error);
    }
  }

  /** Documents in work go first, but not for ever. */
  async #yield(): Promise<void> {
    const until = performance.now() + YIELDS_MS;
    await giveWayToRequests();
    while (!this.#signal.aborted && performance.now() < until) {
      if ((await this.#sources.views.reader.countUnfinished()) === 0) return;
      await pause(LOOK_EVERY_MS, undefined, { signal: this.#signal, ref: false }).catch(() => undefined);
    }
  }
}
