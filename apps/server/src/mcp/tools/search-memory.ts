import { type MemoryResult, SearchMemoriesInput, searchMemories } from '#features/search/use-cases';
import { IsContainerTag, IsFlag, IsText, Required } from '#platform/input';
import { oneLine } from '#processing/languages';
import { readTag, readTags } from '../caller.ts';
import { profileText, readProfile } from '../profile-text.ts';
import { COUNT, listOf, objectOf, SCORE, TEXT, TEXT_OR_NULL } from '../schema.ts';
import { paragraphs, STORED, section } from '../stored-text.ts';
import { tool } from '../tool.ts';
import { SPACE } from './about.ts';

class Arguments {
  @Required()
  @IsText({ min: 1, max: 1_000 })
  query!: string;

  @IsFlag()
  includeProfile = true;

  @IsContainerTag()
  containerTag?: string;
}

const NOTHING = 'No matching memories found.';

export const searchMemory = tool<Arguments>({
  name: 'search_memory',
  title: 'Search memories',
  description:
    'Finds what was remembered, by meaning and by words: facts, preferences, earlier conversations, passages of documents. ' +
    'Call it before answering about the user, a project or anything that may have been said before.',
  permission: 'read',
  countedAs: 'search_v4',
  input: Arguments,
  about: {
    query: 'What to look for, as a question or in key words.',
    includeProfile: 'Also return lasting facts and recent activity of the space.',
    containerTag: SPACE,
  },
  output: objectOf(
    {
      ...{ query: TEXT, containerTag: TEXT_OR_NULL },
      profile: objectOf({ static: listOf(TEXT), dynamic: listOf(TEXT) }),
      results: listOf(objectOf({ id: TEXT, text: TEXT, similarity: SCORE, title: TEXT }, ['title'])),
      ...{ total: COUNT, timing: { type: 'number', minimum: 0 } },
    },
    ['profile'],
  ),
  async run(services, caller, { query, includeProfile, containerTag }) {
    const containerTags = [...readTags(caller, containerTag)];
    const input = Object.assign(new SearchMemoriesInput(), { q: query, containerTags, searchMode: 'hybrid' });
    const [{ results, timing }, profile] = await Promise.all([
      services.queries.execute(searchMemories(caller.principal, input)),
      includeProfile ? readProfile(services, caller, { containerTag }) : null,
    ]);
    const lines = results.map(({ unit, similarity }) => `[${unit.id}, ${Math.round(similarity * 100)} %] ${unit.text}`);
    const found = paragraphs(profile === null ? '' : profileText(profile), section('Matching memories', lines));
    return {
      text: paragraphs(found === '' ? '' : STORED, found, results.length === 0 ? NOTHING : ''),
      structured: {
        ...{ query, containerTag: readTag(caller, containerTag) },
        ...(profile !== null && { profile: { ...profile } }),
        ...{ results: results.map(resultOf), total: results.length, timing },
      },
    };
  },
});

const resultOf = ({ unit, similarity, document: { title } }: MemoryResult) => ({
  ...{ id: unit.id, text: unit.text, similarity },
  ...(title !== null && { title: oneLine(title) }),
});
