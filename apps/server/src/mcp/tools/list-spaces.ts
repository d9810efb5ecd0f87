import { ListContainerTags } from '#features/container-tags/use-cases';
import { listedTag } from '../../http/container-tags/container-tags.responses.ts';
import { COUNT, listOf, objectOf, TEXT, TEXT_OR_NULL } from '../schema.ts';
import { MOST_SPACES } from '../spaces.ts';
import { paragraphs, STORED, section } from '../stored-text.ts';
import { tool } from '../tool.ts';

class Arguments {}

export const listSpaces = tool<Arguments>({
  name: 'listSpaces',
  title: 'List spaces',
  description: `Lists the spaces (container tags) that can be read, by tag, at most ${MOST_SPACES} of them.`,
  permission: 'read',
  countedAs: 'request',
  input: Arguments,
  about: {},
  output: objectOf({
    spaces: listOf(
      objectOf({
        ...{ name: TEXT, containerTag: TEXT, description: TEXT_OR_NULL, visibility: TEXT_OR_NULL, emoji: TEXT_OR_NULL },
        ...{ documentCount: COUNT, memoryCount: COUNT, lastActivityAt: TEXT_OR_NULL },
      }),
    ),
    count: COUNT,
  }),
  async run({ queries }, { principal }) {
    const found = await queries.execute(new ListContainerTags(principal));
    const spaces = found.slice(0, MOST_SPACES).map(listedTag);
    const lines = spaces.map(
      ({ containerTag, name, memoryCount }) => `${containerTag}: ${name}, ${memoryCount} memories`,
    );
    return {
      text: spaces.length === 0 ? 'No spaces.' : paragraphs(STORED, section(`${found.length} spaces`, lines)),
      structured: {
        spaces: spaces.map(({ name, containerTag, description, visibility = null, emoji = null, ...totals }) => ({
          ...{ name, containerTag, description, visibility, emoji },
          ...{ documentCount: totals.documentCount, memoryCount: totals.memoryCount },
          lastActivityAt: totals.lastActivityAt,
        })),
        count: found.length,
      },
    };
  },
});
