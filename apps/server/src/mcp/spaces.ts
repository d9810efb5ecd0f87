import { ListContainerTags } from '#features/container-tags/use-cases';
import type { Caller, Services } from './caller.ts';

/** Spaces of an answer. An application can have one for each of its users. */
export const MOST_SPACES = 500;

/** The tags that the caller may read, in their order. */
export async function tagsOf(
  { queries }: Pick<Services, 'queries'>,
  { principal }: Pick<Caller, 'principal'>,
): Promise<readonly string[]> {
  const found = await queries.execute(new ListContainerTags(principal));
  return found.map(({ tag }) => tag);
}
