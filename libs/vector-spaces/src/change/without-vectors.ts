import type { UnfinishedDocument, ViewsReader } from '#views';

const PAGE = 1_000;

/** Every document that is done and whose row has no vectors of a space. */
export async function withoutVectors(
  views: Pick<ViewsReader, 'withoutVectors'>,
  space: string,
): Promise<readonly UnfinishedDocument[]> {
  const found: UnfinishedDocument[] = [];
  for (;;) {
    const page = await views.withoutVectors({ space, after: found.at(-1) ?? null, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
