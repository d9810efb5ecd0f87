import { ListMemoriesInput, listMemories as memoriesOf, pageOfMemories } from '#features/memories/use-cases';
import { type FormerVersion, memoryList } from '../../http/memories/memories.responses.ts';
import { readTags } from '../caller.ts';
import { COUNT, FLAG, listOf, objectOf, PAGINATION, TEXT, TIME } from '../schema.ts';
import { paragraphs, STORED, section } from '../stored-text.ts';
import { tool } from '../tool.ts';
import { PAGE, SPACE } from './about.ts';
import { PageOfSpace } from './page-of-space.ts';

const VERSION = {
  ...{ id: TEXT, memory: TEXT, version: COUNT, isLatest: FLAG, isForgotten: FLAG },
  ...{ createdAt: TIME, updatedAt: TIME },
};

export const listMemories = tool<PageOfSpace>({
  name: 'listMemories',
  title: 'List memories',
  description: 'Lists the memories of a space that are not forgotten, the newest first, with their earlier versions.',
  permission: 'read',
  countedAs: 'request',
  input: PageOfSpace,
  about: { ...PAGE, containerTag: SPACE },
  output: objectOf({
    memoryEntries: listOf(
      objectOf({
        ...VERSION,
        ...{ isStatic: FLAG, isInference: FLAG, sourceCount: COUNT, documentIds: listOf(TEXT) },
        history: listOf(objectOf(VERSION)),
      }),
    ),
    pagination: PAGINATION,
  }),
  async run({ queries }, caller, { page, limit, containerTag }) {
    const containerTags = [...readTags(caller, containerTag)];
    const input = Object.assign(new ListMemoriesInput(), { page, limit, containerTags });
    const found = await queries.execute(memoriesOf(caller.principal, input));
    const { memoryEntries, pagination } = memoryList(found, pageOfMemories(input));
    const lines = memoryEntries.map(({ id, memory }) => `[${id}] ${memory}`);
    const heading = `${found.total} memories, page ${page}`;
    return {
      text: found.total === 0 ? 'No memories.' : paragraphs(STORED, section(heading, lines)),
      structured: {
        memoryEntries: memoryEntries.map((entry) => ({
          ...versionOf(entry),
          ...{ isStatic: entry.isStatic, isInference: entry.isInference },
          ...{ sourceCount: entry.sourceCount, documentIds: entry.documentIds, history: entry.history.map(versionOf) },
        })),
        pagination: { ...pagination },
      },
    };
  },
});

const versionOf = ({ id, memory, version, isLatest, isForgotten, createdAt, updatedAt }: FormerVersion) => ({
  ...{ id, memory, version, isLatest, isForgotten, createdAt, updatedAt },
});
