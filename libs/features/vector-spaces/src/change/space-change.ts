import { decideEmbedded, documentStream, unitsOf } from '#features/documents';
import { systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { UnfinishedDocument, ViewsReader } from '#read-side/views';
import { backfillDocument } from '../backfill-document.ts';
import type { DocumentName } from './each-document.ts';
import { type ChangeOptions, GroupChange } from './group-change.ts';
import { supersededError } from './model-ready.ts';
import { withoutVectors } from './without-vectors.ts';

/** Looks at the new views for documents without vectors, after which they serve as they are. */
const LOOKS = 20;

export interface SpaceChangeOptions extends ChangeOptions {
  /** The space of the serving views. */
  readonly searched: string;
}

/** Changes the serving space of a group. Until the new views are in place, searches go on in the old space. */
export class SpaceChange extends GroupChange<SpaceChangeOptions> {
  /**
   * Embeds every document in the space, builds views of it, and has them serve.
   * @throws SpaceChangeError; transient errors, after which another change of the same space goes on
   */
  async run(): Promise<void> {
    const { signal } = this.options;
    await this.modelReady();
    if (signal.aborted) return;
    await this.pass.run((name) => this.embed(name));
    if (!signal.aborted) await this.#switchViews();
  }

  protected override vectorsFor({ organization, id }: DocumentName): Promise<number> {
    const { documents, texts, vectors } = this.sources;
    const { space, searched, embedder } = this.options;
    const backfill = { documents, texts, vectors, space: { name: space, embedder }, kept: [searched, space] };
    return backfillDocument(backfill, organization, id);
  }

  /** Makes views of the space beside the serving ones. They serve when no document lacks its vectors in them. */
  async #switchViews(): Promise<void> {
    const { views, spaces } = this.sources;
    const { group, space, searched, signal, onProgress } = this.options;
    await views.rebuild({
      space,
      signal,
      onProgress: (written) => onProgress({ phase: 'rebuild', ...written }),
      inspect: async ({ rebuilt, level }) => {
        for (let look = 1; !signal.aborted && look <= LOOKS; look += 1) {
          await level();
          const missing = await this.#missingIn(rebuilt);
          if (missing.length === 0) break;
          for (const document of missing) await this.pass.each(document, () => this.#embedAgain(document));
        }
        if (signal.aborted) return false;
        if (!(await spaces.select(group, space)).ok) throw supersededError(searched);
        return true;
      },
    });
  }

  /** Documents that the serving views find by their vectors and the new ones do not. */
  async #missingIn(rebuilt: ViewsReader): Promise<readonly UnfinishedDocument[]> {
    const { space, searched } = this.options;
    const missing = await withoutVectors(rebuilt, space);
    if (missing.length === 0) return [];
    const keyOf = ({ organization, id }: UnfinishedDocument) => documentStream(organization, id);
    const already = new Set((await withoutVectors(this.sources.views.reader, searched)).map(keyOf));
    return missing.filter((document) => !already.has(keyOf(document)) && !this.pass.skipped.has(keyOf(document)));
  }

  /** An event makes the new views look up the vectors once more. */
  async #embedAgain({ organization, id, contentVersion }: UnfinishedDocument): Promise<void> {
    const { documents, texts } = this.sources;
    await this.embed({ organization, id });
    const document = await documents.load(systemScope(organization), id);
    if (document.status !== 'live') return;
    const sizes = { units: (await unitsOf(document, texts)).length };
    await documents.change(systemScope(organization), id, systemCause(), (state) =>
      decideEmbedded(state, contentVersion, this.options.space, { renewed: true, sizes }),
    );
  }
}
