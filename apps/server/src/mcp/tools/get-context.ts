import { getContext as contextFor, GetContextInput } from '#features/search/use-cases';
import { IsContainerTag, IsFlag, IsText, IsWholeNumber } from '#platform/input';
import { namedTag } from '../caller.ts';
import { COUNT, listOf, objectOf, SCORE, TEXT } from '../schema.ts';
import { paragraphs, STORED } from '../stored-text.ts';
import { tool } from '../tool.ts';
import { SPACE } from './about.ts';

class Arguments {
  @IsText({ min: 1, max: 10_000 })
  query?: string;

  @IsWholeNumber(100, 32_000)
  maxTokens = 2_000;

  @IsFlag()
  includeProfile = true;

  @IsFlag()
  includeRecent = true;

  @IsContainerTag()
  containerTag?: string;
}

export const getContext = tool<Arguments>({
  name: 'get_context',
  title: 'Get context',
  description:
    'Returns what is known about the user or a subject as one text within a number of tokens: lasting facts, recent activity, ' +
    'and the best memories for a question, with dates and sources.',
  permission: 'read',
  countedAs: 'search_v4',
  input: Arguments,
  about: {
    query: 'What the text is for. Without it: lasting facts and recent activity alone.',
    maxTokens: 'Most tokens of the text.',
    includeProfile: 'Lasting facts.',
    includeRecent: 'Recent activity.',
    containerTag: SPACE,
  },
  output: objectOf(
    {
      ...{ text: TEXT, tokens: COUNT },
      memories: listOf(objectOf({ id: TEXT, text: TEXT, date: TEXT, similarity: SCORE, source: TEXT }, ['source'])),
      profile: objectOf({ static: listOf(TEXT), dynamic: listOf(TEXT) }),
    },
    ['profile'],
  ),
  async run({ queries }, caller, { query, containerTag, ...wanted }) {
    const tag = namedTag(caller, containerTag);
    const input = Object.assign(new GetContextInput(), {
      ...wanted,
      ...(query !== undefined && { q: query }),
      ...(tag !== undefined && { containerTag: tag }),
    });
    const { text, tokens, memories, profile } = await queries.execute(contextFor(caller.principal, input));
    return {
      text: text === '' ? 'Nothing is known about this yet.' : paragraphs(STORED, text),
      structured: {
        ...{ text, tokens, memories: memories.map((memory) => ({ ...memory })) },
        ...(profile !== null && { profile: { ...profile } }),
      },
    };
  },
});
