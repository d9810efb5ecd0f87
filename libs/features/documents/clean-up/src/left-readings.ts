import { type DocumentRepository, type KeptReadings, type Live, lossIn } from '#features/documents';
import { systemScope } from '#platform/kernel';
import { Failures } from './failures.ts';

/**
 * Removes what was kept while a document was read that is not read any more: the process ended between the two, or the
 * content was replaced while no process read it.
 * @returns those that could not be looked at, or not be removed
 */
export async function removeLeftReadings(
  readings: Pick<KeptReadings, 'documents' | 'head' | 'remove'>,
  documents: Pick<DocumentRepository, 'load'>,
  signal: AbortSignal,
): Promise<Failures> {
  const failures = new Failures();
  for await (const { organization, id } of readings.documents()) {
    if (signal.aborted) break;
    await failures.unless(`${organization}/${id}`, async () => {
      const state = await documents.load(systemScope(organization), id).catch((error) => {
        // A document that cannot be read any more keeps what it has until it is deleted.
        if (lossIn(error) === null) throw error;
        return null;
      });
      // What a deleted document has left is removed with all else that it has left.
      if (state?.status === 'live' && !(await isBeingRead(state, readings))) await readings.remove(state);
    });
  }
  return failures;
}

const isBeingRead = async (state: Live, readings: Pick<KeptReadings, 'head'>): Promise<boolean> =>
  state.extracted === null && state.stage !== 'failed' && (await readings.head(state)) !== null;
