import { setTimeout as pause } from 'node:timers/promises';
import { giveWayToRequests, hasCode, isTransient } from '#kernel';
import { isOtherLanguage, LANGUAGE_SPACES } from '#vector-spaces/model';
import type { UnfinishedDocument, ViewsReader } from '#views';
import { namedIn } from '../change/named-documents.ts';
import type { DocumentVectors } from '../document-vectors.ts';
import type { SpaceEmbedders } from '../space-embedders.ts';
import { moveDocument } from './move-document.ts';

const PAGE = 500;
/** Pause before another try, of a model that cannot be had among others. Milliseconds. */
const PAUSE_MS = 60_000;
/** How long the next document waits for those in work. Milliseconds. */
const YIELDS_MS = 2_000;
const LOOK_EVERY_MS = 100;

export interface KeepLanguagesSources extends DocumentVectors {
  readonly views: { readonly reader: Pick<ViewsReader, 'withoutVectors' | 'countUnfinished'> };
}

export interface KeepLanguagesOptions {
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly signal: AbortSignal;
}

/**
 * Moves documents in other languages than English to the space of these that an earlier version embedded like English ones, or
 * while the model could not be had. One at a time, and each waits a little for documents in work. What was moved stays when
 * the signal aborts, and the next call lists the others.
 */
export async function keepLanguages(
  sources: KeepLanguagesSources,
  embedders: Pick<SpaceEmbedders, 'forLanguages'>,
  { logger, signal }: KeepLanguagesOptions,
): Promise<void> {
  let said = '';
  while (!signal.aborted) {
    try {
      if (embedders.forLanguages().length === 0) return;
      await new LanguagesPass(sources, embedders, { logger, signal }).run();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const why = String(error);
      if (!hasCode(error, 'views_missing') && why !== said)
        logger.warn(`Documents in other languages than English stay with the model of English for now: ${why}`);
      said = why;
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

class LanguagesPass {
  readonly #sources: KeepLanguagesSources;
  readonly #embedders: Pick<SpaceEmbedders, 'forLanguages'>;
  readonly #options: KeepLanguagesOptions;
  #moved = 0;

  constructor(
    sources: KeepLanguagesSources,
    embedders: Pick<SpaceEmbedders, 'forLanguages'>,
    options: KeepLanguagesOptions,
  ) {
    this.#sources = sources;
    this.#embedders = embedders;
    this.#options = options;
  }

  /** @throws transient errors, and those of the model */
  async run(): Promise<void> {
    const { logger, signal } = this.#options;
    const { reader } = this.#sources.views;
    const onSkipped = namedIn(logger, 'keeps its vectors of the English model');
    for (let after: UnfinishedDocument | null = null; !signal.aborted; ) {
      const page: readonly UnfinishedDocument[] = await reader.withoutVectors({
        ...{ spaces: LANGUAGE_SPACES, after, limit: PAGE },
      });
      for (const document of page) {
        if (!isOtherLanguage(document.language ?? null)) continue;
        if (signal.aborted) return;
        try {
          await this.#move(document);
        } catch (error) {
          if (isTransient(error) || hasCode(error, 'model_unavailable')) throw error;
          onSkipped(document, error);
        }
      }
      after = page.at(-1) ?? null;
      if (page.length < PAGE) break;
    }
    if (this.#moved > 0)
      logger.info(`${this.#moved} documents in other languages have vectors of the multilingual model`);
  }

  async #move(document: UnfinishedDocument): Promise<void> {
    await this.#yield();
    // While the space changes, the one that replaces the other.
    const space = this.#embedders.forLanguages().at(-1);
    if (space !== undefined && (await moveDocument(this.#sources, space, document)) !== null) this.#moved += 1;
  }

  async #yield(): Promise<void> {
    const { signal } = this.#options;
    const until = performance.now() + YIELDS_MS;
    await giveWayToRequests();
    while (!signal.aborted && performance.now() < until) {
      if ((await this.#sources.views.reader.countUnfinished()) === 0) return;
      await pause(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
