import { organizationsOf } from '#features/access';
import type { DocumentRow, ViewsReader } from '#read-side/views';
import type { OperationsContext } from './operation.ts';

const PAGE = 500;

type Wanted = Omit<Parameters<ViewsReader['list']>[0], 'scope' | 'filter' | 'filepath' | 'order' | 'offset' | 'limit'>;

/** Yields the rows of the views for all organizations, page by page, the oldest first. */
export async function* documentRows({ parts }: OperationsContext, wanted: Wanted): AsyncGenerator<DocumentRow> {
  for (const organization of await organizationsOf(parts.storage.store)) {
    for (let offset = 0; ; offset += PAGE) {
      const { rows } = await parts.views.reader.list({
        ...{ ...wanted, scope: { organization, tags: 'all' }, filter: null, filepath: null },
        ...{ order: 'asc', offset, limit: PAGE },
      });
      yield* rows;
      if (rows.length < PAGE) break;
    }
  }
}
