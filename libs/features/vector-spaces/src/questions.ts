import { isOtherThanEnglish } from '#features/search';
import type { Scope } from '#platform/kernel';
import type { QuestionVector, ViewsReader } from '#read-side/views';
import type { Space } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import type { AskedContainers } from './languages/asked-containers.ts';
import type { SpaceEmbedders } from './space-embedders.ts';

/** What embedding a question depends on beside its texts. */
export interface QuestionContext {
  /** What the question is about (`coreOf`), if the ranker needs it. */
  readonly core: string | null;
  readonly scope: Scope;
  /** The question is about a past time: the documents of then may have left the scope, or have other content now. */
  readonly isPast: boolean;
  /** The space to embed in, as `otherSpace` has returned it. Null: the serving space that this process knows. */
  readonly space: string | null;
}

/** Vectors of the texts of a question. */
export interface EmbeddedQuestion {
  /** Of each text; all have vectors of the same spaces, in the order in which documents are compared. */
  readonly vectors: readonly (readonly QuestionVector[])[];
  /** The serving space was about to change. */
  readonly isChanging: boolean;
}

/** The spaces of other languages in which a question is embedded. */
interface LanguageSpaces {
  readonly spaces: readonly Space[];
  /** The question is in another language, so documents with vectors in these spaces and their own are compared in these. */
  readonly comeFirst: boolean;
}

/**
 * Embeds questions in the space of the views, and in those of other languages where documents of their scope have vectors in
 * these. Reports which scopes are asked in another language. Without a model, search goes by words alone.
 */
export class Questions {
  readonly #embedders: Pick<SpaceEmbedders, 'of' | 'forLanguages' | 'usesLanguages'>;
  readonly #views: Pick<ViewsReader, 'vectorSpace' | 'heldSpaces'>;
  readonly #asked: Pick<AskedContainers, 'report'>;

  constructor(
    embedders: Pick<SpaceEmbedders, 'of' | 'forLanguages' | 'usesLanguages'>,
    views: Pick<ViewsReader, 'vectorSpace' | 'heldSpaces'>,
    asked: Pick<AskedContainers, 'report'>,
  ) {
    this.#embedders = embedders;
    this.#views = views;
    this.#asked = asked;
  }

  /** @param texts the forms of the question; the first one is the question as it came */
  async embed(texts: readonly string[], { core, scope, isPast, space }: QuestionContext): Promise<EmbeddedQuestion> {
    const isChanging = this.#embedders.of(DEFAULT_GROUP).coming !== null;
    const { spaces, comeFirst } = await this.#languageSpaces(texts[0] ?? '', scope, isPast);
    const serving = this.#readySpace(space);
    const own = serving === null ? [] : await vectorsIn(serving, texts, core);
    // The serving space may be one of other languages too.
    const others = own.length === 0 ? spaces : spaces.filter(({ name }) => name !== serving?.name);
    const ofOthers = await Promise.all(others.map((other) => vectorsIn(other, texts, core)));
    const inOrder = comeFirst ? [...ofOthers, own] : [own, ...ofOthers];
    return { vectors: texts.map((_, text) => inOrder.flatMap((vectors) => vectors[text] ?? [])), isChanging };
  }

  /** Returns the space of the views, if these changed to it while they were searched with other vectors. Null: they did not. */
  async otherSpace({ vectors, isChanging }: EmbeddedQuestion): Promise<string | null> {
    if (!isChanging && this.#embedders.of(DEFAULT_GROUP).coming === null) return null;
    const space = await this.#views.vectorSpace();
    return vectors.flat().some((vector) => vector.space === space) ? null : space;
  }

  /** @param wanted null: the space that serves as far as this process knows */
  #readySpace(wanted: string | null): Space | null {
    const { serving, coming } = this.#embedders.of(DEFAULT_GROUP);
    const isReady = (space: Space) => space.embedder.status().state === 'ready';
    const spaces = coming === null ? [serving] : [serving, coming];
    return spaces.find((space) => isReady(space) && (wanted === null || space.name === wanted)) ?? null;
  }

  /**
   * Leaves out spaces in which no document has its own vectors, so that their models are not loaded for English questions on
   * English documents. A question in another language is also compared with the second vectors of these.
   */
  async #languageSpaces(question: string, scope: Scope, isPast: boolean): Promise<LanguageSpaces> {
    const spaces = this.#embedders.forLanguages();
    const { usesLanguages } = this.#embedders;
    const comeFirst = spaces.length > 0 && isOtherThanEnglish(question);
    if (spaces.length === 0 || (!comeFirst && !usesLanguages)) return { spaces: [], comeFirst };
    const english = this.#embedders.of(DEFAULT_GROUP).serving.name;
    const names = spaces.map(({ name }) => name);
    const held = await this.#views.heldSpaces(scope, comeFirst ? [...names, english] : names);
    if (held.some(({ space }) => space === english)) this.#asked.report(scope);
    if (isPast && usesLanguages) return { spaces, comeFirst };
    const isHeld = (name: string) => held.some(({ space, isOwn }) => space === name && (isOwn || comeFirst));
    return { spaces: spaces.filter(({ name }) => isHeld(name)), comeFirst };
  }
}

/** Returns the vector of each text. Empty: the model cannot be had (in time); words still find documents. */
async function vectorsIn(
  { name, embedder }: Space,
  texts: readonly string[],
  core: string | null,
): Promise<readonly QuestionVector[]> {
  try {
    const [vectors, ofCore] = await Promise.all([
      Promise.all(texts.map((text) => embedder.embedQuestion(text))),
      core === null ? null : embedder.embedQuestion(core),
    ]);
    return vectors.map((values) => ({ space: name, values, ...(ofCore !== null && { core: ofCore }) }));
  } catch {
    return [];
  }
}
