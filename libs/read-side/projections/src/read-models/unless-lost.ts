import { lossIn } from '#features/documents';

/** Returns the reason if content is lost that the work needs. */
export async function unlessLost<T>(work: () => Promise<T>): Promise<T | { readonly lost: string }> {
  try {
    return await work();
  } catch (error) {
    const lost = lossIn(error);
    if (lost === null) throw error;
    return { lost };
  }
}
