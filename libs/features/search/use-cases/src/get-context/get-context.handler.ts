import { type IQueryHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { DEFAULT_TAG, type Principal } from '#platform/kernel';
import { TokenCounters } from '#platform/tokens';
import { ProfileMemories } from '../get-profile/profile-memories.ts';
import { NO_EXTRAS, SearchMemories } from '../search-memories/search-memories.query.ts';
import { ContextWriter } from './context-writer.ts';
import { type Context, type ContextMemory, GetContext } from './get-context.query.ts';
import { type Statement, toStatement } from './statement.ts';

/** Memories that are looked for: one for so many tokens, and at most so many. */
const SEARCHED = { tokens: 12, most: 400 };

@QueryHandler(GetContext)
export class GetContextHandler implements IQueryHandler<GetContext> {
  constructor(
    private readonly queries: QueryBus,
    private readonly profiles: ProfileMemories,
    private readonly tokens: TokenCounters,
  ) {}

  async execute({ principal, tags: named, options }: GetContext): Promise<Context> {
    const { question, maxTokens, tokenizer, includeProfile, includeRecent } = options;
    const tags = tagsOf(principal, named);
    const [lasting, recent, found] = await Promise.all([
      includeProfile ? this.profiles.newest('static', principal, tags, options) : [],
      includeRecent ? this.profiles.newest('dynamic', principal, tags, options) : [],
      question === null ? [] : this.#search(principal, tags, { ...options, question }),
    ]);
    const writer = new ContextWriter(this.tokens.of(tokenizer), maxTokens);
    // At least half of the text answers the question. What a section does not use is left to those after it.
    const share = Math.floor(question === null ? maxTokens / 2 : maxTokens / 4);
    await writer.add('static', lasting.map(toStatement), share);
    await writer.add('dynamic', recent.map(toStatement), question === null ? maxTokens : share);
    await writer.add('memories', found, maxTokens);
    const { text, tokens } = await writer.finish();
    const texts = (section: 'static' | 'dynamic') => writer.statements(section).map((statement) => statement.text);
    return {
      ...{ text, tokens, tokenizer },
      memories: writer.statements('memories').map(memoryOf),
      profile: includeProfile || includeRecent ? { static: texts('static'), dynamic: texts('dynamic') } : null,
    };
  }

  async #search(
    principal: Principal,
    tags: readonly string[],
    { question, maxTokens, threshold, asOf, ...options }: GetContext['options'] & { readonly question: string },
  ): Promise<readonly Statement[]> {
    const { exceptCustomId, mostMemories = SEARCHED.most } = options;
    const { results } = await this.queries.execute(
      new SearchMemories(principal, tags, {
        ...{ question, threshold, asOf, mode: 'memories', extras: NO_EXTRAS },
        ...{ filter: null, filepath: null, rewriteQuery: false, rerank: false },
        limit: Math.min(Math.ceil(maxTokens / SEARCHED.tokens), mostMemories),
      }),
    );
    return results
      .filter(({ document }) => exceptCustomId === undefined || document.customId !== exceptCustomId)
      .map(toStatement);
  }
}

/** A request that names no tag is about the default one, or about those of a key with limited tags. */
function tagsOf({ tags }: Principal, named: readonly string[]): readonly string[] {
  return named.length === 0 && tags === 'all' ? [DEFAULT_TAG] : named;
}

const memoryOf = ({ id, text, date, similarity, source }: Statement): ContextMemory => ({
  ...{ id, text, date, similarity: similarity ?? 0 },
  ...(source !== null && { source }),
});
