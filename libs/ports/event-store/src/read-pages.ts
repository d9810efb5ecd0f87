import type { AllSlice, EventStore } from './port.ts';

/** Yields the log after a position, page by page, up to its end when the last page is read; at least one page. */
export async function* readPages(
  store: Pick<EventStore, 'readAll'>,
  options: Parameters<EventStore['readAll']>[0],
): AsyncGenerator<AllSlice, void> {
  let { after } = options;
  for (let end = false; !end; ) {
    const slice = await store.readAll({ ...options, after });
    yield slice;
    after = slice.position;
    end = slice.end;
  }
}
