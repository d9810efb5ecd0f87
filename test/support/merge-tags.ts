import { eventually, type Mneme } from './mneme.ts';

/** Merges tags into another one, and returns when that is done. */
export async function mergeTags(
  mneme: Mneme,
  containerTags: readonly string[],
  targetContainerTag: string,
): Promise<void> {
  const { status, body } = await mneme.post('/v3/container-tags/merge', { containerTags, targetContainerTag });
  expect(status).toBe(202);
  await eventually(async () => {
    const merge = await mneme.get(`/v3/container-tags/merge/${body.mergeId}`);
    return merge.body.status === 'completed' || null;
  });
}
