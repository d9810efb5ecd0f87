import { withLanguageSpaces } from '#features/vector-spaces/model';
import type { UnfinishedDocument, ViewsReader } from '#read-side/views';

const PAGE = 1_000;

/** Every document that is done and whose row has no vectors of a space, nor of its own. */
export async function withoutVectors(
  views: Pick<ViewsReader, 'withoutVectors'>,
  space: string,
): Promise<readonly UnfinishedDocument[]> {
  const spaces = withLanguageSpaces(space);
  const found: UnfinishedDocument[] = [];
  for (;;) {
    const page = await views.withoutVectors({ spaces, after: found.at(-1) ?? null, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
